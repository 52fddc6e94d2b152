import type { Call } from './calls.ts';
import { type LogsRange, readLogsRange } from './logs-range.ts';
import { readHash, readQuantity } from './quantity.ts';
import { jsonText, MAX_JSON_DEPTH, scanElements, skipSpace, skipValue } from './scan-json.ts';

/** What a node must know of the chain to answer a call rightly. */
export type RequiredBlock =
  /** Nothing: a constant, or a matter of the node itself. */
  | { readonly kind: 'none' }
  /** A block or a transaction by its hash. */
  | { readonly kind: 'hash' }
  /** A block by its number. */
  | { readonly kind: 'block'; readonly number: bigint }
  /** Every block up to a number; a node that lacks some of them does not say so. */
  | { readonly kind: 'logs'; readonly to: bigint }
  /** The newest block. */
  | { readonly kind: 'head' };

const NONE: RequiredBlock = { kind: 'none' };
const HASH: RequiredBlock = { kind: 'hash' };
const HEAD: RequiredBlock = { kind: 'head' };

/** Methods that read the state after a block, with the place of the parameter that names it. */
const STATE_METHODS: ReadonlyMap<string, number> = new Map([
  ['debug_traceCall', 1],
  ['eth_call', 1],
  ['eth_createAccessList', 1],
  ['eth_estimateGas', 1],
  ['eth_getAccount', 1],
  ['eth_getAccountInfo', 1],
  ['eth_getBalance', 1],
  ['eth_getCode', 1],
  ['eth_getProof', 2],
  ['eth_getStorageAt', 2],
  ['eth_getTransactionCount', 1],
  ['eth_simulateV1', 1],
]);

/** Other methods that name a block, with the place of that parameter. */
const BLOCK_METHODS: ReadonlyMap<string, number> = new Map([
  ['debug_traceBlockByNumber', 0],
  ['eth_feeHistory', 1],
  ['eth_getBlockByNumber', 0],
  ['eth_getBlockReceipts', 0],
  ['eth_getBlockTransactionCountByNumber', 0],
  ['eth_getHeaderByNumber', 0],
  ['eth_getRawTransactionByBlockNumberAndIndex', 0],
  ['eth_getTransactionByBlockNumberAndIndex', 0],
  ['eth_getUncleByBlockNumberAndIndex', 0],
  ['eth_getUncleCountByBlockNumber', 0],
]);

/** Methods whose first parameter is a hash. */
const HASH_METHODS = /Hash(?:AndIndex)?$|^eth_getTransactionReceipt$|^debug_traceTransaction$/;
const BLOCKLESS_METHODS =
  /^(?:net|web3)_|^eth_(?:accounts|chainId|coinbase|hashrate|mining|protocolVersion|syncing|sign|signTransaction)$/;

/** Longest JSON of a parameter that names a block, in bytes. */
const MAX_BLOCK_JSON_BYTES = 256;
const JSON_INTEGER = /^\d{1,15}$/;

/** Whether a method reads state, which nodes keep for their newest blocks only. */
export function readsState(method: string): boolean {
  return STATE_METHODS.has(method);
}

/** The block that a valid call needs. If that is unknown, the newest block counts as needed. */
export function requiredBlock({ method, params }: Pick<Call, 'method' | 'params'>): RequiredBlock {
  if (method === 'eth_getLogs') return needOfLogs(readLogsRange(params));
  const position = STATE_METHODS.get(method) ?? BLOCK_METHODS.get(method);
  if (position !== undefined) return readBlock(elementAt(params, position));
  if (HASH_METHODS.test(method)) return HASH;
  return BLOCKLESS_METHODS.test(method) ? NONE : HEAD;
}

function needOfLogs(range: LogsRange): RequiredBlock {
  if (range.kind === 'by_hash') return HASH;
  if (range.kind !== 'range' || !('number' in range.from) || !('number' in range.to)) return HEAD;
  return { kind: 'logs', to: range.to.number };
}

/** JSON of the element at a place of a list; undefined if there is none, or if it is too long to name a block. */
export function elementAt(list: Uint8Array | undefined, place: number): string | undefined {
  if (list === undefined) return undefined;
  const text = jsonText(list);
  let found: string | undefined;
  let next = 0;
  scanElements(text, skipSpace(text.bytes, 0), (at) => {
    const end = skipValue(text, at, MAX_JSON_DEPTH);
    const start = skipSpace(text.bytes, at);
    if (next++ === place && end - start <= MAX_BLOCK_JSON_BYTES) {
      found = text.bytes.toString('latin1', start, end);
    }
    return end;
  });
  return found;
}

function readBlock(json: string | undefined): RequiredBlock {
  if (json === '"earliest"') return { kind: 'block', number: 0n };
  const number = readQuantity(json) ?? readInteger(json);
  if (number !== undefined) return { kind: 'block', number };
  if (readHash(json) !== undefined) return HASH;
  return json?.startsWith('{') ? readBlockObject(json) : HEAD;
}

/** A block by EIP-1898: `{"blockNumber": ...}` or `{"blockHash": ...}`. */
function readBlockObject(json: string): RequiredBlock {
  const { blockNumber, blockHash } = JSON.parse(json) as Record<string, unknown>;
  if (blockHash !== undefined) return HASH;
  return typeof blockNumber === 'object' ? HEAD : readBlock(JSON.stringify(blockNumber));
}

function readInteger(json: string | undefined): bigint | undefined {
  return json !== undefined && JSON_INTEGER.test(json) ? BigInt(json) : undefined;
}
