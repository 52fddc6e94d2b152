import type { Sleep } from '../../shared/runtime/sleep.ts';
import { withRetry } from '../../shared/runtime/with-retry.ts';
import { isStoreUnavailable, type StoreUnavailableError } from './store.ts';

/** Pauses before each further attempt when the store fails, in milliseconds: half a minute. */
const PAUSES_MS = [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000, 5_000, 5_000];

/** How failures of the store are waited out. */
export interface RetryPolicy {
  /** Absent: a failure is final. */
  readonly pause?: Sleep;
  /** Asked after each failure: whether it is final, instead of waited out. @default never */
  readonly giveUp?: (failure: StoreUnavailableError) => boolean;
  /** Pauses before each further attempt, in milliseconds. @default half a minute in all */
  readonly pausesMs?: () => Iterable<number>;
}

/** Does something that may be repeated until the store does not fail. Rejects with the last failure. */
export function withStoreRetries<Result>(
  { pause, giveUp, pausesMs = () => PAUSES_MS }: RetryPolicy,
  work: () => Promise<Result>,
): Promise<Result> {
  if (pause === undefined) return work();
  const isRetryable = (error: unknown) => isStoreUnavailable(error) && giveUp?.(error) !== true;
  return withRetry(work, { pausesMs: pausesMs(), isRetryable, pause });
}
