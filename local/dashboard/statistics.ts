/** Significant digits to which percentiles are known, so that a distribution stays small. */
const PERCENTILE_DIGITS = 2;

/** A statistic of CloudWatch, as a dashboard or an alarm names it. */
export type Statistic =
  | 'Sum'
  | 'Average'
  | 'Maximum'
  | 'Minimum'
  | 'SampleCount'
  | { readonly percentile: number }
  /** Mean of the values up to a percentile. */
  | { readonly trimmedAt: number }
  /** Percentage of the values above one and up to another. */
  | { readonly above: number; readonly upTo: number };

const SIMPLE = ['Sum', 'Average', 'Maximum', 'Minimum', 'SampleCount'] as const;

/** Statistics of the values in some span of time. */
export interface Distribution {
  count: number;
  sum: number;
  minimum: number;
  maximum: number;
  /** How many values there are of each, rounded. */
  readonly values: Map<number, number>;
}

/** Reads `Sum`, `p99`, `p99.9`, `tm90` and the like; undefined: a statistic that the local dashboard does not know. */
export function parseStatistic(text: string): Statistic | undefined {
  const simple = SIMPLE.find((name) => name === text);
  if (simple !== undefined) return simple;
  const [, above, upTo] = /^PR\((\d{1,9}):(\d{1,9})\)$/.exec(text) ?? [];
  if (above !== undefined) return { above: Number(above), upTo: Number(upTo) };
  const [, kind, percent] = /^(p|tm)(\d{1,2}(?:\.\d{1,10})?|100)$/.exec(text) ?? [];
  if (percent === undefined) return undefined;
  return kind === 'p' ? { percentile: Number(percent) } : { trimmedAt: Number(percent) };
}

export function emptyDistribution(): Distribution {
  return {
    count: 0,
    sum: 0,
    minimum: Number.POSITIVE_INFINITY,
    maximum: Number.NEGATIVE_INFINITY,
    values: new Map(),
  };
}

/** Counts one value. */
export function addValue(distribution: Distribution, value: number): void {
  const rounded = Number(value.toPrecision(PERCENTILE_DIGITS));
  distribution.count += 1;
  distribution.sum += value;
  distribution.minimum = Math.min(distribution.minimum, value);
  distribution.maximum = Math.max(distribution.maximum, value);
  distribution.values.set(rounded, (distribution.values.get(rounded) ?? 0) + 1);
}

/** Counts all values of another distribution. */
export function addDistribution(distribution: Distribution, other: Distribution): void {
  distribution.count += other.count;
  distribution.sum += other.sum;
  distribution.minimum = Math.min(distribution.minimum, other.minimum);
  distribution.maximum = Math.max(distribution.maximum, other.maximum);
  for (const [value, count] of other.values)
    distribution.values.set(value, (distribution.values.get(value) ?? 0) + count);
}

/** A statistic of a distribution; undefined: it has no values, which is not the same as zero. */
export function statisticOf(distribution: Distribution, statistic: Statistic): number | undefined {
  const { count, sum, minimum, maximum } = distribution;
  if (count === 0) return undefined;
  switch (statistic) {
    case 'Sum':
      return sum;
    case 'Average':
      return sum / count;
    case 'Maximum':
      return maximum;
    case 'Minimum':
      return minimum;
    case 'SampleCount':
      return count;
    default:
      if ('percentile' in statistic) return percentileOf(distribution, statistic.percentile);
      if ('trimmedAt' in statistic) return trimmedMeanOf(distribution, statistic.trimmedAt);
      return rankOf(distribution, statistic);
  }
}

/** Share of the values between two bounds, in percent, as far as they are known exactly. */
function rankOf({ count, values }: Distribution, { above, upTo }: { above: number; upTo: number }): number {
  const between = [...values].filter(([value]) => value > above && value <= upTo);
  return (100 * between.reduce((sum, [, times]) => sum + times, 0)) / count;
}

/** The mean of the lowest values, of which there are `percent` of all. */
function trimmedMeanOf({ count, values }: Distribution, percent: number): number {
  const counted = Math.max(1, Math.ceil((percent / 100) * count));
  let left = counted;
  let sum = 0;
  for (const [value, times] of [...values].sort(([one], [other]) => one - other)) {
    const taken = Math.min(times, left);
    sum += value * taken;
    left -= taken;
  }
  return sum / counted;
}

/** The smallest value that is not below `percent` of all, within what is known exactly. */
function percentileOf({ count, values, minimum, maximum }: Distribution, percent: number): number {
  const rank = Math.max(1, Math.ceil((percent / 100) * count));
  let seen = 0;
  for (const [value, times] of [...values].sort(([one], [other]) => one - other)) {
    seen += times;
    if (seen >= rank) return Math.min(Math.max(value, minimum), maximum);
  }
  return maximum;
}
