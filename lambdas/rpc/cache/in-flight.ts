import type { Call, UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import type { Clock } from '../../shared/runtime/clock.ts';

/**
 * How long after a call was sent an equal one may still wait for its response, in milliseconds. It bounds how old a
 * response can be, and how many requests one node that hangs can hold up.
 */
export const SHARING_MS = 1_000;

/** A call to be sent. Calls with equal keys may share a response; one without a key shares none. */
export interface Sendable {
  readonly call: Call;
  readonly key: string | undefined;
}

/** A call with its response, and whether this very call was sent for it. */
export interface CoalescedResponse {
  readonly call: Call;
  readonly response: UpstreamResponse;
  readonly sent: boolean;
}

interface Flight {
  readonly startedAt: number;
  readonly response: Promise<UpstreamResponse>;
}

/** The calls of this instance that wait for a response: an equal one joins them instead of being sent. */
export class InFlightCalls {
  readonly #flights = new Map<string, Flight>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Answers calls in their order. `send` is given those that have to be sent, and not called if there are none. */
  async send(
    calls: readonly Sendable[],
    send: (calls: readonly Call[]) => Promise<readonly UpstreamResponse[]>,
  ): Promise<readonly CoalescedResponse[]> {
    const leading: Call[] = [];
    const batch = Promise.withResolvers<readonly UpstreamResponse[]>();
    const lead = (call: Call) => {
      const position = leading.push(call) - 1;
      return batch.promise.then((responses) => responses[position] as UpstreamResponse);
    };
    const shared = calls.map(async ({ call, key }): Promise<CoalescedResponse> => {
      if (key === undefined) return { call, response: await lead(call), sent: true };
      const other = this.#joinable(key);
      if (other !== undefined) return { call, response: await other.response, sent: false };
      return { call, response: await this.#track(key, lead(call)), sent: true };
    });
    if (leading.length > 0) send(leading).then(batch.resolve, batch.reject);
    return Promise.all(shared);
  }

  #joinable(key: string): Flight | undefined {
    const flight = this.#flights.get(key);
    return flight !== undefined && this.#clock.now() - flight.startedAt <= SHARING_MS ? flight : undefined;
  }

  async #track(key: string, response: Promise<UpstreamResponse>): Promise<UpstreamResponse> {
    const flight = { startedAt: this.#clock.now(), response };
    this.#flights.set(key, flight);
    try {
      return await response;
    } finally {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    }
  }
}
