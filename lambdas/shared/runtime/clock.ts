/** Source of the time, passed in everywhere so that tests and the simulation can drive it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/**
 * Whether something that was seen at a time is less than a duration old, both in milliseconds. A clock that was set back
 * makes everything old; what was never seen is.
 */
export function isWithin(seenAt: number | undefined, nowMs: number, durationMs: number): boolean {
  if (seenAt === undefined) return false;
  const age = nowMs - seenAt;
  return age >= 0 && age < durationMs;
}
