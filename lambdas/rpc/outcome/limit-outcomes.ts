import type { UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import { failed } from '../../shared/jsonrpc/match-responses.ts';
import { limitBytes } from '../../shared/upstream/routing/response-budget.ts';
import type { AnsweredCall, CallOutcome } from './call-outcome.ts';

/** Leaves out the largest results if all together have more than `maxBytes`. What is left out does not count as cached. */
export function limitOutcomes<T extends CallOutcome>(
  outcomes: readonly T[],
  maxBytes: number,
): readonly (T | AnsweredCall)[] {
  const responses = outcomes.map(
    (one): UpstreamResponse =>
      'refused' in one ? { kind: 'failed', error: one.refused.error } : one.response,
  );
  const limited = limitBytes(responses, maxBytes);
  if (limited === responses) return outcomes;
  return outcomes.map((one, place) => (limited[place] === responses[place] ? one : leaveOut(one)));
}

/** The outcome without its result, which is too large. */
export function leaveOut<T extends CallOutcome>(outcome: T): T | AnsweredCall {
  if ('refused' in outcome) return outcome;
  return { call: outcome.call, response: failed('upstream_response_too_large'), cached: false };
}
