import type { KeyHolder, Meter, Price } from 'gateway-access';
import type { Call } from '../../shared/jsonrpc/calls.ts';
import { weightOf } from '../../shared/methods/method-facts.ts';
import type { PayAgain } from '../../shared/upstream/routing/serve-calls.ts';

/** The draws of one request from its key's bucket: its price on arrival, and the price of every call sent again. */
export class BucketDraws {
  readonly #meter: Pick<Meter, 'admit'>;
  readonly #holder: KeyHolder;
  #cu: number;

  /** `price`: CU drawn on arrival. */
  constructor(meter: Pick<Meter, 'admit'>, holder: KeyHolder, price: Price) {
    this.#meter = meter;
    this.#holder = holder;
    this.#cu = price.cu;
  }

  /** All that was drawn, in compute units. */
  get cu(): number {
    return this.#cu;
  }

  /** Draws the price of calls once more, as a request of their own would. */
  readonly payAgain: PayAgain = async (calls) => {
    const price = priceCalls(calls);
    const { admitted } = await this.#meter.admit(this.#holder, price);
    if (admitted) this.#cu += price.cu;
    return admitted;
  };
}

/** What the calls of a request cost: the sum of their weights. */
export function priceCalls(calls: readonly Pick<Call, 'method'>[], cuOf = weightOf): Price {
  return { cu: calls.reduce((cu, { method }) => cu + cuOf(method), 0) };
}
