import { publicWords } from '../../jsonrpc/unknown-words.ts';
import type { Clock } from '../../runtime/clock.ts';
import { ExpiringMemory, LruMap } from '../../runtime/expiring-memory.ts';
import { countsOfUpstream } from '../../runtime/metrics.ts';
import { pacedCount } from '../../runtime/paced-count.ts';
import type { Telemetry } from '../../runtime/telemetry.ts';

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
const OF_KEY: BudgetTerms = { perCall: 0.1, first: 20, most: 100 };

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

/** How often words of one upstream are logged, and how often they are counted, in milliseconds. */
const LOG_INTERVAL_MS = 60 * 60_000;
const COUNT_INTERVAL_MS = 60_000;

/** Called with refusals in words of which nothing is known. `words`: the node's own, asked for only if they are logged. */
export type HearUnknownWords = (words: () => string) => void;

/**
 * Counts the refusals of one upstream that nothing is known of: at once, and then at most once a minute, with those since.
 * The first words are in the log, once an hour.
 */
export function countUnknownWords(
  { chain, upstream }: { readonly chain: string; readonly upstream: string },
  { clock, telemetry }: { readonly clock: Clock; readonly telemetry: Telemetry },
): HearUnknownWords {
  const tellCount = pacedCount(clock, COUNT_INTERVAL_MS, (count) => {
    telemetry.emit(countsOfUpstream(chain, upstream, { UnknownNodeWords: count }), clock.now());
  });
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (words) => {
    const now = clock.now();
    if (now - loggedAt >= LOG_INTERVAL_MS) {
      loggedAt = now;
      telemetry.log('warn', 'unknown_node_words', { chain, upstream, words: publicWords(words()) });
    }
    tellCount();
  };
}
