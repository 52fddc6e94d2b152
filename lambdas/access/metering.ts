/** Who a request is from, once its key is known to be active. */
export interface KeyHolder {
  /** SHA-256 of the key, in hex: the key itself is nowhere stored. */
  readonly keyId: string;
  readonly account: string;
}

/** State of one limit right after a decision, for `RateLimit` headers. */
export interface LimitState {
  /** `cu` counts compute units, `rps` calls. */
  readonly name: 'cu' | 'rps';
  /** Quota: what a full bucket holds. */
  readonly quota: number;
  /** Seconds in which an empty bucket fills, at least 1. */
  readonly windowSeconds: number;
  /** What the bucket holds now, rounded down. */
  readonly remaining: number;
  /** Seconds until the bucket is full again (0: it is full). */
  readonly resetSeconds: number;
}

/** Why a request may not go on. */
export type Refusal =
  /** Disabled since it was authenticated: answered like an unknown key. */
  | { readonly reason: 'key_unknown' }
  | { readonly reason: 'insufficient_balance'; readonly balanceCu: bigint }
  | {
      readonly reason: 'rate_limited';
      readonly limit: 'cu' | 'rps';
      /**
       * Milliseconds after which the same request fits, rounded up; undefined if it never does (a batch of more
       * calls than `requestsPerSecond`).
       */
      readonly retryAfterMs: number | undefined;
      readonly limits: readonly LimitState[];
    }
  /** Can never pass on this plan. */
  | { readonly reason: 'cost_exceeds_burst'; readonly cost: number; readonly capacity: number }
  | { readonly reason: 'billing_unavailable' };

export type Admission =
  | {
      readonly admitted: true;
      /** Balance as read on arrival, before this request's charge. */
      readonly balanceCu: bigint;
      readonly limits: readonly LimitState[];
    }
  | { readonly admitted: false; readonly refusal: Refusal };

/**
 * What became of a charge. `charged` and `queued` are both final for the caller: a queued charge is applied
 * once by the queue's consumer. `lost` means that neither the store nor the queue took it in time: the client
 * keeps its answer and is not charged.
 */
export type ChargeOutcome =
  | { readonly state: 'charged'; readonly balanceCu: bigint | undefined }
  | { readonly state: 'queued' }
  | { readonly state: 'lost' };

/** The price of a request as the limits see it. */
export interface Price {
  /** Sum of the weights of the calls to be sent, in compute units; at least 1. */
  readonly cu: number;
  /** Number of calls to be sent. */
  readonly calls: number;
}

/** What a charge pays for, of one chain and method. */
export interface MethodUsage {
  /** `*` for what belongs to no chain. */
  readonly chain: string;
  /** `*` stands for methods that are not told apart. */
  readonly method: string;
  /** Calls that were billed, those below included. */
  readonly calls: number;
  /** Compute units that they were billed. */
  readonly cu: number;
  /** Calls that were answered from the cache. */
  readonly cached: number;
  /** Calls that the node answered with an error. */
  readonly errors: number;
}

/** Authentication and metering, as the keyed functions use them. */
export interface Meter {
  /**
   * Resolves a presented key to its holder; undefined for a missing, malformed, unknown or disabled one.
   * Rejects with `StoreUnavailableError` when the store does not say.
   */
  authenticate(presentedKey: string | undefined): Promise<KeyHolder | undefined>;
  /** Checks balance and limits and deducts the price from the bucket. Never rejects. */
  admit(holder: KeyHolder, price: Price): Promise<Admission>;
  /**
   * Charges compute units that the node has earned (or a cached answer), once. Never rejects. `cu` >= 1, and is what
   * the usage adds up to.
   */
  charge(holder: KeyHolder, cu: number, usage: readonly MethodUsage[]): Promise<ChargeOutcome>;
}
