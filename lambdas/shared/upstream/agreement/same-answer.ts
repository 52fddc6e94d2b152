import type { UpstreamResponse } from '../../jsonrpc/calls.ts';

/** Members of an answer, or of each element of a list of answers, that the chain fixes. */
type Fixed =
  /** The whole of it: a quantity, or bytes. */
  | 'value'
  /** Members of an object. */
  | readonly string[];

const LOG = ['address', 'topics', 'data', 'logIndex', 'blockHash'] as const;
const RECEIPT = ['transactionHash', 'blockHash', 'status', 'gasUsed', 'logs'] as const;
const TRANSACTION = ['hash', 'blockHash', 'transactionIndex'] as const;
const BLOCK = ['hash'] as const;

/** What the chain fixes of the answers to a method. Of others nodes may tell different things, all of them true. */
const FIXED: ReadonlyMap<string, Fixed> = new Map<string, Fixed>([
  ['eth_getBlockByHash', BLOCK],
  ['eth_getBlockByNumber', BLOCK],
  ['eth_getHeaderByHash', BLOCK],
  ['eth_getHeaderByNumber', BLOCK],
  ['eth_getUncleByBlockHashAndIndex', BLOCK],
  ['eth_getUncleByBlockNumberAndIndex', BLOCK],
  ['eth_getTransactionByBlockHashAndIndex', TRANSACTION],
  ['eth_getTransactionByBlockNumberAndIndex', TRANSACTION],
  ['eth_getTransactionByHash', TRANSACTION],
  ['eth_getBlockReceipts', RECEIPT],
  ['eth_getTransactionReceipt', RECEIPT],
  ['eth_getLogs', LOG],
  ['eth_call', 'value'],
  ['eth_getBalance', 'value'],
  ['eth_getBlockTransactionCountByHash', 'value'],
  ['eth_getBlockTransactionCountByNumber', 'value'],
  ['eth_getCode', 'value'],
  ['eth_getRawTransactionByBlockHashAndIndex', 'value'],
  ['eth_getRawTransactionByBlockNumberAndIndex', 'value'],
  ['eth_getRawTransactionByHash', 'value'],
  ['eth_getStorageAt', 'value'],
  ['eth_getTransactionCount', 'value'],
  ['eth_getUncleCountByBlockHash', 'value'],
  ['eth_getUncleCountByBlockNumber', 'value'],
]);
/** Values and members that are numbers: some nodes write zeros before them. */
const QUANTITIES: ReadonlySet<string> = new Set([
  'logIndex',
  'transactionIndex',
  'status',
  'gasUsed',
  'eth_getBalance',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getStorageAt',
  'eth_getTransactionCount',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleCountByBlockNumber',
]);
const HEX = /^0x[0-9a-f]+$/i;
/** Of a revert: alone, or behind a word. */
const REVERT_DATA = /0x[0-9a-f]*$/i;

/** Whether two nodes that tell the truth must give the same answer to a method. */
export function isComparable(method: string): boolean {
  return FIXED.has(method);
}

/** Whether two answers to a call are the same in all that the chain fixes. Of errors that is the data of a revert. */
export function sameAnswer(method: string, one: UpstreamResponse, other: UpstreamResponse): boolean {
  if (one.kind === 'error' && other.kind === 'error')
    return revertData(one.error) === revertData(other.error);
  if (one.kind !== 'result' || other.kind !== 'result') return false;
  if (Buffer.compare(one.result, other.result) === 0) return true;
  return fixedText(method, one.result) === fixedText(method, other.result);
}

function fixedText(method: string, result: Uint8Array): string {
  const fixed = FIXED.get(method) ?? 'value';
  return JSON.stringify(fixedPart(parse(result), fixed, method));
}

function fixedPart(value: unknown, fixed: Fixed, name: string): unknown {
  if (Array.isArray(value)) return value.map((element) => fixedPart(element, fixed, name));
  if (fixed === 'value' || typeof value !== 'object' || value === null) return plain(value, name);
  const members = value as Readonly<Record<string, unknown>>;
  return fixed.map((member) =>
    member === 'logs' ? fixedPart(members[member], LOG, member) : plain(members[member], member),
  );
}

/** A value in one spelling; a list element by element. */
function plain(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((element) => plain(element, name));
  if (typeof value !== 'string') return value ?? null;
  return QUANTITIES.has(name) && HEX.test(value) ? BigInt(value).toString() : value.toLowerCase();
}

function revertData(error: Uint8Array): string | undefined {
  const { data } = parse(error) as { readonly data?: unknown };
  const inner = typeof data === 'object' && data !== null ? (data as { readonly data?: unknown }).data : data;
  return typeof inner === 'string' ? REVERT_DATA.exec(inner)?.[0].toLowerCase() : undefined;
}

function parse(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.length).toString());
}
