import fc from 'fast-check';
import { UpstreamHealth } from '../../../../lambdas/shared/upstream/health/upstream-health.ts';

/** Samples that are kept, those without which a p95 says nothing, and for how long they count. */
const [MOST, LEAST, MAX_AGE_MS] = [64, 10, 60_000];

test('the quantile is that of the newest samples', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(1_000), { minLength: LEAST, maxLength: 150 }),
      fc.constantFrom(0.5, 0.95),
      (values, share) => {
        const health = new UpstreamHealth({ clock: { now: () => 0 }, random: () => 0 });
        for (const value of values) health.succeeded(value, 'light');
        const kept = values.slice(-MOST).sort((one, other) => one - other);
        const quantile = (share === 0.5 ? health.p50Ms : health.p95Ms('light')) as number;
        expect(kept).toContain(quantile);
        expect(kept.filter((value) => value <= quantile).length).toBeGreaterThanOrEqual(share * kept.length);
        expect(kept.filter((value) => value < quantile).length).toBeLessThan(share * kept.length);
      },
    ),
  );
});

test('forgets what is old, and says nothing by too few', () => {
  let now = 0;
  const health = new UpstreamHealth({ clock: { now: () => now }, random: () => 0 });
  const medianAt = (time: number) => {
    now = time;
    return health.p50Ms;
  };
  health.succeeded(1, 'light');
  now = 500;
  health.succeeded(2, 'light');
  expect(medianAt(MAX_AGE_MS)).toBe(1);
  expect(medianAt(MAX_AGE_MS + 1)).toBe(2);
  expect(health.p95Ms('light')).toBeUndefined();
  expect(medianAt(MAX_AGE_MS + 501)).toBeUndefined();
});
