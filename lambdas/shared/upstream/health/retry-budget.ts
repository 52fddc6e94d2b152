/** Further attempts that each call earns. */
const EARNED_PER_CALL = 0.18;
/** Attempts that there are to begin with: those of a whole batch. */
const FIRST_ATTEMPTS = 100;
/** Most attempts that are saved up. */
const CAPACITY = 1_000;
/** Attempts that are kept for upstreams that fail: neither a hedge nor a search for missing data may use them. */
export const RESERVED_FOR_FAILURES = 50;

/**
 * Bounds all attempts beyond the first at each call, for any reason. The first n calls of an instance have at most 0.18
 * n + 100 further attempts, any n calls in a row 0.18 n + 1,000: at most 1.2 attempts a call over the first 5,000, or
 * any 50,000.
 */
export class RetryBudget {
  #attempts = FIRST_ATTEMPTS;

  /** Counts calls that are sent for the first time. */
  earn(calls: number): void {
    this.#attempts = Math.min(CAPACITY, this.#attempts + calls * EARNED_PER_CALL);
  }

  /** Takes attempts, unless that would leave less than `reserve`. */
  take(attempts: number, reserve = 0): boolean {
    if (this.#attempts - reserve < attempts) return false;
    this.#attempts -= attempts;
    return true;
  }
}
