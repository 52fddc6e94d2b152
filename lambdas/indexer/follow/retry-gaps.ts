import type { Clock } from '../../shared/runtime/clock.ts';
import type { ReadDeadline } from './chain-reader.ts';
import type { FillParts } from './fill-range.ts';

/** Time for one attempt, in milliseconds: meanwhile the head is not followed. */
const ATTEMPT_MS = 15_000;
/** How many times as long as an attempt the pause after it is. */
const PAUSE_FACTOR = 4;
/** Pause before it is looked again whether a gap is due, in milliseconds. */
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
  let pauseUntil = -Infinity;
  return async ({ deadline }: ReadDeadline): Promise<number> => {
    const startedAt = clock.now();
    if (startedAt < pauseUntil || reader.canTrace?.() === false) return 0;
    pauseUntil = startedAt + NONE_DUE_PAUSE_MS;
    const gap = await index.claimGap(reader.canTrace?.() === true);
    if (gap === undefined) return 0;
    try {
      const options = { deadline: Math.min(deadline, startedAt + ATTEMPT_MS) };
      // One by one: a block that hangs takes its own time, and not that of its neighbours.
      for (let number = gap.from; number <= gap.to; number += 1)
        for await (const page of reader.pages(number, number, options))
          await index.retrace(page, page.map(decode), gap.attempts);
    } finally {
      pauseUntil = clock.now() + PAUSE_FACTOR * (clock.now() - startedAt);
    }
    return gap.to - gap.from + 1;
  };
}
