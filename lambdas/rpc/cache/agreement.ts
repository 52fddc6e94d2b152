import { hash } from 'node:crypto';
import { methodFacts } from '../../shared/methods/method-facts.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ExpiringMemory } from '../../shared/runtime/expiring-memory.ts';
import {
  type FixedText,
  fixedText,
  isEvidence,
  isSameText,
} from '../../shared/upstream/agreement/fixed-parts.ts';
import { compactJson } from './equal-calls.ts';

/** Memory for the recorded results, in bytes. */
const MEMORY_BYTES = 4 * 1024 * 1024;
/** What the word of one upstream takes, in bytes: two digests, its objects and their slots of maps. Reckoned, and rounded up. */
const WORD_BYTES = 512;
/** What each member takes that not every upstream shows, in bytes: its name, a digest and a slot. */
const SHOWN_BYTES = 192;
/** How long the word of an upstream counts, in milliseconds. */
export const WORD_TTL_MS = 60 * 60 * 1000;
/** Largest result of which it is known what the chain fixes, in bytes: to find that out takes longer than a digest of it. */
export const MAX_READ_BYTES = 64 * 1024;

/** What one upstream has last said in response to a call. */
interface Word {
  /** Digest of its bytes, white space aside. */
  readonly bytes: string;
  /** Digests of what the chain fixes of it; undefined where different results would say nothing of the upstreams. */
  readonly fixed: FixedText | undefined;
}

/** A result of one upstream. */
interface SaidResult {
  readonly method: string;
  readonly result: Uint8Array;
  /** Index of the upstream; undefined counts for none. */
  readonly from: number | undefined;
}

/** Upstreams, by their places, whose results differ in what the chain fixes. */
export interface Contradiction {
  readonly places: readonly number[];
  /** The one that all others contradict, which say the same; undefined if it is absent. */
  readonly alone: number | undefined;
}

/** What came of a result that was taken. */
interface Taken {
  /** Whether more than half of all upstreams have now returned it, white space aside. */
  readonly isAgreed: boolean;
  /** Undefined if it contradicts no other, and if that is known already. */
  readonly contradiction: Contradiction | undefined;
}

/**
 * Which upstreams have returned which result for a call whose result never changes. Only a result that more than half
 * of a chain's upstreams returned is cached, so a lying minority cannot place one in the cache. A chain with one
 * upstream relies on it.
 */
export class Agreement {
  readonly #words: ExpiringMemory<ReadonlyMap<number, Word>>;
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

  /** Records the result of one upstream. `upstreams`: how many the chain has. */
  take(key: string, said: SaidResult, upstreams: number): Taken {
    const { from } = said;
    if (upstreams === 1 || from === undefined) return { isAgreed: upstreams === 1, contradiction: undefined };
    const known = this.#words.get(key);
    const bytes = hash('sha256', compactJson(said.result), 'base64url');
    const before = known?.get(from);
    const equal =
      before?.bytes === bytes ? before : [...(known?.values() ?? [])].find((one) => one.bytes === bytes);
    const word = equal ?? { bytes, fixed: fixedOf(said) };
    const words = new Map(known).set(from, word);
    const alike = [...words.values()].filter((one) => one.bytes === bytes).length;
    this.#words.set(key, words, bytesOf(words), this.#clock.now() + WORD_TTL_MS);
    const contradiction = before?.bytes === bytes ? undefined : contradictionOf(words, from);
    return { isAgreed: alike > upstreams / 2, contradiction };
  }
}

function fixedOf({ method, result }: SaidResult): FixedText | undefined {
  if (result.length > MAX_READ_BYTES || !isEvidence(method)) return undefined;
  const { always, shown } = fixedText(result, methodFacts(method).fixed ?? 'bytes');
  return {
    always: digestOf(always),
    shown: new Map([...shown].map(([name, text]) => [name, digestOf(text)])),
  };
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

function bytesOf(words: ReadonlyMap<number, Word>): number {
  let bytes = 0;
  for (const { fixed } of words.values()) bytes += WORD_BYTES + SHOWN_BYTES * (fixed?.shown.size ?? 0);
  return bytes;
}

/** Which upstreams the word of one contradicts. */
function contradictionOf(words: ReadonlyMap<number, Word>, from: number): Contradiction | undefined {
  const own = words.get(from)?.fixed;
  const heard = [...words].flatMap(([place, { fixed }]) => (fixed === undefined ? [] : [{ place, fixed }]));
  const against = heard.filter(({ fixed }) => own !== undefined && !isSameText(own, fixed));
  if (against.length === 0) return undefined;
  const alone = heard.find((one) => heard.length > 2 && isAlone(one, heard))?.place;
  const places =
    alone === undefined ? [from, ...against.map(({ place }) => place)] : heard.map(({ place }) => place);
  return { places, alone };
}

/** Whether all others contradict a word, and none of them another. */
function isAlone(
  one: { readonly fixed: FixedText },
  heard: readonly { readonly fixed: FixedText }[],
): boolean {
  const others = heard.filter((other) => other !== one);
  return others.every(
    (other) =>
      !isSameText(one.fixed, other.fixed) && others.every((third) => isSameText(other.fixed, third.fixed)),
  );
}
