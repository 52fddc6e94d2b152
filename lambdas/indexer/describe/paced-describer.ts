import type { Clock } from '../../shared/runtime/clock.ts';
import { BatchSize } from '../fetch/call-in-batches.ts';
import type { BatchOptions } from '../fetch/send-batch.ts';
import { createIdleWork, FIFTH } from '../follow/idle-work.ts';

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
