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

/** Length of an hour, in milliseconds. */
export const HOUR_MS = 3_600_000;
const HOUR_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}$/;

/** The hour of the last time that was asked for: nearly all that are asked for are in the same one. */
let recent = { hour: '', startMs: Number.NaN };

/** The UTC hour of a time in milliseconds, such as `2026-11-20T23`. Hours sort as text. */
export function hourOf(timeMs: number): string {
  if (timeMs >= recent.startMs && timeMs < recent.startMs + HOUR_MS) return recent.hour;
  const hour = new Date(timeMs).toISOString().slice(0, 13);
  recent = { hour, startMs: Math.floor(timeMs / HOUR_MS) * HOUR_MS };
  return hour;
}

/** Whether a text is an hour such as `2026-11-20T23`. */
export function isHour(text: string): boolean {
  const startMs = hourStartMs(text);
  return HOUR_PATTERN.test(text) && Number.isFinite(startMs) && hourOf(startMs) === text;
}

/** The hour after one. */
export function hourAfter(hour: string): string {
  return hourOf(hourEndMs(hour));
}

/** Start of an hour, in milliseconds since the epoch. */
export function hourStartMs(hour: string): number {
  return hour === recent.hour ? recent.startMs : Date.parse(`${hour}:00:00.000Z`);
}

/** End of an hour, in milliseconds since the epoch. */
export function hourEndMs(hour: string): number {
  return hourStartMs(hour) + HOUR_MS;
}
