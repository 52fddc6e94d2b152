import { isDatabaseAway } from '../shared/chain-database/database-error.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import type { Sleep } from '../shared/runtime/sleep.ts';

/**
 * Time for which a database that cannot be reached is tried again, from the first failure, in milliseconds: longer than the
 * three minutes for which the RDS Data API keeps a transaction, and its locks, whose client was lost.
 */
const PATIENCE_MS = 240_000;
/** Pause before each further attempt, in milliseconds. */
const PAUSE_MS = 3_000;

interface WaitParts {
  readonly clock: Clock;
  readonly pause: Sleep;
}

/**
 * Does work that may be done again from its beginning, also on a database that is new, wakes or fails over: for four
 * minutes, whatever it says in the meantime. Rejects as the last attempt.
 */
export async function whenAvailable<Result>(
  work: () => Promise<Result>,
  { clock, pause }: WaitParts,
): Promise<Result> {
  let failingSince: number | undefined;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      failingSince ??= clock.now();
      if (clock.now() - failingSince > PATIENCE_MS) throw error;
    }
    await pause(PAUSE_MS);
  }
}
