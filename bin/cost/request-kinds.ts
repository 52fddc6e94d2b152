/** What a request has to wait for: it decides how long the function is billed for. */
export type WaitsFor = 'node' | 'database' | 'gateway';

/** One kind of request of a traffic mix. */
interface RequestKind {
  readonly api: 'rpc' | 'data';
  /** JSON-RPC methods of its calls, as a provider would bill them; empty where it bills nothing. */
  readonly methods: readonly string[];
  readonly waitsFor: WaitsFor;
  readonly description: string;
}

const BATCH_CALLS = 10;

/** Every kind of request that is counted. */
export const REQUEST_KINDS = {
  call: rpc(['eth_call'], 'node', 'a contract read at the latest block'),
  balance: rpc(['eth_getBalance'], 'node', 'a balance at the latest block'),
  head: rpc(['eth_blockNumber'], 'node', 'the head of the chain'),
  receipt: rpc(['eth_getTransactionReceipt'], 'node', 'a receipt'),
  logs: rpc(['eth_getLogs'], 'node', 'logs of one contract in 100 blocks'),
  trace: rpc(['debug_traceTransaction'], 'node', 'a call trace'),
  cached: rpc(['eth_getBlockByNumber'], 'gateway', 'a finalized block, answered from the cache'),
  stored: rpc(['eth_getBlockByNumber'], 'node', 'a finalized block that was not requested before'),
  batch: rpc(Array(BATCH_CALLS).fill('eth_getBalance'), 'node', `a batch of ${BATCH_CALLS} balances`),
  blocked: rpc([], 'gateway', 'a method that is not served'),
  limited: rpc([], 'gateway', 'over the rate limit (429)'),
  unknown_key: rpc([], 'gateway', 'an unknown key (404)'),
  data_block: data('a block'),
  data_balances: data('balances of an address'),
  data_transactions: data('a page of 50 transactions'),
} as const satisfies Readonly<Record<string, RequestKind>>;

export type KindName = keyof typeof REQUEST_KINDS;

/** Shares of the kinds of one interface, in percent. */
export type Mix = Readonly<Partial<Record<KindName, number>>>;

/** Mixes of JSON-RPC requests by name. An assumption, each of them: take the one that is nearest to your traffic. */
export const RPC_MIXES: Readonly<Record<string, Mix>> = {
  default: {
    call: 35,
    balance: 12,
    head: 15,
    receipt: 8,
    logs: 7,
    trace: 1,
    cached: 8,
    stored: 2,
    batch: 8,
    blocked: 2,
    limited: 1,
    unknown_key: 1,
  },
  calls: { call: 100 },
  batches: { batch: 100 },
  indexer: { logs: 40, cached: 30, receipt: 20, head: 10 },
  traces: { trace: 80, head: 20 },
};

/** The one mix of Data API requests. */
export const DATA_MIX: Mix = { data_block: 30, data_balances: 30, data_transactions: 40 };

function rpc(methods: readonly string[], waitsFor: WaitsFor, description: string): RequestKind {
  return { api: 'rpc', methods, waitsFor, description };
}

function data(description: string): RequestKind {
  return { api: 'data', methods: [], waitsFor: 'database', description };
}
