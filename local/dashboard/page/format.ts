/** A figure as people read it: three significant digits, thousands apart; small money in full. */
export function formatValue(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 0.001) return value.toExponential(1);
  if (size >= 1_000_000) return new Intl.NumberFormat('en', { notation: 'compact' }).format(value);
  if (Number.isInteger(value)) return new Intl.NumberFormat('en').format(value);
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value);
}

/** A span of whole seconds: `10 s`, `5 min`, `1 h`. */
export function formatSeconds(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  if (seconds % 60 === 0) return `${seconds / 60} min`;
  return `${seconds} s`;
}

/** How long something has lasted, roughly: `12 s`, `4 min`, `2 h`. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3_600)} h`;
}

/** Time of day of a tick, in seconds since the epoch; with seconds only where it is no whole minute. */
export function formatTime(atSeconds: number): string {
  const length = atSeconds % 60 === 0 ? 5 : 8;
  return new Date(atSeconds * 1_000).toTimeString().slice(0, length);
}
