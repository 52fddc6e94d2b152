/** Which methods the gateway serves. A pattern that ends in `*` stands for every prefix match. */
export const ALLOWED_PATTERNS: readonly string[] = ['eth_*', 'net_*', 'web3_*', 'debug_trace*'];

/** Methods that are not served although a pattern allows them: they need a connection or state in the node. */
export const BLOCKED_METHODS: readonly string[] = [
  'eth_newFilter',
  'eth_newBlockFilter',
  'eth_newPendingTransactionFilter',
  'eth_getFilterLogs',
  'eth_getFilterChanges',
  'eth_uninstallFilter',
  'eth_subscribe',
  'eth_unsubscribe',
];

/** Methods by what they cost a node, coarse enough for a dimension of a metric. */
export const METHOD_CLASSES = ['read', 'execution', 'logs', 'trace', 'send', 'refused'] as const;

/** `refused`: the gateway has not let it through; `read`: everything that is no other. */
export type MethodClass = (typeof METHOD_CLASSES)[number];

/** Compute units of a call that no weight names. */
export const DEFAULT_WEIGHT = 10;

/** Compute units of a response from the cache, of a method or of an operation of the Data API, whatever its weight. */
export const CACHED_CU = 1;

/** The method whose call names a range of blocks, which a node may refuse or not have. */
export const LOGS_METHOD = 'eth_getLogs';

/** The method that answers once its transaction is in a block (EIP-7966). */
export const SYNC_METHOD = 'eth_sendRawTransactionSync';

/** What a node must have of the chain to answer a call of a method. */
export type MethodNeed =
  /** Nothing: a constant, or a matter of the node itself. */
  | 'nothing'
  /** The block or transaction whose hash is the first parameter. */
  | 'hash'
  /** Every block of the range that the filter in the first parameter names. */
  | 'logs'
  /** The newest block. */
  | 'head'
  /** The block that the parameter at this place names. */
  | { readonly blockAt: number }
  /** The state after the block that the parameter at this place names; nodes keep it for their newest blocks only. */
  | { readonly stateAt: number };

/** Member in which a result, or the first element of a list, shows the number of its block. */
export type ShownMember = 'number' | 'blockNumber';

/** What a result shows that may be cached once its block is final. */
interface CacheRule {
  readonly shown?: ShownMember;
  /** The result is a list of traces, of which each can have failed alone. */
  readonly traces?: true;
}

/**
 * What the chain fixes of a result, or of each element of a list: members of an object, the bytes, or a number in any spelling.
 * A header is a block without its lists.
 */
export type FixedPart = 'header' | 'block' | 'transaction' | 'receipt' | 'log' | 'bytes' | 'quantity';

/** What the gateway knows of a method. */
export interface MethodFacts {
  /** Compute units of a call. Absent: those of the longest pattern that fits, or `DEFAULT_WEIGHT`. */
  readonly cu?: number;
  readonly class: MethodClass;
  readonly needs: MethodNeed;
  /**
   * Results are cached: for an hour if the call needs nothing, otherwise once the block that it needs is final. Absent for
   * methods about the present (prices, peers, the pool), methods that act, and executions in an environment that the node
   * makes up. `true`: the result shows nothing of its block.
   */
  readonly cache?: CacheRule | true;
  /** A call takes a node long by itself: its duration says nothing about the node. */
  readonly heavy?: true;
  /** Runs a call that the client makes up, the first parameter; its gas is capped. */
  readonly gasCap?: true;
  /** What of its result the chain fixes: nodes that tell the truth tell it alike. Absent: they may tell different things. */
  readonly fixed?: FixedPart;
  /**
   * Of which contracts it asks: a key can be bound to some. `to`: that of the call in the first parameter; `filter`: `address`
   * of the filter there; `address`: the first parameter; `nothing`: it asks of the chain, or of an account's own
   * transactions. Absent: that cannot be judged, and such a key may not call it.
   */
  readonly asksOf?: 'to' | 'filter' | 'address' | 'nothing';
}

/** A method by its name. Usage counts it by that name; methods without a row are counted as one. */
interface MethodRow extends MethodFacts {
  readonly name: string;
}

/** Every method that is known by name. A row is all that the code needs to know about a method. */
export const METHODS: readonly MethodRow[] = [
  { name: 'debug_traceBadBlock', class: 'trace', needs: 'head', heavy: true },
  { name: 'debug_traceBlock', class: 'trace', needs: 'head', heavy: true },
  { name: 'debug_traceBlockByHash', class: 'trace', needs: 'hash', cache: { traces: true }, heavy: true },
  {
    name: 'debug_traceBlockByNumber',
    class: 'trace',
    needs: { blockAt: 0 },
    cache: { traces: true },
    heavy: true,
  },
  { name: 'debug_traceCall', class: 'trace', needs: { stateAt: 1 }, cache: true, heavy: true, gasCap: true },
  { name: 'debug_traceCallMany', class: 'trace', needs: 'head', heavy: true },
  { name: 'debug_traceChain', class: 'trace', needs: 'head', heavy: true },
  { name: 'debug_traceTransaction', class: 'trace', needs: 'hash', cache: true, heavy: true },
  { name: 'eth_accounts', class: 'read', needs: 'nothing' },
  { name: 'eth_baseFee', class: 'read', needs: 'head', asksOf: 'nothing' },
  { name: 'eth_blobBaseFee', class: 'read', needs: 'head', asksOf: 'nothing' },
  { name: 'eth_blockNumber', cu: 1, class: 'read', needs: 'head', asksOf: 'nothing' },
  {
    name: 'eth_call',
    cu: 20,
    class: 'execution',
    needs: { stateAt: 1 },
    cache: true,
    gasCap: true,
    asksOf: 'to',
    fixed: 'bytes',
  },
  { name: 'eth_callBundle', class: 'read', needs: 'head' },
  { name: 'eth_callMany', class: 'read', needs: 'head' },
  { name: 'eth_chainId', cu: 1, class: 'read', needs: 'nothing', cache: true, asksOf: 'nothing' },
  { name: 'eth_coinbase', class: 'read', needs: 'nothing' },
  {
    name: 'eth_createAccessList',
    cu: 20,
    class: 'execution',
    needs: { stateAt: 1 },
    heavy: true,
    gasCap: true,
    asksOf: 'to',
  },
  { name: 'eth_estimateGas', cu: 20, class: 'execution', needs: { stateAt: 1 }, gasCap: true, asksOf: 'to' },
  { name: 'eth_feeHistory', class: 'read', needs: { blockAt: 1 }, asksOf: 'nothing' },
  { name: 'eth_fillTransaction', class: 'read', needs: 'head' },
  { name: 'eth_gasPrice', class: 'read', needs: 'head', asksOf: 'nothing' },
  { name: 'eth_getAccount', class: 'read', needs: { stateAt: 1 }, asksOf: 'address' },
  { name: 'eth_getAccountInfo', class: 'read', needs: { stateAt: 1 }, asksOf: 'address' },
  {
    name: 'eth_getBalance',
    class: 'read',
    needs: { stateAt: 1 },
    cache: true,
    asksOf: 'address',
    fixed: 'quantity',
  },
  {
    name: 'eth_getBlockByHash',
    class: 'read',
    needs: 'hash',
    cache: { shown: 'number' },
    fixed: 'block',
    asksOf: 'nothing',
  },
  {
    name: 'eth_getBlockByNumber',
    cu: 5,
    class: 'read',
    needs: { blockAt: 0 },
    cache: { shown: 'number' },
    fixed: 'block',
    asksOf: 'nothing',
  },
  {
    name: 'eth_getBlockReceipts',
    cu: 10,
    class: 'read',
    needs: { blockAt: 0 },
    cache: { shown: 'blockNumber' },
    heavy: true,
    fixed: 'receipt',
  },
  {
    name: 'eth_getBlockTransactionCountByHash',
    class: 'read',
    needs: 'hash',
    cache: true,
    fixed: 'quantity',
    asksOf: 'nothing',
  },
  {
    name: 'eth_getBlockTransactionCountByNumber',
    class: 'read',
    needs: { blockAt: 0 },
    cache: true,
    fixed: 'quantity',
    asksOf: 'nothing',
  },
  {
    name: 'eth_getCode',
    class: 'read',
    needs: { stateAt: 1 },
    cache: true,
    asksOf: 'address',
    fixed: 'bytes',
  },
  { name: 'eth_getHeaderByHash', class: 'read', needs: 'hash', fixed: 'header', asksOf: 'nothing' },
  { name: 'eth_getHeaderByNumber', class: 'read', needs: { blockAt: 0 }, fixed: 'header', asksOf: 'nothing' },
  {
    name: LOGS_METHOD,
    cu: 50,
    class: 'logs',
    needs: 'logs',
    cache: true,
    heavy: true,
    asksOf: 'filter',
    fixed: 'log',
  },
  {
    name: 'eth_getProof',
    cu: 10,
    class: 'read',
    needs: { stateAt: 2 },
    cache: true,
    heavy: true,
    asksOf: 'address',
  },
  {
    name: 'eth_getRawTransactionByBlockHashAndIndex',
    class: 'read',
    needs: 'hash',
    fixed: 'bytes',
    asksOf: 'nothing',
  },
  {
    name: 'eth_getRawTransactionByBlockNumberAndIndex',
    class: 'read',
    needs: { blockAt: 0 },
    fixed: 'bytes',
    asksOf: 'nothing',
  },
  { name: 'eth_getRawTransactionByHash', class: 'read', needs: 'hash', fixed: 'bytes', asksOf: 'nothing' },
  {
    name: 'eth_getStorageAt',
    class: 'read',
    needs: { stateAt: 2 },
    cache: true,
    asksOf: 'address',
    fixed: 'quantity',
  },
  {
    name: 'eth_getTransactionByBlockHashAndIndex',
    class: 'read',
    needs: 'hash',
    cache: { shown: 'blockNumber' },
    fixed: 'transaction',
    asksOf: 'nothing',
  },
  {
    name: 'eth_getTransactionByBlockNumberAndIndex',
    class: 'read',
    needs: { blockAt: 0 },
    cache: { shown: 'blockNumber' },
    fixed: 'transaction',
    asksOf: 'nothing',
  },
  {
    name: 'eth_getTransactionByHash',
    class: 'read',
    needs: 'hash',
    cache: { shown: 'blockNumber' },
    fixed: 'transaction',
    asksOf: 'nothing',
  },
  {
    name: 'eth_getTransactionCount',
    class: 'read',
    needs: { stateAt: 1 },
    cache: true,
    fixed: 'quantity',
    asksOf: 'nothing',
  },
  {
    name: 'eth_getTransactionReceipt',
    class: 'read',
    needs: 'hash',
    cache: { shown: 'blockNumber' },
    fixed: 'receipt',
    asksOf: 'nothing',
  },
  {
    name: 'eth_getUncleByBlockHashAndIndex',
    class: 'read',
    needs: 'hash',
    cache: true,
    fixed: 'header',
    asksOf: 'nothing',
  },
  {
    name: 'eth_getUncleByBlockNumberAndIndex',
    class: 'read',
    needs: { blockAt: 0 },
    cache: true,
    fixed: 'header',
    asksOf: 'nothing',
  },
  {
    name: 'eth_getUncleCountByBlockHash',
    class: 'read',
    needs: 'hash',
    cache: true,
    fixed: 'quantity',
    asksOf: 'nothing',
  },
  {
    name: 'eth_getUncleCountByBlockNumber',
    class: 'read',
    needs: { blockAt: 0 },
    cache: true,
    fixed: 'quantity',
    asksOf: 'nothing',
  },
  { name: 'eth_hashrate', class: 'read', needs: 'nothing' },
  { name: 'eth_maxPriorityFeePerGas', class: 'read', needs: 'head', asksOf: 'nothing' },
  { name: 'eth_mining', class: 'read', needs: 'nothing' },
  { name: 'eth_protocolVersion', class: 'read', needs: 'nothing', asksOf: 'nothing' },
  { name: 'eth_sendBundle', class: 'send', needs: 'head' },
  { name: 'eth_sendPrivateTransaction', class: 'send', needs: 'head' },
  { name: 'eth_sendRawTransaction', cu: 30, class: 'send', needs: 'head', asksOf: 'nothing' },
  { name: 'eth_sendRawTransactionConditional', class: 'send', needs: 'head' },
  { name: SYNC_METHOD, class: 'send', needs: 'head', asksOf: 'nothing' },
  { name: 'eth_sendTransaction', class: 'send', needs: 'head' },
  { name: 'eth_sign', class: 'read', needs: 'nothing' },
  { name: 'eth_signTransaction', class: 'read', needs: 'nothing' },
  { name: 'eth_simulateV1', cu: 20, class: 'execution', needs: { stateAt: 1 }, heavy: true },
  { name: 'eth_syncing', class: 'read', needs: 'nothing', asksOf: 'nothing' },
  { name: 'net_listening', class: 'read', needs: 'nothing', asksOf: 'nothing' },
  { name: 'net_peerCount', class: 'read', needs: 'nothing', asksOf: 'nothing' },
  { name: 'net_version', class: 'read', needs: 'nothing', cache: true, asksOf: 'nothing' },
  { name: 'web3_clientVersion', class: 'read', needs: 'nothing', asksOf: 'nothing' },
  { name: 'web3_sha3', class: 'read', needs: 'nothing', asksOf: 'nothing' },
];

/** What is known of methods without a row, by a prefix of their name. The longest that fits counts. */
export const PREFIXES: readonly (MethodFacts & { readonly prefix: string })[] = [
  { prefix: 'debug_trace', cu: 200, class: 'trace', needs: 'head', heavy: true },
  { prefix: 'eth_send', class: 'send', needs: 'head' },
  { prefix: 'eth_submit', class: 'send', needs: 'head' },
  { prefix: 'net_', class: 'read', needs: 'nothing' },
  { prefix: 'web3_', class: 'read', needs: 'nothing' },
];
