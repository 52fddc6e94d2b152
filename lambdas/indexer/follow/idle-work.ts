import type { Clock } from '../../shared/runtime/clock.ts';
import { BatchSize } from '../fetch/call-in-batches.ts';
import type { BatchOptions } from '../fetch/send-batch.ts';
import type { ReadDeadline } from './chain-reader.ts';
import type { FillParts, FillReport } from './fill-range.ts';

/** How much of the time at the head some work takes, in milliseconds. */
interface IdleTimes {
  /** Time after which nothing further is begun: meanwhile the head is not followed. */
  readonly workMs: number;
  /** Pause after some of it, by the time that it took. */
  readonly pauseMs: (tookMs: number) => number;
  /** Pause until it is looked again whether something is to be done. */
  readonly completePauseMs: number;
}

/** Times of questions to the node, which take a fifth of the time at most. */
const FIFTH = { workMs: 15_000, pauseMs: (tookMs: number) => 4 * tookMs };

/** Least pause after a failure, in milliseconds: one that comes at once would be tried without any. */
const FAILURE_PAUSE_MS = 1_000;

/**
 * Work for which there is time at the head: a little at a time, with pauses.
 * @param work does some of it, until a time in milliseconds since the epoch
 * @returns what does so: resolves to of how many blocks, tokens or items, and rejects with what the work fails with
 */
export function createIdleWork(
  clock: Clock,
  { workMs, pauseMs, completePauseMs }: IdleTimes,
  work: (until: number, options: ReadDeadline) => Promise<FillReport>,
) {
  let pauseUntil = -Infinity;
  return async (options: ReadDeadline): Promise<number> => {
    const startedAt = clock.now();
    if (startedAt < pauseUntil) return 0;
    let pauseOf = (tookMs: number) => Math.max(FAILURE_PAUSE_MS, pauseMs(tookMs));
    try {
      const { blocks, complete } = await work(Math.min(options.deadline, startedAt + workMs), options);
      pauseOf = complete ? () => completePauseMs : pauseMs;
      return blocks;
    } finally {
      const now = clock.now();
      pauseUntil = now + pauseOf(now - startedAt);
    }
  };
}

/** Until it is looked again whether a gap is due, in milliseconds. */
const NONE_DUE_PAUSE_MS = 10_000;

type RetryParts = Pick<FillParts, 'reader' | 'index' | 'decode'> & { readonly clock: Clock };

/**
 * Traces blocks once more that the node could not trace, a few at a time, and takes a fifth of the time for
 * it at most. A block that fails too often stays a gap. Those of a node that does not trace are tried once one is read
 * that does.
 * @returns what does so: resolves to how many blocks were tried, and rejects with what the node or the
 * database fails with, or StrangeBlocksError if the node has another block
 */
export function createGapRetrier({ reader, index, decode, clock }: RetryParts) {
  return createIdleWork(clock, { ...FIFTH, completePauseMs: NONE_DUE_PAUSE_MS }, async (deadline) => {
    const canTrace = reader.canTrace?.();
    const gap = canTrace === false ? undefined : await index.claimGap(canTrace === true);
    if (gap === undefined) return { blocks: 0, complete: true };
    // One by one: a block that hangs takes its own time, and not that of its neighbours.
    for (let number = gap.from; number <= gap.to; number += 1)
      for await (const page of reader.pages(number, number, { deadline, gapOf: number }))
        await index.retrace(page, page.map(decode), gap.attempts);
    return { blocks: gap.to - gap.from + 1, complete: false };
  });
}

/** Time for one request, in milliseconds: so short that a contract which hangs is found in an attempt. */
const REQUEST_MS = 2_000;
/** Until it is looked again where there was nothing to ask, in milliseconds: each look is a statement of the database. */
const NOTHING_PAUSE_MS = 1_000;

/**
 * Asks contracts what they say of themselves, some at a time, and takes a fifth of the time for it at most.
 * @param atMost how many one attempt asks; fewer after one that did not come to an end
 * @param describe asks some contracts. @returns how many were asked @throws what the node or the database fails with
 * @returns what does so: resolves to how many were asked, and rejects with what the node or the database fails with
 */
export function createPacedDescriber(
  clock: Clock,
  atMost: number,
  describe: (atMost: number, options: BatchOptions) => Promise<number>,
) {
  const size = new BatchSize(atMost, atMost);
  return createIdleWork(clock, { ...FIFTH, completePauseMs: NOTHING_PAUSE_MS }, async (deadline) => {
    const asking = size.current;
    try {
      const blocks = await describe(asking, { deadline, limitMs: REQUEST_MS });
      if (blocks > 0) size.grow();
      return { blocks, complete: blocks === 0 };
    } catch (error) {
      size.shrink(asking);
      throw error;
    }
  });
}
