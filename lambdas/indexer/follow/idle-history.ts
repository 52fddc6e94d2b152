import type { Clock } from '../../clock.ts';
import type { ReadOptions } from './chain-reader.ts';
import { completeHistory } from './complete-history.ts';
import type { FillParts } from './fill-range.ts';

/** Time after which no further step is begun, in milliseconds: meanwhile the head is not followed. */
const WORK_MS = 2_000;
/** Pause before it is looked again whether something is to be done, in milliseconds. */
const PAUSE_MS = 10_000;

/**
 * Completes the history where a pool turned out to be another one, which can be at any time and is not for a backfill to
 * wait for: a few steps at a time.
 * @returns what does so: resolves to of how many blocks, and rejects with what the node or the database fails with
 */
export function createHistoryCompleter({
  clock,
  ...parts
}: Omit<FillParts, 'outOfTime'> & { readonly clock: Clock }) {
  let pauseUntil = Number.NEGATIVE_INFINITY;
  return async (options: ReadOptions): Promise<number> => {
    const startedAt = clock.now();
    if (startedAt < pauseUntil) return 0;
    try {
      const outOfTime = () => clock.now() - startedAt >= WORK_MS;
      return (await completeHistory({ ...parts, outOfTime }, options)).blocks;
    } finally {
      pauseUntil = clock.now() + PAUSE_MS;
    }
  };
}
