import type { UpstreamResponse } from '../../jsonrpc/calls.ts';
import { methodFacts } from '../../methods/method-facts.ts';
import type { FixedPart } from '../../methods/method-table.ts';

/** Members by which an object is told from any other. */
const MEMBERS = {
  block: ['hash'],
  transaction: ['hash', 'blockHash', 'transactionIndex'],
  receipt: ['transactionHash', 'blockHash', 'status', 'gasUsed', 'logs'],
  log: ['address', 'topics', 'data', 'logIndex', 'blockHash'],
} as const satisfies Partial<Record<FixedPart, readonly string[]>>;
/** Members that are numbers: some nodes write zeros before them. */
const QUANTITIES: ReadonlySet<string> = new Set(['logIndex', 'transactionIndex', 'status', 'gasUsed']);
const HEX = /^0x[0-9a-f]+$/i;
/** Of a revert: alone, or behind a word. */
const REVERT_DATA = /0x[0-9a-f]*$/i;

/** Whether two nodes that tell the truth must give the same response to a method. */
export function isComparable(method: string): boolean {
  return methodFacts(method).fixed !== undefined;
}

/** Whether two responses to a call are the same in all that the chain fixes. Of errors that is the data of a revert. */
export function sameResponse(method: string, one: UpstreamResponse, other: UpstreamResponse): boolean {
  if (one.kind === 'error' && other.kind === 'error')
    return revertData(one.error) === revertData(other.error);
  if (one.kind !== 'result' || other.kind !== 'result') return false;
  if (Buffer.compare(one.result, other.result) === 0) return true;
  return fixedText(method, one.result) === fixedText(method, other.result);
}

function fixedText(method: string, result: Uint8Array): string {
  return JSON.stringify(fixedPart(parse(result), methodFacts(method).fixed ?? 'bytes'));
}

function fixedPart(value: unknown, fixed: FixedPart): unknown {
  if (Array.isArray(value)) return value.map((element) => fixedPart(element, fixed));
  if (fixed === 'bytes' || fixed === 'quantity' || typeof value !== 'object' || value === null)
    return plain(value, fixed === 'quantity');
  const members = value as Readonly<Record<string, unknown>>;
  return MEMBERS[fixed].map((member) =>
    member === 'logs' ? fixedPart(members[member], 'log') : plain(members[member], QUANTITIES.has(member)),
  );
}

/** A value in one spelling; a list element by element. */
function plain(value: unknown, isQuantity: boolean): unknown {
  if (Array.isArray(value)) return value.map((element) => plain(element, isQuantity));
  if (typeof value !== 'string') return value ?? null;
  return isQuantity && HEX.test(value) ? BigInt(value).toString() : value.toLowerCase();
}

function revertData(error: Uint8Array): string | undefined {
  const { data } = parse(error) as { readonly data?: unknown };
  const inner = typeof data === 'object' && data !== null ? (data as { readonly data?: unknown }).data : data;
  return typeof inner === 'string' ? REVERT_DATA.exec(inner)?.[0].toLowerCase() : undefined;
}

function parse(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.length).toString());
}
