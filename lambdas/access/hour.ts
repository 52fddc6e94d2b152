/** The UTC hour of a time in milliseconds, such as `2026-11-20T23`. Hours sort as text. */
export function hourOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 13);
}
