import type { Clock } from '../../runtime/clock.ts';
import { LruMap } from '../../runtime/expiring-memory.ts';

/** What a node can lack: a method by its name, or the batches of this many calls and more. */
type Lack = 'method' | 'plan' | 'batch';

/** How long a lack is believed, in milliseconds: then the node is asked once more. */
const BELIEVED_MS: Readonly<Record<Lack, number>> = {
  method: 10 * 60_000,
  plan: 6 * 60 * 60_000,
  batch: 60 * 60_000,
};
/** Refusals within this time make a lack believed, in milliseconds: one can be an accident. */
const REFUSALS_TO_BELIEVE = 2;
const WITHIN_MS = 60_000;
/** Most methods that are remembered of one node: clients choose what they ask for. */
const MAX_METHODS = 256;
/** A bound on ranges grows by this factor in this time, in milliseconds: plans change. */
const RANGE_GROWTH = 1.5;
const GROWTH_MS = 60 * 60_000;
/** Calls of the largest batch that is sent. */
const ANY_BATCH = Number.POSITIVE_INFINITY;

interface Lesson {
  readonly refusedAt: number;
  readonly refusals: number;
  readonly lack: Lack;
  /** Whether only others reported it. */
  readonly isHeard?: boolean;
  /** Milliseconds since the epoch; in the past while it is not believed. */
  readonly believedUntil: number;
}

/** A method that a node lacks. */
export interface LackedMethod {
  readonly method: string;
  readonly lack: 'method' | 'plan';
  /** When it was refused last, in milliseconds since the epoch. */
  readonly refusedAt: number;
}

/** What a node is known to lack, by this process and, of methods, by the others ({@link SharedNodes}). */
export interface NodeLessons {
  /** Methods that this process knows by itself to be lacking. */
  readonly lacked: readonly LackedMethod[];
  /** Takes the word of others that it lacked a method so many milliseconds ago, unless it was answered since. */
  heardLacking(lacked: Pick<LackedMethod, 'method' | 'lack'>, ageMs: number): void;
  /** When this process had a response to a method of which others reported that it lacks it; undefined if it had none. */
  deniedAt(method: string): number | undefined;
  /** Whether the node is known to lack a method, or the operator's plan there. */
  lacksMethod(method: string): boolean;
  /** Notes that it refused a method for lacking it. */
  refusedMethod(method: string, lack: 'method' | 'plan'): void;
  /** Notes that it answered a method. */
  answeredMethod(method: string): void;
  /** Most calls that one request may have. */
  readonly maxBatch: number;
  /** Notes that it refused this many calls together. `takes`: how many it says that it takes. */
  refusedBatch(calls: number, takes: number | undefined): void;
  /** Most blocks that one call for logs may have, as far as is known; infinite if nothing is. */
  readonly maxRange: number;
  /** Most blocks that one has had; 0 before the first. */
  readonly takenRange: number;
  /** Notes that it refused logs of this many blocks, and how many are thought to pass. */
  refusedRange(blocks: number, passes: number): void;
  /** Notes that it answered logs of this many blocks. */
  answeredRange(blocks: number): void;
  /** Forgets everything: it is another node from now on. */
  forget(): void;
}

/** What the stage file says of a node, which no lesson exceeds. */
export interface NodeLimits {
  readonly maxLogsBlockRange?: number | undefined;
  readonly maxBatchCalls?: number | undefined;
}

/** Lessons of one node, in the memory of this process. */
export function createNodeLessons(clock: Clock, limits: NodeLimits = {}): NodeLessons {
  const { maxLogsBlockRange = Number.POSITIVE_INFINITY, maxBatchCalls = ANY_BATCH } = limits;
  const methods = new Map<string, Lesson>();
  const denied = new Map<string, number>();
  const range = new RangeLesson(clock, maxLogsBlockRange);
  let batch: Lesson | undefined;
  let takes = ANY_BATCH;
  const isBelieved = (lesson: Lesson | undefined) =>
    lesson !== undefined && clock.now() < lesson.believedUntil;
  return {
    get lacked() {
      return [...methods].flatMap(([method, lesson]) => {
        const { lack, refusedAt, isHeard } = lesson;
        return isBelieved(lesson) && isHeard !== true && lack !== 'batch'
          ? [{ method, lack, refusedAt }]
          : [];
      });
    },
    heardLacking({ method, lack }, ageMs) {
      const refusedAt = clock.now() - ageMs;
      if ((denied.get(method) ?? Number.NEGATIVE_INFINITY) > refusedAt || isBelieved(methods.get(method)))
        return;
      const believedUntil = refusedAt + BELIEVED_MS.method;
      remember(methods, method, { refusedAt, refusals: 1, lack, believedUntil, isHeard: true });
    },
    deniedAt: (method) => denied.get(method),
    lacksMethod: (method) => isBelieved(methods.get(method)),
    refusedMethod(method, lack) {
      remember(methods, method, learn(methods.get(method), lack, clock.now()));
    },
    answeredMethod: (method) => {
      if (methods.get(method)?.isHeard === true) remember(denied, method, clock.now());
      methods.delete(method);
    },
    get maxBatch() {
      return Math.min(maxBatchCalls, isBelieved(batch) ? takes : ANY_BATCH);
    },
    refusedBatch(calls, told) {
      batch = learn(batch, 'batch', clock.now());
      const smaller = Math.max(1, Math.floor(calls / 2));
      takes = Math.min(told ?? smaller, smaller, isBelieved(batch) ? takes : ANY_BATCH);
    },
    get maxRange() {
      return range.most;
    },
    get takenRange() {
      return range.taken;
    },
    refusedRange: (blocks, passes) => range.refused(blocks, passes),
    answeredRange: (blocks) => range.answered(blocks),
    forget() {
      range.forget();
      methods.clear();
      denied.clear();
      batch = undefined;
      takes = ANY_BATCH;
    },
  };
}

/** The lesson after one more refusal. After the time for which it was believed one refusal is enough. */
function learn(lesson: Lesson | undefined, lack: Lack, now: number): Lesson {
  const isRecent = lesson !== undefined && now - lesson.refusedAt <= WITHIN_MS;
  const wasBelieved = lesson !== undefined && lesson.believedUntil > Number.NEGATIVE_INFINITY;
  const refusals = isRecent ? lesson.refusals + 1 : 1;
  const isBelieved = refusals >= REFUSALS_TO_BELIEVE || wasBelieved;
  return {
    refusedAt: now,
    refusals,
    lack,
    believedUntil: isBelieved ? now + BELIEVED_MS[lack] : Number.NEGATIVE_INFINITY,
  };
}

/** Keeps what is known of a method, and forgets the one of which nothing was noted for longest. */
function remember<Value>(map: Map<string, Value>, method: string, value: Value): void {
  map.delete(method);
  map.set(method, value);
  const [oldest] = map.keys();
  if (map.size > MAX_METHODS && oldest !== undefined) map.delete(oldest);
}

/** How many blocks a call for logs may have. */
class RangeLesson {
  readonly #clock: Clock;
  readonly #limit: number;
  #bound: { readonly blocks: number; readonly at: number } | undefined;
  /** Most blocks that one has had. */
  taken = 0;

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  get most(): number {
    if (this.#bound === undefined) return this.#limit;
    const { blocks, at } = this.#bound;
    const grown = blocks * RANGE_GROWTH ** Math.floor((this.#clock.now() - at) / GROWTH_MS);
    return Math.min(this.#limit, Math.max(1, Math.floor(grown), this.taken));
  }

  refused(blocks: number, passes: number): void {
    this.taken = this.taken >= blocks ? 0 : this.taken;
    this.#bound = { blocks: Math.max(1, Math.min(passes, blocks - 1)), at: this.#clock.now() };
  }

  answered(blocks: number): void {
    this.taken = Math.max(this.taken, blocks);
  }

  forget(): void {
    this.#bound = undefined;
    this.taken = 0;
  }
}

/** Refusals of different accounts within this time are one matter, in milliseconds. */
const TWO_ACCOUNTS_MS = 60_000;
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
    return this.#fails || (otherAt !== undefined && now - otherAt <= TWO_ACCOUNTS_MS);
  }
}
