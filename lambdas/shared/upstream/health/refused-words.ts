import type { Clock } from '../../runtime/clock.ts';
import { ExpiringMemory } from '../../runtime/expiring-memory.ts';
import { LruMap } from '../../runtime/lru-map.ts';
import { OF_KEY, RetryBudget } from './retry-budget.ts';

/** How long is believed what was learnt of words, in milliseconds. */
const BELIEVED_MS = 10 * 60_000;
/** Of refusals on which two nodes agree, one in so many is asked about all the same. */
const ASKED_ONE_IN = 16;
/** Keys whose share is remembered; one that was not used for longest begins anew. */
const MAX_KEYS = 1_000;
/** Memory for what was learnt of words, in bytes: clients choose the methods, nodes the words. */
const MEMORY_BYTES = 512 * 1024;

/** A refusal of a method in some words, without what changes from call to call. */
interface RefusedInWords {
  readonly method: string;
  readonly words: string;
}

/** A node, by its place among those of its chain. */
type Node = { readonly index: number };

/**
 * What a chain's nodes showed of refusals that no table knows. Two nodes that both refuse a call agree; where one refuses and
 * another answers, the first lacks something. The first is believed for the key that asked only: a key that asks for what no
 * node has must not keep another from what one has.
 */
export class RefusedWords {
  readonly #learnt: ExpiringMemory<true>;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #shares = new LruMap<RetryBudget>(MAX_KEYS);

  constructor(clock: Clock, random: () => number) {
    this.#learnt = new ExpiringMemory(MEMORY_BYTES, clock);
    this.#clock = clock;
    this.#random = random;
  }

  /** Whether nothing was learnt: the usual case. */
  get isEmpty(): boolean {
    return this.#learnt.bytes === 0;
  }

  /** What a key may have asked in this process because of refusals that its calls bring about. */
  shareOf(keyId: string): RetryBudget {
    const known = this.#shares.get(keyId);
    if (known !== undefined) return known;
    const share = new RetryBudget(OF_KEY);
    this.#shares.set(keyId, share);
    return share;
  }

  /** Notes that two nodes refused a call of a key, each in its words. */
  agreed(keyId: string | undefined, refusals: readonly RefusedInWords[]): void {
    for (const { method, words } of refusals) this.#learn(['agreed', keyId ?? '', method, words]);
  }

  /** Notes that a node refused a call that another answered, or refused for a reason that is known. */
  answeredElsewhere({ index }: Node, keyId: string | undefined, { method, words }: RefusedInWords): void {
    this.#learn(['lack', String(index), method, words]);
    if (keyId !== undefined) this.#learn(['avoid', String(index), keyId, method]);
  }

  /** Whether such words of a node were no answer lately. */
  isLack({ index }: Node, { method, words }: RefusedInWords): boolean {
    return this.#knows(['lack', String(index), method, words]);
  }

  /** Whether such words are final for a key, as two nodes agree. Not each time: what was true can have changed. */
  isFinal(keyId: string | undefined, { method, words }: RefusedInWords): boolean {
    if (!this.#knows(['agreed', keyId ?? '', method, words])) return false;
    return this.#random() >= 1 / ASKED_ONE_IN;
  }

  /** Whether a node lately lacked what a key asked for with a method: others go first, for calls of that key. */
  isAvoided({ index }: Node, keyId: string, method: string): boolean {
    return this.#knows(['avoid', String(index), keyId, method]);
  }

  #learn(parts: readonly string[]): void {
    const name = JSON.stringify(parts);
    this.#learnt.set(name, true, name.length * 2, this.#clock.now() + BELIEVED_MS);
  }

  #knows(parts: readonly string[]): boolean {
    return this.#learnt.get(JSON.stringify(parts)) === true;
  }
}
