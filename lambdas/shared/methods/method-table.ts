/** Which methods the gateway serves and what each costs. A pattern that ends in `*` stands for every prefix match. */
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

/** Compute units of a call, by method or pattern. */
export const WEIGHTS: readonly (readonly [pattern: string, cu: number])[] = [
  ['eth_blockNumber', 1],
  ['eth_chainId', 1],
  ['eth_getBlockByNumber', 5],
  ['eth_getBlockReceipts', 10],
  ['eth_getProof', 10],
  ['eth_call', 20],
  ['eth_createAccessList', 20],
  ['eth_estimateGas', 20],
  ['eth_simulateV1', 20],
  ['eth_sendRawTransaction', 30],
  ['eth_getLogs', 50],
  ['debug_trace*', 200],
];

/** Compute units of a call that is answered from the cache, whatever its weight. */
export const CACHED_CU = 1;

/** Compute units of a call that no weight names. */
export const DEFAULT_WEIGHT = 10;
