import { type KeyHolder, type Meter, type MethodUsage, type Price, pricedName } from 'gateway-access';
import type { Call, UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import { messageOf, SERVER_ERROR_CODE, saysHistoricalStateGone } from '../../shared/jsonrpc/error-message.ts';
import { isKnownMethod, weightOf } from '../../shared/methods/method-facts.ts';
import { CACHED_CU } from '../../shared/methods/method-table.ts';
import type { PayAgain } from '../../shared/upstream/routing/serve-calls.ts';
import type { AnsweredCall, BilledOutcome, CallOutcome } from '../outcome/call-outcome.ts';

/** The draws of one request from its key's bucket: its price on arrival, and the price of every call sent again. */
export class BucketDraws {
  readonly #meter: Pick<Meter, 'admit'>;
  readonly #holder: KeyHolder;
  readonly #cuOf: typeof weightOf;
  #cu: number;

  /** `price`: CU drawn on arrival. `cuOf`: what it was worked out by. */
  constructor(meter: Pick<Meter, 'admit'>, holder: KeyHolder, price: Price, cuOf = weightOf) {
    this.#meter = meter;
    this.#holder = holder;
    this.#cuOf = cuOf;
    this.#cu = price.cu;
  }

  /** All that was drawn, in compute units. */
  get cu(): number {
    return this.#cu;
  }

  /** Draws the price of calls once more, as a request of their own would. */
  readonly payAgain: PayAgain = async (calls) => {
    const price = priceCalls(calls, this.#cuOf);
    const { admitted } = await this.#meter.admit(this.#holder, price);
    if (admitted) this.#cu += price.cu;
    return admitted;
  };
}

/** Codes of node errors that are never billed. */
const UNBILLED_CODES: ReadonlySet<number> = new Set([4444, -32002, -32003, -32600]);

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

/** Compute units that the response of a call of this weight is billed: nothing unless the node has answered. */
export function billedCu(response: UpstreamResponse, weight: number): number {
  switch (response.kind) {
    case 'result':
      return weight;
    case 'error':
      return isUnbilledError(response) ? 0 : weight;
    case 'failed':
      return 0;
  }
}

/** By the table of errors: whichever node wrote the message, and whatever stands around the words. */
function isUnbilledError(response: Extract<UpstreamResponse, { kind: 'error' }>): boolean {
  const { code } = response;
  if (code !== SERVER_ERROR_CODE) return UNBILLED_CODES.has(code);
  return saysHistoricalStateGone(messageOf(response));
}

/** What the calls of a request cost: the sum of their weights. */
export function priceCalls(calls: readonly Pick<Call, 'method'>[], cuOf = weightOf): Price {
  return { cu: calls.reduce((cu, { method }) => cu + cuOf(method), 0) };
}
