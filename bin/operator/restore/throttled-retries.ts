import type { RetryPolicy } from '../../../lambdas/access/store/query-items.ts';
import type { StoreUnavailableError } from '../../../lambdas/access/store/store.ts';
import type { Sleep } from '../../../lambdas/shared/runtime/sleep.ts';

/** First pause after a failure, and the longest, in milliseconds. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** Pauses after which a request is abandoned, all together, in milliseconds: on-demand tables adapt within minutes. */
const GIVE_UP_AFTER_MS = 15 * 60_000;
/** Refusals that end by themselves: the table is asked for more than it has, or another write is in the way. */
const PASSING: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionConflictException',
]);

/** The parts that a wait needs from outside. */
interface Waiting {
  readonly pause: Sleep;
  /** From 0 to 1, exclusive. */
  readonly random: () => number;
  /** Ends waiting when the rest of the work has failed. */
  readonly signal: AbortSignal;
  /** Counts what is asked again. */
  readonly waited: () => void;
}

/**
 * Waits as long as a table is throttled. Pauses double up to a longest one, and each is drawn at random below that, so that
 * requests that were throttled together do not come back together: the rate falls to what the table takes, and rises again
 * when it takes more.
 */
export function throttledRetries({ pause, random, signal, waited }: Waiting): RetryPolicy {
  return {
    pause: (pauseMs) => {
      waited();
      return pause(pauseMs, signal);
    },
    giveUp: (failure) => signal.aborted || !passes(failure),
    pausesMs: () => pauses(random),
  };
}

function* pauses(random: () => number): Generator<number> {
  let pausedMs = 0;
  for (let longestMs = FIRST_PAUSE_MS; pausedMs < GIVE_UP_AFTER_MS; longestMs *= 2) {
    const pauseMs = Math.ceil(Math.min(longestMs, LONGEST_PAUSE_MS) * (1 - random()));
    yield pauseMs;
    pausedMs += pauseMs;
  }
}

/** Whether a failure can end by itself. What DynamoDB refuses for another reason, it refuses again. */
function passes({ maybeApplied, cause }: StoreUnavailableError): boolean {
  return maybeApplied || (cause instanceof Error && PASSING.has(cause.name));
}
