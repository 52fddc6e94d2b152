import type { Entry, KeyBounds } from './key-bounds.ts';
import type { RefusalReason } from './refusals.ts';

/** The holder of a request, once its key is known to be active. */
export interface KeyHolder {
  /** SHA-256 of the key, in hex: the key itself is nowhere stored. */
  readonly keyId: string;
  readonly account: string;
  /** Absent: the key has none. */
  readonly bounds?: KeyBounds;
  /** Address that the request comes from, of a key with bounds. Absent: not known. */
  readonly address?: string | undefined;
}

/** State of one limit right after a decision, for `RateLimit` headers. */
export interface LimitState {
  /** `cu` counts compute units, `rps` HTTP requests, `key-day` the compute units of the key's day. */
  readonly name: 'cu' | 'rps' | 'key-day';
  /** Quota: the CU or requests in a full bucket. */
  readonly quota: number;
  /** Seconds in which an empty bucket fills, at least 1. */
  readonly windowSeconds: number;
  /** What the bucket holds now, rounded down. */
  readonly remaining: number;
  /** Seconds until the bucket is full again (0: it is full). */
  readonly resetSeconds: number;
}

/** Why a request may not go on. */
export type MeterRefusal =
  /** Disabled since it was authenticated: answered like an unknown key. */
  | { readonly reason: 'key_unknown' }
  | { readonly reason: 'insufficient_balance'; readonly balanceCu: bigint }
  | {
      readonly reason: 'rate_limited';
      readonly limit: 'cu' | 'rps';
      /** Milliseconds after which the same request fits, rounded up. */
      readonly retryAfterMs: number;
      readonly limits: readonly LimitState[];
    }
  /** The key has drawn what it may in a day, or would with this request. */
  | {
      readonly reason: 'key_daily_limit';
      /** When the next day begins, in milliseconds since the epoch. */
      readonly resetsAtMs: number;
      readonly limits: readonly LimitState[];
    }
  /** Can never pass on this plan. */
  | { readonly reason: 'cost_exceeds_burst'; readonly cost: number; readonly capacity: number }
  | { readonly reason: 'billing_unavailable' };

export type Admission =
  | {
      readonly admitted: true;
      /** Balance before this request's charge, as far as this instance knows: an estimate. */
      readonly balanceCu: bigint;
      readonly limits: readonly LimitState[];
    }
  | { readonly admitted: false; readonly refusal: MeterRefusal };

/**
 * The outcome of a charge. In each case it is part of its lane's total from now on, and so of every later write of the
 * lane.
 *
 * - `stored`: the lane has it.
 * - `grouped`: the lane was stored less than a second ago; a later request of this instance stores it.
 * - `queued`: the store did not take it; the queue's consumer will store it.
 * - `unstored`: neither took it; a later request of this instance stores it.
 */
export type ChargeOutcome = 'stored' | 'grouped' | 'queued' | 'unstored';

/** A charge that is part of its lane's total, in memory: that is still to be stored. */
export interface Charge {
  /**
   * What the lane has come to with it, as `<hour>/<lane>;n=<charges>;total=<compute units>`: the total of *n* less that of
   * *n* - 1 is what was charged. Undefined: nothing was, for a defect.
   */
  readonly lane: string | undefined;
  /** Stores it, after the response or before. To be called once. Never rejects. */
  store(): Promise<ChargeOutcome>;
}

/** The price of a request as the limits see it. */
export interface Price {
  /** Sum of the weights of the calls to be sent, in compute units; at least 1. */
  readonly cu: number;
}

/** What a charge pays for, of one chain and method. */
export interface MethodUsage {
  /** `*` for usage that belongs to no chain, or to several. */
  readonly chain: string;
  /** `*20` stands for all that cost 20 CU a call and are not counted by name. */
  readonly method: string;
  /** Calls that were billed, those below included. */
  readonly calls: number;
  /** Compute units that they were billed: (calls - cached) x price + cached. */
  readonly cu: number;
  /** Calls that were answered from the cache. */
  readonly cached: number;
  /** Calls that the node answered with an error. */
  readonly errors: number;
}

/** Authentication and metering, as the keyed functions use them. */
export interface Meter {
  /**
   * Resolves a presented key to its holder; undefined for a missing, malformed, unknown or disabled one, and for one that
   * is bound to other interfaces, addresses or times.
   * Rejects with `StoreUnavailableError` when the store does not say.
   * `entry`: absent, neither interface nor address is known.
   */
  authenticate(presentedKey: string | undefined, entry?: Entry): Promise<KeyHolder | undefined>;
  /**
   * Whether a key that was authenticated is still active, by a look that is at most a second old. To be asked before
   * a request is refused without {@link Meter.admit}, so that a disabled key looks like an unknown one. Never rejects.
   */
  isActive(holder: KeyHolder): Promise<boolean>;
  /**
   * Whether {@link Meter.admit} is expected to admit: then the node may be asked meanwhile. At most one request of an
   * instance and key is wrongly expected for each time that the bucket runs empty.
   */
  expectsAdmission(holder: KeyHolder, price: Price): boolean;
  /**
   * The balance in compute units if it is used up, by the look that admission takes; undefined if it is not, or if the
   * store does not say. Draws nothing. To be asked before a request is refused for what depends on a chain. Never rejects.
   */
  usedUpBalance(holder: KeyHolder): Promise<bigint | undefined>;
  /** Checks balance and limits and deducts the price from the bucket. Never rejects. */
  admit(holder: KeyHolder, price: Price): Promise<Admission>;
  /**
   * Charges compute units for the node's responses (or a cached one), once. Never throws.
   * `cu`: at least 1, the sum of the usage.
   * `hour`: that whose prices were taken. @default the one that it is
   */
  charge(holder: KeyHolder, cu: number, usage: readonly MethodUsage[], hour?: string): Charge;
  /**
   * Counts, for the key's owner, a request or call that its bounds refuse after {@link Meter.authenticate}. What
   * `authenticate` and `admit` refuse for them is counted by those.
   */
  noteRefusal(holder: KeyHolder, reason: RefusalReason): void;
  /** Stores earlier charges of this instance that are unstored and may not wait any longer, and refusals. Never rejects. */
  storeDue(): Promise<void>;
}
