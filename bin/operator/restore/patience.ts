import { isStoreUnavailable } from '../../../lambdas/access/store/store.ts';
import type { Sleep } from '../../../lambdas/shared/runtime/sleep.ts';

/** First pause after a failure, and the longest, in milliseconds. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** Pauses after which a request is given up, all together, in milliseconds: on-demand tables adapt within minutes. */
export const GIVE_UP_AFTER_MS = 15 * 60_000;
/** Refusals that end by themselves: the table is asked for more than it has, or another write is in the way. */
const PASSING: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionConflictException',
]);

/** What a wait needs from outside. */
export interface Patience {
  readonly pause: Sleep;
  /** From 0 to 1, exclusive. */
  readonly random: () => number;
  /** Ends waiting when the rest of the work has failed. */
  readonly signal: AbortSignal;
  /** Counts what is asked again. */
  readonly waited: () => void;
}

/**
 * Repeats a request to DynamoDB that may be repeated, until it succeeds or was given up. Pauses double up to a longest
 * one, and each is drawn at random below that, so that requests that were throttled together do not come back together:
 * the rate falls to what the table takes, and rises again when it takes more. Rejects with the last failure.
 */
export async function patiently<Result>(
  { pause, random, signal, waited }: Patience,
  work: () => Promise<Result>,
): Promise<Result> {
  let pausedMs = 0;
  for (let longestMs = FIRST_PAUSE_MS; ; longestMs = Math.min(longestMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || pausedMs >= GIVE_UP_AFTER_MS || !passes(error)) throw error;
      const pauseMs = Math.ceil(longestMs * (1 - random()));
      waited();
      await pause(pauseMs, signal);
      pausedMs += pauseMs;
    }
  }
}

/** Whether a failure can end by itself. What DynamoDB refuses for another reason, it refuses again. */
function passes(error: unknown): boolean {
  if (!isStoreUnavailable(error)) return false;
  const { maybeApplied, cause } = error;
  return maybeApplied || (cause instanceof Error && PASSING.has(cause.name));
}
