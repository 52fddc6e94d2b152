import type { BlockId } from '../../chain-data/decode/raw-block.ts';

const SECOND_MS = 1_000;
/** Questions for the head in the time of one block. */
const QUESTIONS_PER_BLOCK = 4;
/** Time between two questions, in milliseconds: the shortest, also as long as the time of a block is not known, and the longest. */
const SHORTEST_MS = 250;
const LONGEST_MS = 3_000;
/** Blocks are quick below this time, in milliseconds: a second, less what whole seconds round. */
const QUICK_BLOCK_MS = 950;
/** Seconds of a chain from which on the time of its blocks is known; those of twice as many count. */
const WINDOW_SECONDS = 30;

type Seen = Pick<BlockId, 'number' | 'timestamp'>;

/** When a node is asked for its head again. */
export type HeadPace = ReturnType<typeof createHeadPace>;

/**
 * Asks for the head each quarter of the time of a block, by the last minute of the chain; once a second where blocks are
 * quicker, all of which are then stored at once.
 * @param fixedMs pause in milliseconds, whatever the time of a block @default - that follows from the chain
 */
export function createHeadPace(fixedMs?: number) {
  /** The block that time is measured from, and the one that takes its place. */
  let from: Seen | undefined;
  let next: Seen | undefined;
  /** Time of a block; until it is known, one that is asked for as often as any. */
  let blockMs = QUICK_BLOCK_MS;
  return {
    /** Learns of the newest stored block. */
    observe(block: Seen): void {
      if (from === undefined || next === undefined || block.number < next.number) {
        from = block;
        next = block;
      }
      const seconds = block.timestamp - from.timestamp;
      const blocks = block.number - from.number;
      if (blocks > 0 && seconds >= WINDOW_SECONDS) blockMs = (seconds * SECOND_MS) / blocks;
      if (block.timestamp - next.timestamp < WINDOW_SECONDS) return;
      from = next;
      next = block;
    },
    /** How long to wait after a step at the head, in milliseconds, of which the step itself took some. */
    pauseMs: (stepMs: number) => fixedMs ?? Math.max(SHORTEST_MS, intervalOf(blockMs) - stepMs),
    /** Whether each question is expected to find new blocks. */
    isQuick: () => fixedMs === undefined && blockMs < QUICK_BLOCK_MS,
  };
}

function intervalOf(blockMs: number): number {
  if (blockMs < QUICK_BLOCK_MS) return SECOND_MS;
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, blockMs / QUESTIONS_PER_BLOCK));
}
