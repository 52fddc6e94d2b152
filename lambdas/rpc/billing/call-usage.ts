import { type MethodUsage, OTHER_METHOD } from 'gateway-access';
import type { Call, UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import { isKnownMethod, weightOf } from '../../shared/methods/method-facts.ts';
import { CACHED_CU } from '../../shared/methods/method-table.ts';
import { billedCu } from './billing.ts';

/**
 * What a call is billed for its answer, as a line of usage; undefined if it is not billed.
 * A method without a row in the table is counted as `OTHER_METHOD`: clients cannot fill an account's usage with made-up names.
 * `cached`: whether the answer came without a call of its own to the node.
 */
export function callUsage(
  chain: string,
  { method }: Pick<Call, 'method'>,
  answer: UpstreamResponse,
  cached = false,
): MethodUsage | undefined {
  const cu = billedCu(answer, cached ? CACHED_CU : weightOf(method));
  if (cu === 0) return undefined;
  return {
    chain,
    method: isKnownMethod(method) ? method : OTHER_METHOD,
    calls: 1,
    cu,
    cached: cached ? 1 : 0,
    errors: answer.kind === 'error' ? 1 : 0,
  };
}
