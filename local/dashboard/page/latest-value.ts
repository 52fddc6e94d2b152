import type { SeriesView } from '../view.ts';

/** A value that has had no successor for so many periods is not what is now. */
const FRESH_PERIODS = 3;

/** The latest value of a line of a chart. */
export interface LatestValue {
  readonly value: number;
  /** Begin of the point that it stands at, in seconds since the epoch. */
  readonly atSeconds: number;
  readonly isFresh: boolean;
}

/** The latest value of a line, and whether it still says what is now; undefined: it has none. @param times of its points */
export function latestValue(
  { values, periodSeconds }: Pick<SeriesView, 'values' | 'periodSeconds'>,
  times: readonly number[],
): LatestValue | undefined {
  const index = values.findLastIndex((value) => value !== null);
  const value = values[index];
  const atSeconds = times[index];
  const nowSeconds = times.at(-1);
  if (value === undefined || value === null || atSeconds === undefined || nowSeconds === undefined)
    return undefined;
  return { value, atSeconds, isFresh: nowSeconds - atSeconds <= FRESH_PERIODS * periodSeconds };
}
