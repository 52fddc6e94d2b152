import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { type ChainHead, finalizedBlock } from '../chain-head.ts';

/**
 * Age at which the view is renewed, in milliseconds. A final block stays final: an old view keeps fewer answers, never
 * a wrong one.
 */
export const VIEW_MAX_AGE_MS = 10_000;

/** Longest time that a request waits for the view, in milliseconds: without it nothing is kept, and nothing is lost. */
const WAIT_MS = 500;

/** The finalized block of a chain, as far as the cache has to know it. */
export class FinalityView {
  readonly #head: ChainHead;
  readonly #clock: Clock;
  #finalized: bigint | undefined;
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
    // It goes back only where the head turns out never to have been true.
    if (head !== undefined) this.#finalized = finalizedBlock(head);
  }

  async #readHead(deadline: number): Promise<bigint | undefined> {
    const waiting = new AbortController();
    const waited = sleep(WAIT_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
    try {
      return await Promise.race([this.#head.read(deadline), waited]);
    } finally {
      waiting.abort();
    }
  }
}
