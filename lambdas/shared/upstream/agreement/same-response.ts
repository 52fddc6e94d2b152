import type { UpstreamResponse } from '../../jsonrpc/calls.ts';
import { jsonOf } from '../../jsonrpc/json-values.ts';
import { methodFacts } from '../../methods/method-facts.ts';
import { fixedText, isSameText } from './fixed-parts.ts';

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
  const { fixed = 'bytes' } = methodFacts(method);
  return isSameText(fixedText(one.result, fixed), fixedText(other.result, fixed));
}

function revertData(error: Uint8Array): string | undefined {
  const { data } = JSON.parse(jsonOf(error)) as { readonly data?: unknown };
  const inner = typeof data === 'object' && data !== null ? (data as { readonly data?: unknown }).data : data;
  return typeof inner === 'string' ? REVERT_DATA.exec(inner)?.[0].toLowerCase() : undefined;
}
