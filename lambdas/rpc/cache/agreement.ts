import { hash } from 'node:crypto';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ExpiringMemory } from '../../shared/runtime/expiring-memory.ts';
import { compactJson } from './compact-json.ts';

/** Memory for the recorded results, in bytes. */
const MEMORY_BYTES = 4 * 1024 * 1024;
/** What the word of one upstream takes, in bytes: its digest and a slot of a map. Measured, and rounded up. */
const WORD_BYTES = 128;
/** How long the word of an upstream counts, in milliseconds. */
export const WORD_TTL_MS = 60 * 60 * 1000;

/** What upstreams have last said in response to one call: digests by place. */
type Words = ReadonlyMap<number, string>;

/**
 * Which upstreams have returned which result for a call whose result never changes. Only a result that more than half
 * of a chain's upstreams returned is cached, so a lying minority cannot place one in the cache. A chain with one
 * upstream relies on it.
 */
export class Agreement {
  readonly #words: ExpiringMemory<Words>;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#words = new ExpiringMemory(MEMORY_BYTES, clock);
    this.#clock = clock;
  }

  /** Places of the upstreams that have answered the call of a key; undefined if none has. */
  answeredBy(key: string): ReadonlySet<number> | undefined {
    const words = this.#words.get(key);
    return words === undefined ? undefined : new Set(words.keys());
  }

  /**
   * Records the result of one upstream. Returns whether more than half of all upstreams have now returned it, ignoring
   * white space.
   * `from`: index of the upstream; undefined counts for none.
   * `upstreams`: how many the chain has.
   */
  take(key: string, result: Uint8Array, from: number | undefined, upstreams: number): boolean {
    if (upstreams === 1) return true;
    if (from === undefined) return false;
    const digest = hash('sha256', compactJson(result), 'base64url');
    const words = new Map(this.#words.get(key)).set(from, digest);
    const alike = [...words.values()].filter((word) => word === digest).length;
    this.#words.set(key, words, words.size * WORD_BYTES, this.#clock.now() + WORD_TTL_MS);
    return alike > upstreams / 2;
  }
}
