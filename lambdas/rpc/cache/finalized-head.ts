import type { Clock } from '../../shared/runtime/clock.ts';
import { sleep } from '../../shared/runtime/sleep.ts';
import { type ChainHead, finalizedBlock } from '../../shared/upstream/routing/head-tracker.ts';

/** Age at which the view is renewed, in milliseconds. An old view keeps fewer answers, never a wrong one. */
export const VIEW_MAX_AGE_MS = 10_000;

/** Longest time that a request waits for the view, in milliseconds: without it nothing is kept, and nothing is lost. */
const WAIT_MS = 500;

/** The finalized block of a chain, as far as the cache has to know it. */
export class FinalizedHead {
  readonly #head: ChainHead;
  readonly #clock: Clock;
  #finalized: bigint | undefined;
  /** The highest block that was ever taken for final. */
  #highest: bigint | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(head: ChainHead, clock: Clock) {
    this.#head = head;
    this.#clock = clock;
  }

  /** The newest block that is certainly final, or undefined while none is known to be. */
  get finalized(): bigint | undefined {
    return this.#finalized;
  }

  /** Renews a view that has come of age. `deadline`: of the request, in milliseconds since the epoch. */
  async renew(deadline: number): Promise<void> {
    const now = this.#clock.now();
    if (now - this.#askedAt < VIEW_MAX_AGE_MS) return;
    this.#askedAt = now;
    const head = await this.#readHead(deadline);
    if (head === undefined) return;
    this.#finalized = finalizedBlock(head);
    if (this.#highest === undefined || this.#finalized > this.#highest) this.#highest = this.#finalized;
  }

  /** Whether the chain went back below a finalized block: cached results about it may be obsolete. */
  get hasVanished(): boolean {
    const head = this.#head.known;
    return head !== undefined && this.#highest !== undefined && head < this.#highest;
  }

  /** Forgets what was final: the view is renewed when it is next needed. */
  forget(): void {
    this.#finalized = undefined;
    this.#highest = undefined;
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  async #readHead(deadline: number): Promise<bigint | undefined> {
    const waiting = new AbortController();
    const waited = sleep(WAIT_MS, waiting.signal).then(() => undefined);
    try {
      return await Promise.race([this.#head.readMajority(deadline), waited]);
    } finally {
      waiting.abort('read');
    }
  }
}
