import fc from 'fast-check';
import {
  addDistribution,
  addValue,
  emptyDistribution,
  parseStatistic,
  statisticOf,
} from '../../../local/dashboard/statistics.ts';

const figures = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 200 });
/** How far two significant digits can be off. */
const ROUNDING = 0.05;

function distributionOf(values: readonly number[]) {
  const distribution = emptyDistribution();
  for (const value of values) addValue(distribution, value);
  return distribution;
}

test('statistics are those of the values', () => {
  fc.assert(
    fc.property(figures, (values) => {
      const of = distributionOf(values);
      const sum = values.reduce((one, other) => one + other);
      expect(statisticOf(of, 'Sum')).toBe(sum);
      expect(statisticOf(of, 'Average')).toBe(sum / values.length);
      expect(statisticOf(of, 'Maximum')).toBe(Math.max(...values));
      expect(statisticOf(of, 'Minimum')).toBe(Math.min(...values));
      expect(statisticOf(of, 'SampleCount')).toBe(values.length);
    }),
  );
});

test('percentiles are those of the values, to two digits', () => {
  fc.assert(
    fc.property(figures, fc.integer({ min: 1, max: 100 }), (values, percentile) => {
      const sorted = values.toSorted((one, other) => one - other);
      const exact = sorted[Math.ceil((percentile / 100) * sorted.length) - 1] ?? 0;
      const read = statisticOf(distributionOf(values), { percentile }) ?? Number.NaN;
      expect(Math.abs(read - exact)).toBeLessThanOrEqual(exact * ROUNDING);
    }),
  );
});

test('a trimmed mean is that of the lowest values, to two digits', () => {
  fc.assert(
    fc.property(figures, fc.integer({ min: 1, max: 100 }), (values, trimmedAt) => {
      const kept = values
        .toSorted((one, other) => one - other)
        .slice(0, Math.ceil((trimmedAt / 100) * values.length));
      const exact = kept.reduce((one, other) => one + other) / kept.length;
      const read = statisticOf(distributionOf(values), { trimmedAt }) ?? Number.NaN;
      expect(Math.abs(read - exact)).toBeLessThanOrEqual(exact * ROUNDING);
    }),
  );
});

test('two distributions together are that of all values', () => {
  fc.assert(
    fc.property(figures, figures, (one, other) => {
      const together = distributionOf(one);
      addDistribution(together, distributionOf(other));
      expect(together).toEqual(distributionOf([...one, ...other]));
    }),
  );
});

test('no values have no statistic, not even zero', () => {
  for (const name of ['Sum', 'Average', 'Maximum', 'Minimum', 'SampleCount', 'p99', 'tm90']) {
    const statistic = parseStatistic(name);
    expect(statistic && statisticOf(emptyDistribution(), statistic)).toBeUndefined();
  }
});

test.each([
  ['p50', { percentile: 50 }],
  ['p99.9', { percentile: 99.9 }],
  ['p100', { percentile: 100 }],
  ['p101', undefined],
  ['p', undefined],
  ['tm90', { trimmedAt: 90 }],
  ['tm', undefined],
  ['wm90', undefined],
  ['sum', undefined],
])('%s', (text, statistic) => expect(parseStatistic(text)).toEqual(statistic));
