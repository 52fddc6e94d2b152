import type { MethodUsage } from 'gateway-access';
import type { Call, RefusedCall, UpstreamResponse } from '../../shared/jsonrpc/calls.ts';

/** A call that the gateway refused: it was not sent and costs nothing. */
export interface RefusedOutcome {
  readonly refused: RefusedCall;
}

/** A call that may be sent to the node, or why it may not. */
export type ScreenedCall = { readonly call: Call } | RefusedOutcome;

/** A call with its response. */
export interface AnsweredCall {
  readonly call: Call;
  readonly response: UpstreamResponse;
  /** Whether the response came without a call of its own to the node: from the cache, or shared with an equal call. */
  readonly cached: boolean;
}

/** An answered call with its bill; `usage` is undefined if it is not billed. */
interface BilledCall extends AnsweredCall {
  readonly usage: MethodUsage | undefined;
}

/** What became of a call of an admitted request. */
export type CallOutcome = AnsweredCall | RefusedOutcome;

/** The same, with the bill. */
export type BilledOutcome = BilledCall | RefusedOutcome;

/** Outcomes in the order of the request. `answered`: one for each call that was not refused, in their order. */
export function outcomesOf(
  screened: readonly ScreenedCall[],
  answered: readonly AnsweredCall[],
): readonly CallOutcome[] {
  const next = answered.values();
  return screened.flatMap((one): readonly CallOutcome[] => {
    if ('refused' in one) return [one];
    const { value } = next.next();
    return value === undefined ? [] : [value];
  });
}
