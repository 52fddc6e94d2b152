import type { Clock } from '../../runtime/clock.ts';

const MS_PER_SECOND = 1_000;

/** How many calls an upstream is sent a second, by this process. */
export interface CallPace {
  /** When it may be sent a call again, in milliseconds since the epoch; undefined if it may now. */
  readonly pausedUntil: number | undefined;
  /** Counts calls that are sent. */
  sent(calls: number): void;
}

/** Any number of calls. */
export const ANY_PACE: CallPace = { pausedUntil: undefined, sent: () => {} };

/**
 * At most so many calls a second, of which those of one second may come at once. A batch may go beyond it, and is
 * counted in full: the calls after it wait.
 */
export function createCallPace(clock: Clock, callsPerSecond: number): CallPace {
  const intervalMs = MS_PER_SECOND / callsPerSecond;
  /** When all calls that were sent would have been sent one by one. */
  let paidUntil = Number.NEGATIVE_INFINITY;
  return {
    get pausedUntil() {
      const until = paidUntil - MS_PER_SECOND + intervalMs;
      return until > clock.now() ? until : undefined;
    },
    sent(calls) {
      paidUntil = Math.max(paidUntil, clock.now()) + calls * intervalMs;
    },
  };
}
