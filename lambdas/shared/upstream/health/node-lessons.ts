import type { Clock } from '../../runtime/clock.ts';
import { afterRefusal, isInForce, type NodeHold } from './holds.ts';

/** A bound on ranges grows by this factor in this time, in milliseconds: plans change. */
const RANGE_GROWTH = 1.5;
const GROWTH_MS = 60 * 60_000;
/** Calls of the largest batch that is sent. */
const ANY_BATCH = Number.POSITIVE_INFINITY;

/** How much a node is known to take at once. */
export interface NodeLessons {
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
  let bound: { readonly blocks: number; readonly at: number } | undefined;
  let taken = 0;
  let batch: NodeHold | undefined;
  let takes = ANY_BATCH;
  return {
    get maxBatch() {
      return Math.min(maxBatchCalls, isInForce(batch, clock.now()) ? takes : ANY_BATCH);
    },
    refusedBatch(calls, told) {
      const now = clock.now();
      batch = afterRefusal(batch, { reason: 'batch', now });
      const smaller = Math.max(1, Math.floor(calls / 2));
      takes = Math.min(told ?? smaller, smaller, isInForce(batch, now) ? takes : ANY_BATCH);
    },
    get maxRange() {
      if (bound === undefined) return maxLogsBlockRange;
      const { blocks, at } = bound;
      const grown = blocks * RANGE_GROWTH ** Math.floor((clock.now() - at) / GROWTH_MS);
      return Math.min(maxLogsBlockRange, Math.max(1, Math.floor(grown), taken));
    },
    get takenRange() {
      return taken;
    },
    refusedRange(blocks, passes) {
      taken = taken >= blocks ? 0 : taken;
      bound = { blocks: Math.max(1, Math.min(passes, blocks - 1)), at: clock.now() };
    },
    answeredRange(blocks) {
      taken = Math.max(taken, blocks);
    },
    forget() {
      [bound, taken, batch, takes] = [undefined, 0, undefined, ANY_BATCH];
    },
  };
}
