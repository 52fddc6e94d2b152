import type { Clock } from '../../shared/runtime/clock.ts';
import type { ReadDeadline } from './chain-reader.ts';
import type { FillReport } from './fill-range.ts';

/** Time after which nothing further is begun, in milliseconds: meanwhile the head is not followed. */
const WORK_MS = 2_000;

/**
 * Work on what is stored already, for which there is time at the head: a little at a time, with pauses.
 * @param work does some of it, until it is told that it is out of time
 * @param pauseMs before it is gone on with, in milliseconds
 * @param completePauseMs before it is looked again whether something is to be done, in milliseconds
 * @returns what does so: resolves to of how many blocks, and rejects with what the work fails with
 */
export function createIdleWork(
  work: (options: ReadDeadline, outOfTime: () => boolean) => Promise<FillReport>,
  clock: Clock,
  pauseMs: number,
  completePauseMs = pauseMs,
) {
  let pauseUntil = -Infinity;
  return async (options: ReadDeadline): Promise<number> => {
    const startedAt = clock.now();
    if (startedAt < pauseUntil) return 0;
    let isComplete = false;
    try {
      const { blocks, complete } = await work(options, () => clock.now() - startedAt >= WORK_MS);
      isComplete = complete;
      return blocks;
    } finally {
      pauseUntil = clock.now() + (isComplete ? completePauseMs : pauseMs);
    }
  };
}
