import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { jsonOf } from '../../jsonrpc/json-values.ts';
import { methodFacts } from '../../methods/method-facts.ts';
import { LOGS_METHOD } from '../../methods/method-table.ts';
import { fixedText, isSameText } from './fixed-parts.ts';

/** Of a revert: alone, or behind a word. */
const REVERT_DATA = /0x[0-9a-f]*$/i;
/** Strings that every node reads alike. */
const PLAIN = /^(?:0x[0-9a-f]{1,64}|latest|safe|finalized|earliest)$/i;
const FILTER_MEMBERS: ReadonlySet<string> = new Set([
  'fromBlock',
  'toBlock',
  'blockHash',
  'address',
  'topics',
]);
const BLOCK_MEMBERS: ReadonlySet<string> = new Set(['blockNumber', 'blockHash', 'requireCanonical']);
const WHITE_SPACE = /\s/g;

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
  const { fixed = 'bytes' } = methodFacts(method);
  return isSameText(fixedText(one.result, fixed), fixedText(other.result, fixed));
}

function revertData(error: Uint8Array): string | undefined {
  const { data } = JSON.parse(jsonOf(error)) as { readonly data?: unknown };
  const inner = typeof data === 'object' && data !== null ? (data as { readonly data?: unknown }).data : data;
  return typeof inner === 'string' ? REVERT_DATA.exec(inner)?.[0].toLowerCase() : undefined;
}

/**
 * Whether different results of a method say that a node is wrong. Those of executions do not: a contract can return the gas that
 * is left, of which each node has its own idea.
 */
export function isEvidence(method: string): boolean {
  return isComparable(method) && methodFacts(method).class !== 'execution';
}

/**
 * Whether different responses to a call say so of a node, and not of the client: both are results, of a call that all software
 * reads alike. Errors are words about the call.
 */
export function tellsOfNodes(call: Call, responses: readonly UpstreamResponse[]): boolean {
  return isEvidence(call.method) && responses.every(({ kind }) => kind === 'result') && isPlain(call);
}

/** Whether a call is spelled as the standard has it, no member twice, none besides, and no list that is empty. */
function isPlain({ method, params }: Call): boolean {
  if (params === undefined) return true;
  const text = jsonOf(params);
  const values: unknown = JSON.parse(text);
  // A member that is there twice is not there twice any more.
  if (JSON.stringify(values) !== text.replace(WHITE_SPACE, '') || !Array.isArray(values)) return false;
  const members = method === LOGS_METHOD ? FILTER_MEMBERS : BLOCK_MEMBERS;
  return values.every((value) => isPlainValue(value, members));
}

function isPlainValue(value: unknown, members: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return PLAIN.test(value);
  if (typeof value !== 'object' || value === null) return typeof value === 'boolean';
  return Object.entries(value).every(
    ([name, member]) => members.has(name) && (member === null || isPlainMember(member)),
  );
}

/** Of a filter also addresses, and topics: each one, several, or null for any. */
function isPlainMember(member: unknown): boolean {
  if (!Array.isArray(member)) return isPlainValue(member, new Set());
  return member.length > 0 && member.every((one) => one === null || isPlainMember(one));
}
