import type { ShownMember } from '../../shared/jsonrpc/response-facts.ts';

/** What ties the answers of a method to a block: they are kept once that block is final, and only then. */
export interface CacheRule {
  /** Nothing that can change is in the answer. */
  readonly constant?: true;
  /** Place of the parameter that names the block by its number. */
  readonly numberAt?: number;
  /** Place of the parameter that is a hash of a block or a transaction, where the answer does not show its block. */
  readonly hashAt?: number;
  readonly shown?: ShownMember;
  /** The parameter is a filter of logs: of a range of blocks, or of one block by its hash. */
  readonly filter?: true;
  /** The answer is a list of traces, of which each can have failed alone. */
  readonly traces?: true;
}

/**
 * Every method whose results may be cached. Excluded are methods about the present (prices, peers, the pool), methods
 * that act, and executions in an environment that the node makes up (`eth_estimateGas`, `eth_createAccessList`,
 * `eth_simulateV1`).
 */
export const CACHE_RULES: ReadonlyMap<string, CacheRule> = new Map<string, CacheRule>([
  ['eth_chainId', { constant: true }],
  ['net_version', { constant: true }],

  ['eth_getBlockByNumber', { numberAt: 0, shown: 'number' }],
  ['eth_getBlockByHash', { shown: 'number' }],
  ['eth_getBlockReceipts', { numberAt: 0, shown: 'blockNumber' }],
  ['eth_getBlockTransactionCountByNumber', { numberAt: 0 }],
  ['eth_getBlockTransactionCountByHash', { hashAt: 0 }],
  ['eth_getUncleCountByBlockNumber', { numberAt: 0 }],
  ['eth_getUncleCountByBlockHash', { hashAt: 0 }],
  ['eth_getUncleByBlockNumberAndIndex', { numberAt: 0 }],
  ['eth_getUncleByBlockHashAndIndex', { hashAt: 0 }],

  ['eth_getTransactionByHash', { shown: 'blockNumber' }],
  ['eth_getTransactionReceipt', { shown: 'blockNumber' }],
  ['eth_getTransactionByBlockHashAndIndex', { shown: 'blockNumber' }],
  ['eth_getTransactionByBlockNumberAndIndex', { numberAt: 0, shown: 'blockNumber' }],
  ['eth_getLogs', { filter: true }],

  ['eth_getBalance', { numberAt: 1 }],
  ['eth_getCode', { numberAt: 1 }],
  ['eth_getTransactionCount', { numberAt: 1 }],
  ['eth_getStorageAt', { numberAt: 2 }],
  ['eth_getProof', { numberAt: 2 }],
  ['eth_call', { numberAt: 1 }],

  ['debug_traceBlockByNumber', { numberAt: 0, traces: true }],
  ['debug_traceBlockByHash', { hashAt: 0, traces: true }],
  ['debug_traceTransaction', { hashAt: 0 }],
  ['debug_traceCall', { numberAt: 1 }],
]);

/**
 * Largest cached result in bytes; a larger one is requested from the node each time. A cached result costs 1 CU
 * whatever its size, so its size must be bounded.
 */
export const MAX_KEPT_BYTES = 256 * 1024;

/** How long a constant is kept, in milliseconds: a deployment can change it. */
export const CONSTANT_TTL_MS = 60 * 60 * 1000;
/** How long an answer about a final block is kept, in milliseconds. It would stay right for ever: this bounds the cost. */
export const FINAL_TTL_MS = 7 * 24 * 60 * 60 * 1000;
