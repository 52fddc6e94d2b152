import type { SeriesView } from './view.ts';

/** A value that has had no successor for so many periods is not what is now. */
const FRESH_PERIODS = 3;

/** A figure as people read it: three significant digits, thousands apart; small money in full, with two. */
export function formatValue(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 0.001) return new Intl.NumberFormat('en', { maximumSignificantDigits: 2 }).format(value);
  if (size >= 1_000_000) return new Intl.NumberFormat('en', { notation: 'compact' }).format(value);
  if (Number.isInteger(value)) return new Intl.NumberFormat('en').format(value);
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value);
}

/** A span, rounded down to its unit: `10 s`, `5 min`, `1 h`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min`;
  return `${Math.floor(whole / 3_600)} h`;
}

/** The latest value of a line, with its time of day where it is not that of now; undefined: it has none. */
export function formatLatest(
  { values, periodSeconds }: Pick<SeriesView, 'values' | 'periodSeconds'>,
  times: readonly number[],
): string | undefined {
  const index = values.findLastIndex((value) => value !== null);
  const value = values[index] ?? undefined;
  const atSeconds = times[index] ?? 0;
  if (value === undefined) return undefined;
  const isFresh = (times.at(-1) ?? 0) - atSeconds <= FRESH_PERIODS * periodSeconds;
  return isFresh ? formatValue(value) : `${formatValue(value)} at ${formatTime(atSeconds)}`;
}

/** Time of day of a point, with seconds only where it is no whole minute. */
function formatTime(atSeconds: number): string {
  return new Date(atSeconds * 1_000).toTimeString().slice(0, atSeconds % 60 === 0 ? 5 : 8);
}
