/** ISO 8601 text of a time in seconds since the epoch, as PostgreSQL reads it. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}
