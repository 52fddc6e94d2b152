import type { Call, UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import type { Clock } from '../../shared/runtime/clock.ts';

/**
 * How long after a call was sent an equal one may still wait for its response, in milliseconds. It bounds how old a
 * response can be, and how many requests one node that hangs can hold up.
 */
export const SHARING_MS = 1_000;

/** A call to be sent. Calls with equal keys may share a response; one without a key shares none. */
interface Sendable {
  readonly call: Call;
  readonly key: string | undefined;
}

/** A call with its response, and whether this very call was sent for it. */
export interface CoalescedResponse {
  readonly call: Call;
  readonly response: UpstreamResponse;
  readonly sent: boolean;
}

/** Calls that are sent together. */
interface Batch {
  readonly calls: Call[];
  readonly startedAt: number;
  /** Responses in the order of the calls; absent until they are sent, which is in the same turn. */
  responses?: Promise<readonly UpstreamResponse[]>;
}

/** A call on its way. */
interface Flight {
  readonly batch: Batch;
  readonly position: number;
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
    const own: Batch = { calls: [], startedAt: this.#clock.now() };
    const flights = calls.map((one) => this.#board(one, own));
    let ownResponses: readonly UpstreamResponse[] = [];
    try {
      if (own.calls.length > 0) {
        own.responses = send(own.calls);
        ownResponses = await own.responses;
      }
    } finally {
      for (const { key } of calls)
        if (key !== undefined && this.#flights.get(key)?.batch === own) this.#flights.delete(key);
    }
    const answered: CoalescedResponse[] = [];
    for (const { call } of calls) {
      const { batch, position } = flights[answered.length] as Flight;
      const responses = batch === own ? ownResponses : await batch.responses;
      const sent = batch === own && own.calls[position] === call;
      answered.push({ call, response: responses?.[position] as UpstreamResponse, sent });
    }
    return answered;
  }

  /** The flight that a call joins, or its own. */
  #board({ call, key }: Sendable, own: Batch): Flight {
    const other = key === undefined ? undefined : this.#flights.get(key);
    if (other !== undefined && own.startedAt - other.batch.startedAt <= SHARING_MS) return other;
    const flight = { batch: own, position: own.calls.push(call) - 1 };
    if (key !== undefined) this.#flights.set(key, flight);
    return flight;
  }
}
