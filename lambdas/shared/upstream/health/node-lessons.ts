import type { Clock } from '../../runtime/clock.ts';

/** What a node can lack: a method by its name, or the batches of this many calls and more. */
export type Lack = 'method' | 'plan' | 'batch';

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
  /** Milliseconds since the epoch; in the past while it is not believed. */
  readonly believedUntil: number;
}

/**
 * What a node was heard to lack. Each process learns for itself; where processes share what they know of nodes, this is
 * what they would share.
 */
export interface NodeLessons {
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
  let batch: Lesson | undefined;
  let takes = ANY_BATCH;
  let range: { readonly blocks: number; readonly at: number } | undefined;
  let takenRange = 0;

  const maxRange = () => {
    if (range === undefined) return maxLogsBlockRange;
    const grown = range.blocks * RANGE_GROWTH ** Math.floor((clock.now() - range.at) / GROWTH_MS);
    return Math.min(maxLogsBlockRange, Math.max(1, Math.floor(grown), takenRange));
  };

  const learn = (lesson: Lesson | undefined, lack: Lack): Lesson => {
    const now = clock.now();
    const isRecent = lesson !== undefined && now - lesson.refusedAt <= WITHIN_MS;
    // After the time for which it was believed one refusal is enough.
    const wasBelieved = lesson !== undefined && lesson.believedUntil > Number.NEGATIVE_INFINITY;
    const refusals = isRecent ? lesson.refusals + 1 : 1;
    const isBelieved = refusals >= REFUSALS_TO_BELIEVE || wasBelieved;
    return {
      refusedAt: now,
      refusals,
      believedUntil: isBelieved ? now + BELIEVED_MS[lack] : Number.NEGATIVE_INFINITY,
    };
  };
  const isBelieved = (lesson: Lesson | undefined) =>
    lesson !== undefined && clock.now() < lesson.believedUntil;

  return {
    lacksMethod: (method) => isBelieved(methods.get(method)),
    refusedMethod(method, lack) {
      const lesson = learn(methods.get(method), lack);
      methods.delete(method);
      methods.set(method, lesson);
      const [oldest] = methods.keys();
      if (methods.size > MAX_METHODS && oldest !== undefined) methods.delete(oldest);
    },
    answeredMethod: (method) => {
      methods.delete(method);
    },
    get maxBatch() {
      return Math.min(maxBatchCalls, isBelieved(batch) ? takes : ANY_BATCH);
    },
    refusedBatch(calls, told) {
      batch = learn(batch, 'batch');
      const smaller = Math.max(1, Math.floor(calls / 2));
      takes = Math.min(told ?? smaller, smaller, isBelieved(batch) ? takes : ANY_BATCH);
    },
    get maxRange() {
      return maxRange();
    },
    get takenRange() {
      return takenRange;
    },
    refusedRange(blocks, passes) {
      takenRange = takenRange >= blocks ? 0 : takenRange;
      range = { blocks: Math.max(1, Math.min(passes, blocks - 1)), at: clock.now() };
    },
    answeredRange(blocks) {
      takenRange = Math.max(takenRange, blocks);
    },
    forget() {
      range = undefined;
      takenRange = 0;
      methods.clear();
      batch = undefined;
      takes = ANY_BATCH;
    },
  };
}
