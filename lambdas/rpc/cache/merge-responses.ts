import { isKept } from '../../shared/jsonrpc/calls.ts';
import type { AnsweredCall } from '../outcome/call-outcome.ts';
import { limitOutcomes } from '../outcome/limit-outcomes.ts';
import type { CoalescedResponse } from './in-flight.ts';
import type { LookUp } from './look-up.ts';

/** Found and sent responses in the order of the calls; together they are no larger than what a node may send. */
export function mergeResponses(
  lookUps: readonly LookUp[],
  found: ReadonlyMap<string, Uint8Array>,
  sent: readonly CoalescedResponse[],
  maxBytes: number,
): readonly AnsweredCall[] {
  let next = 0;
  const merged = lookUps.map(({ call, key }): AnsweredCall => {
    const result = key === undefined ? undefined : found.get(key);
    if (result !== undefined) return { call, response: { kind: 'result', result }, cached: true };
    const { response, sent: own } = sent[next++] as CoalescedResponse;
    return { call, response, cached: !own || isKept(response) };
  });
  return limitOutcomes(merged, maxBytes);
}
