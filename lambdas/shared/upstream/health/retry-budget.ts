/** Attempts that are kept for upstreams that fail: neither a hedge nor a search for missing data may use them. */
export const RESERVED_FOR_FAILURES = 50;

/** What a budget of attempts earns and holds. */
interface BudgetTerms {
  /** Further attempts that each call earns. */
  readonly perCall: number;
  /** Attempts that there are to begin with. */
  readonly first: number;
  /** Most attempts that are saved up. */
  readonly most: number;
}

/** Of a chain, over all keys. To begin with there are the attempts of a whole batch. */
const OF_CHAIN: BudgetTerms = { perCall: 0.18, first: 100, most: 1_000 };
/** Of one key, for questions that its calls bring about and that find nothing. */
export const OF_KEY: BudgetTerms = { perCall: 0.1, first: 20, most: 100 };

/**
 * Bounds all attempts beyond the first at each call, for any reason. The first n calls of an instance have at most 0.18
 * n + 100 further attempts, any n calls in a row 0.18 n + 1,000: at most 1.2 attempts a call over the first 5,000, or
 * any 50,000.
 */
export class RetryBudget {
  readonly #terms: BudgetTerms;
  #attempts: number;

  constructor(terms: BudgetTerms = OF_CHAIN) {
    this.#terms = terms;
    this.#attempts = terms.first;
  }

  /** Counts calls that are sent for the first time. */
  earn(calls: number): void {
    const { most, perCall } = this.#terms;
    this.#attempts = Math.min(most, this.#attempts + calls * perCall);
  }

  /** Takes attempts, unless that would leave less than `reserve`. */
  take(attempts: number, reserve = 0): boolean {
    if (this.#attempts - reserve < attempts) return false;
    this.#attempts -= attempts;
    return true;
  }

  /** Whether an attempt is left beside so many. */
  hasOne(reserve = 0): boolean {
    return this.#attempts - reserve >= 1;
  }

  /** Takes attempts that were made already; what is missing is earned before there is another. */
  owe(attempts: number): void {
    this.#attempts -= attempts;
  }
}
