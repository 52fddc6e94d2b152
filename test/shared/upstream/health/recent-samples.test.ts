import fc from 'fast-check';
import { RecentSamples } from '../../../../lambdas/shared/upstream/health/recent-samples.ts';

test('the quantile is that of the newest samples', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(1_000), { minLength: 1, maxLength: 50 }),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (values, share) => {
        const samples = new RecentSamples(20, 1_000);
        for (const value of values) samples.add(value, 0);
        const kept = values.slice(-20).sort((one, other) => one - other);
        const quantile = samples.quantile(share, 0) as number;
        expect(kept).toContain(quantile);
        expect(kept.filter((value) => value <= quantile).length).toBeGreaterThanOrEqual(share * kept.length);
        expect(kept.filter((value) => value < quantile).length).toBeLessThan(share * kept.length);
      },
    ),
  );
});

test('forgets what is old, and says nothing by too few', () => {
  const samples = new RecentSamples(10, 1_000);
  samples.add(1, 0);
  samples.add(2, 500);
  expect(samples.quantile(1, 1_000)).toBe(2);
  expect(samples.quantile(0.01, 1_001)).toBe(2);
  expect(samples.quantile(1, 1_000, 3)).toBeUndefined();
  expect(samples.quantile(1, 1_501)).toBeUndefined();
});
