import { setTimeout as sleep } from 'node:timers/promises';

export interface UntilOptions {
  /** Longest that it is waited, in milliseconds. */
  readonly withinMs: number;
  /** Time between two looks, in milliseconds. */
  readonly everyMs: number;
  /** Message of the error when the time is over. */
  readonly failure: () => string;
}

/** Looks again and again until a condition holds. @throws Error when the time is over */
export async function untilTrue(
  condition: () => boolean | Promise<boolean>,
  { withinMs, everyMs, failure }: UntilOptions,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(failure());
    await sleep(everyMs);
  }
}
