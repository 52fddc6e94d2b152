/**
 * Whether something that was seen at a time is less than a duration old, both in milliseconds. A clock that was set back
 * makes everything old; what was never seen is.
 */
export function isWithin(seenAt: number | undefined, nowMs: number, durationMs: number): boolean {
  if (seenAt === undefined) return false;
  const age = nowMs - seenAt;
  return age >= 0 && age < durationMs;
}
