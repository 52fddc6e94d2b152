import { type Sleep, sleep } from './sleep.ts';

interface RetryLimits {
  /** Pauses before each further attempt, in milliseconds: there is one attempt more than pauses. */
  readonly pausesMs: Iterable<number>;
  /** Whether a failure is worth another attempt. @default any is */
  readonly isRetryable?: (error: unknown) => boolean;
  /** @default the timer of this process */
  readonly pause?: Sleep;
}

/** Runs work that may be repeated until it succeeds. Rejects with the last failure, or the first not worth a retry. */
export async function withRetry<Result>(
  work: () => Promise<Result>,
  { pausesMs, isRetryable = () => true, pause = sleep }: RetryLimits,
): Promise<Result> {
  for (const pauseMs of pausesMs) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      await pause(pauseMs);
    }
  }
  return work();
}
