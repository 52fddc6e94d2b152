import type { Clock } from '../../shared/runtime/clock.ts';
import { errorField, log } from '../../shared/runtime/log.ts';
import { sleep } from '../../shared/runtime/sleep.ts';
import type { ChainHead } from '../../shared/upstream/routing/head-tracker.ts';

/** Age at which the view is renewed, in milliseconds. An old view keeps fewer responses, never a wrong one. */
export const VIEW_MAX_AGE_MS = 10_000;

/** Longest time that a request waits for the view, in milliseconds: without it nothing is kept, and nothing is lost. */
const WAIT_MS = 500;

/** Time after which it is looked whether a block that was final is still there, in milliseconds. */
export const ANCHOR_MAX_AGE_MS = 60_000;
/** Upstreams that must show the same block for it to be looked back to, where there are as many. */
const WITNESSES = 2;

/** A block that was final. */
export interface Anchor {
  readonly number: bigint;
  /** In lower case. */
  readonly hash: string;
}

/** The finalized block of a chain, as far as the cache has to know it. */
export class FinalizedHead {
  readonly #head: ChainHead;
  readonly #clock: Clock;
  #finalized: bigint | undefined;
  /** The highest block that was ever taken for final. */
  #highest: bigint | undefined;
  #anchor: Anchor | undefined;
  #anchoredAt = Number.NEGATIVE_INFINITY;
  #isReplaced = false;
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
    const final = await this.#readFinal(deadline);
    if (final === undefined) return;
    this.#finalized = final;
    if (this.#highest === undefined || this.#finalized > this.#highest) this.#highest = this.#finalized;
    // No request waits for it: what is found out counts for the next one.
    this.#lookBack(this.#finalized).catch((error: unknown) =>
      log('error', 'anchor_check_failed', { error: errorField(error) }),
    );
  }

  /** A block that was final when it was last looked at, with its hash; undefined if none was. */
  get anchor(): Anchor | undefined {
    return this.#anchor;
  }

  /** Takes over what another instance has seen, if this one has seen nothing. */
  takeAnchor(anchor: Anchor): void {
    this.#anchor ??= anchor;
  }

  /** Whether the chain went back below a finalized block: cached results about it may be obsolete. */
  get hasVanished(): boolean {
    if (this.#isReplaced) return true;
    const head = this.#head.known;
    return head !== undefined && this.#highest !== undefined && head < this.#highest;
  }

  /** Forgets what was final: the view is renewed when it is next needed. */
  forget(): void {
    this.#finalized = undefined;
    this.#highest = undefined;
    this.#askedAt = Number.NEGATIVE_INFINITY;
    this.#anchor = undefined;
    this.#anchoredAt = Number.NEGATIVE_INFINITY;
    this.#isReplaced = false;
  }

  /**
   * Compares the block that was final when it was last looked at with what the chain has in its place now. If an upstream
   * shows another, all are asked, and most of those that show it decide. A new one counts if both upstreams show it: else
   * one that is on a chain of its own would empty the cache time and again.
   */
  async #lookBack(finalized: bigint): Promise<void> {
    const { hashes } = this.#head;
    const now = this.#clock.now();
    if (hashes === undefined || now - this.#anchoredAt < ANCHOR_MAX_AGE_MS) return;
    this.#anchoredAt = now;
    const before = this.#anchor;
    const numbers = before === undefined ? [finalized] : [finalized, before.number];
    const shown = await hashes.ask(numbers, WITNESSES);
    if (this.#anchor !== before) return;
    if (before !== undefined && shown.some(([, hash]) => hash !== undefined && hash !== before.hash)) {
      const all = (await hashes.ask([before.number], Number.POSITIVE_INFINITY)).flatMap(
        ([hash]) => hash ?? [],
      );
      const others = all.filter((hash) => hash !== before.hash);
      if (this.#anchor === before) this.#isReplaced = others.length > all.length / 2;
      return;
    }
    const [[hash] = []] = shown;
    const isSeen = shown.every((of) => of[0] === hash && of.at(-1) !== undefined);
    if (hash !== undefined && isSeen) this.#anchor = { number: finalized, hash };
  }

  async #readFinal(deadline: number): Promise<bigint | undefined> {
    const waiting = new AbortController();
    const waited = sleep(WAIT_MS, waiting.signal).then(() => undefined);
    try {
      return await Promise.race([this.#head.readFinal(deadline), waited]);
    } finally {
      waiting.abort('read');
    }
  }
}
