import { type MethodUsage, pricedName } from 'gateway-access';
import { isKnownMethod, weightOf } from '../../shared/methods/method-facts.ts';
import { CACHED_CU } from '../../shared/methods/method-table.ts';
import type { AnsweredCall, BilledOutcome, CallOutcome } from '../outcome/call-outcome.ts';
import { billedCu } from './billing.ts';

/** The outcomes with what each call is billed. */
export function billOutcomes(
  chain: string,
  outcomes: readonly CallOutcome[],
  cuOf = weightOf,
): readonly BilledOutcome[] {
  return outcomes.map((one) => ('refused' in one ? one : { ...one, usage: callUsage(chain, one, cuOf) }));
}

/**
 * What a call is billed for its response, as a line of usage; undefined if it is not billed. A method without a row in the
 * table is counted by its price: clients cannot fill an account's usage with made-up names.
 */
export function callUsage(
  chain: string,
  { call: { method }, response, cached }: AnsweredCall,
  cuOf = weightOf,
): MethodUsage | undefined {
  const weight = cuOf(method);
  const cu = billedCu(response, cached ? CACHED_CU : weight);
  if (cu === 0) return undefined;
  return {
    chain,
    method: isKnownMethod(method) ? method : pricedName(weight),
    calls: 1,
    cu,
    cached: cached ? 1 : 0,
    errors: response.kind === 'error' ? 1 : 0,
  };
}
