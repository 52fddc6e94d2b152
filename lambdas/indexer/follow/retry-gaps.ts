import type { Clock } from '../../shared/runtime/clock.ts';
import type { FillParts } from './fill-range.ts';
import { createIdleWork, FIFTH } from './idle-work.ts';

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
      for await (const page of reader.pages(number, number, { deadline }))
        await index.retrace(page, page.map(decode), gap.attempts);
    return { blocks: gap.to - gap.from + 1, complete: false };
  });
}
