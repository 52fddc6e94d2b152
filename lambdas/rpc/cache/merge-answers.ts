import { isKept, type UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import { limitBytes } from '../../shared/upstream/routing/response-budget.ts';
import type { CoalescedResponse } from './in-flight.ts';
import type { LookUp } from './look-up.ts';

/**
 * The response to a call, and whether it came without an own call to the node: from the cache, or shared with an equal
 * call.
 */
export interface AnsweredCall {
  readonly answer: UpstreamResponse;
  readonly cached: boolean;
}

/** Found and sent answers in the order of the calls; together they are no larger than what a node may send. */
export function mergeAnswers(
  lookUps: readonly LookUp[],
  found: ReadonlyMap<string, Uint8Array>,
  sent: readonly CoalescedResponse[],
  maxBytes: number,
): readonly AnsweredCall[] {
  let next = 0;
  const merged = lookUps.map(({ key }): AnsweredCall => {
    const result = key === undefined ? undefined : found.get(key);
    if (result !== undefined) return { answer: { kind: 'result', result }, cached: true };
    const { answer, sent: own } = sent[next++] as CoalescedResponse;
    return { answer, cached: !own || isKept(answer) };
  });
  const limited = limitBytes(
    merged.map(({ answer }) => answer),
    maxBytes,
  );
  return limited.map((answer, index) => ({
    answer,
    cached: answer.kind !== 'failed' && merged[index]?.cached === true,
  }));
}
