import type { Meter } from 'gateway-access';

/** Knows for which requests a charge has begun: nobody can say of them any more that nothing is billed. */
export class BegunCharges {
  readonly #requests = new WeakSet<object>();

  /** The meter of one request. */
  meterOf(request: object, meter: Pick<Meter, 'admit' | 'charge'>): Pick<Meter, 'admit' | 'charge'> {
    return {
      admit: meter.admit,
      charge: (...charge) => {
        this.#requests.add(request);
        return meter.charge(...charge);
      },
    };
  }

  has(request: object): boolean {
    return this.#requests.has(request);
  }
}
