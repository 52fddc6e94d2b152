import type { Clock } from '../../shared/runtime/clock.ts';
import type { ReadDeadline } from './chain-reader.ts';
import type { FillReport } from './fill-range.ts';

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
export const FIFTH = { workMs: 15_000, pauseMs: (tookMs: number) => 4 * tookMs };

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
    let isComplete = false;
    try {
      const { blocks, complete } = await work(Math.min(options.deadline, startedAt + workMs), options);
      isComplete = complete;
      return blocks;
    } finally {
      const now = clock.now();
      pauseUntil = now + (isComplete ? completePauseMs : pauseMs(now - startedAt));
    }
  };
}
