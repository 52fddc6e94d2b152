import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { type Sleep, sleep } from '../../shared/runtime/sleep.ts';
import type { CallPace } from '../../shared/upstream/health/call-pace.ts';
import { NodeError } from './node-error.ts';

/** Shortest wait before it is tried again, in milliseconds. */
const MIN_WAIT_MS = 20;

/** Time, and how it passes. */
interface Time {
  readonly clock: Clock;
  readonly wait: Sleep;
}

/**
 * Waits until calls may be sent to an upstream that takes so many a second.
 * @throws {NodeError} `rate_limited` if that is not before the deadline, in milliseconds since the epoch
 */
export async function waitForTurn(
  pace: CallPace | undefined,
  calls: number,
  { deadline, signal }: { readonly deadline: number; readonly signal?: AbortSignal },
  { clock, wait }: Time = { clock: systemClock, wait: sleep },
): Promise<void> {
  if (pace === undefined) return;
  while (!(await pace.admits(calls))) {
    const waitMs = Math.max(MIN_WAIT_MS, (pace.pausedUntil ?? clock.now()) - clock.now());
    if (signal?.aborted || clock.now() + waitMs >= deadline)
      throw new NodeError('rate_limited', 'no calls are left by callsPerSecond', waitMs);
    await wait(waitMs, signal);
  }
}
