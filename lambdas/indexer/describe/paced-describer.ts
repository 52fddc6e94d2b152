import type { Clock } from '../../shared/runtime/clock.ts';
import { BatchSize } from '../fetch/call-in-batches.ts';
import type { BatchOptions } from '../fetch/send-batch.ts';

/** Time for one attempt, in milliseconds: meanwhile the head is not followed. */
const ATTEMPT_MS = 15_000;
/** Time for one request, in milliseconds: so short that a contract which hangs is found in an attempt. */
const REQUEST_MS = 2_000;
/** How many times as long as an attempt the pause after it is. */
const PAUSE_FACTOR = 4;

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
  let pauseUntil = -Infinity;
  return async ({ deadline }: BatchOptions): Promise<number> => {
    const startedAt = clock.now();
    if (startedAt < pauseUntil) return 0;
    const asking = size.current;
    try {
      const options = { deadline: Math.min(deadline, startedAt + ATTEMPT_MS), limitMs: REQUEST_MS };
      const asked = await describe(asking, options);
      if (asked > 0) size.grow();
      return asked;
    } catch (error) {
      size.shrink(asking);
      throw error;
    } finally {
      pauseUntil = clock.now() + PAUSE_FACTOR * (clock.now() - startedAt);
    }
  };
}
