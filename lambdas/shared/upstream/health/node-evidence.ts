import type { Clock } from '../../runtime/clock.ts';
import { LruMap } from '../../runtime/lru-map.ts';

/** Refusals of different accounts within this time are one matter, in milliseconds. */
const WITHIN_MS = 60_000;
/** Least time between two questions that refusals lead to, in milliseconds. */
const QUESTION_INTERVAL_MS = 1_000;
/** Refusals that are remembered of one node. */
const MAX_REFUSALS = 256;

interface Refused {
  readonly account: string;
  /** When that account was refused last, in milliseconds since the epoch. */
  readonly at: number;
  /** When another account was; undefined if none was. */
  readonly otherAt: number | undefined;
}

/**
 * Whether a node's refusals say something of the node. What it refuses to one account, that account's calls can be to blame
 * for: nobody is to lose a node by them. It counts once the gateway's own question fails, or a second account is refused alike.
 */
export class NodeEvidence {
  readonly #clock: Clock;
  readonly #refusals = new LruMap<Refused>(MAX_REFUSALS);
  #fails = false;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the gateway should ask by itself now: at most once a second, whatever clients bring about. */
  isDue(): boolean {
    const now = this.#clock.now();
    if (now - this.#askedAt < QUESTION_INTERVAL_MS) return false;
    this.#askedAt = now;
    return true;
  }

  /** Notes whether the node answered a question of the gateway's own. */
  asked(isAnswered: boolean): void {
    this.#fails = !isAnswered;
  }

  /** Counts a refusal to an account, and tells whether it counts against the node. `account`: absent for the gateway's own. */
  counts(refusal: string, account: string | undefined): boolean {
    if (account === undefined) return true;
    const now = this.#clock.now();
    const before = this.#refusals.get(refusal);
    const otherAt = before === undefined || before.account === account ? before?.otherAt : before.at;
    this.#refusals.set(refusal, { account, at: now, otherAt });
    return this.#fails || (otherAt !== undefined && now - otherAt <= WITHIN_MS);
  }
}
