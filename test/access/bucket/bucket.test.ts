/** A bucket decides as a token bucket of exact arithmetic does, and says when what it refuses will fit. */
import fc from 'fast-check';
import {
  type Bucket,
  type Cost,
  type Draw,
  decide,
  drawOf,
  FULL_BUCKET,
  limitStates,
} from '../../../lambdas/access/bucket/bucket.ts';
import type { PlanLimits } from '../../../lambdas/shared/runtime/settings.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 23, 30);

const plans: fc.Arbitrary<PlanLimits> = fc.record(
  {
    bucketCapacity: fc.integer({ min: 1, max: 100_000 }),
    refillPerSecond: fc.integer({ min: 1, max: 10_000 }),
    requestsPerSecond: fc.integer({ min: 1, max: 200 }),
  },
  { requiredKeys: ['bucketCapacity', 'refillPerSecond'] },
);

/** A price that can fit the plan. */
function pricesOf(plan: PlanLimits): fc.Arbitrary<Cost> {
  return fc.record({
    cu: fc.integer({ min: 1, max: plan.bucketCapacity }),
    requests: fc.integer({ min: 1, max: Math.min(100, plan.requestsPerSecond ?? 100) }),
  });
}

/** The bucket after a draw that fits. */
function drawn(bucket: Bucket, { now, takes }: Draw): Bucket {
  const later = (fullAt = 0n) => (fullAt > now ? fullAt : now);
  const after = takes.map(({ attribute, increment }) => [attribute, later(bucket[attribute]) + increment]);
  return { ...bucket, ...Object.fromEntries(after) };
}

/** Draws prices one after the other at one time; undefined as soon as one does not fit. */
function drawAll(
  plan: PlanLimits,
  prices: readonly Cost[],
  bucket: Bucket = FULL_BUCKET,
): Bucket | undefined {
  return prices.reduce<Bucket | undefined>((current, price) => {
    const draw = drawOf(plan, price, NOW_MS);
    return current !== undefined && decide(current, draw).fits ? drawn(current, draw) : undefined;
  }, bucket);
}

describe('decide', () => {
  test('equals a token bucket with exact arithmetic', () => {
    const cases = plans.chain((plan) =>
      fc.tuple(
        fc.constant(plan),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 3_000 }), pricesOf(plan)), { maxLength: 40 }),
      ),
    );
    fc.assert(
      fc.property(cases, ([plan, requests]) => {
        const callsPerSecond = plan.requestsPerSecond ?? 1_000;
        let bucket = FULL_BUCKET;
        let nowMs = NOW_MS;
        // Thousandths, so that the refill of a millisecond is a whole number.
        let units = plan.bucketCapacity * 1_000;
        let calls = callsPerSecond * 1_000;
        for (const [waitMs, price] of requests) {
          nowMs += waitMs;
          units = Math.min(plan.bucketCapacity * 1_000, units + waitMs * plan.refillPerSecond);
          calls = Math.min(callsPerSecond * 1_000, calls + waitMs * callsPerSecond);
          const callsFit = plan.requestsPerSecond === undefined || calls >= price.requests * 1_000;
          const fits = units >= price.cu * 1_000 && callsFit;
          const draw = drawOf(plan, price, nowMs);
          expect(decide(bucket, draw).fits).toBe(fits);
          if (!fits) continue;
          bucket = drawn(bucket, draw);
          units -= price.cu * 1_000;
          calls -= price.requests * 1_000;
        }
      }),
    );
  });

  test('a refused request fits after retryAfterMs, and a millisecond before it does not', () => {
    const cases = plans.chain((plan) =>
      fc.tuple(fc.constant(plan), fc.array(pricesOf(plan), { minLength: 1, maxLength: 20 }), pricesOf(plan)),
    );
    fc.assert(
      fc.property(cases, ([plan, before, price]) => {
        let bucket = FULL_BUCKET;
        for (const earlier of before) bucket = drawAll(plan, [earlier], bucket) ?? bucket;
        const decision = decide(bucket, drawOf(plan, price, NOW_MS));
        if (decision.fits || decision.limit === 'key-day') return;
        const { retryAfterMs } = decision;
        expect(retryAfterMs).toBeGreaterThanOrEqual(1);
        expect(decide(bucket, drawOf(plan, price, NOW_MS + retryAfterMs)).fits).toBe(true);
        expect(decide(bucket, drawOf(plan, price, NOW_MS + retryAfterMs - 1)).fits).toBe(false);
      }),
    );
  });
});

describe('limitStates', () => {
  test('remaining is the largest cost that still fits', () => {
    const cases = plans.chain((plan) =>
      fc.tuple(fc.constant(plan), fc.array(pricesOf(plan), { maxLength: 20 }), fc.nat(5_000)),
    );
    fc.assert(
      fc.property(cases, ([{ requestsPerSecond: _, ...plan }, before, waitMs]) => {
        let bucket = FULL_BUCKET;
        for (const earlier of before) bucket = drawAll(plan, [earlier], bucket) ?? bucket;
        const [units] = limitStates(plan, bucket, NOW_MS + waitMs);
        const remaining = units?.remaining ?? -1;
        const fits = (cu: number) => decide(bucket, drawOf(plan, { cu, requests: 1 }, NOW_MS + waitMs)).fits;
        if (remaining > 0) expect(fits(remaining)).toBe(true);
        if (remaining < plan.bucketCapacity) expect(fits(remaining + 1)).toBe(false);
        expect(remaining).toBeLessThanOrEqual(plan.bucketCapacity);
      }),
    );
  });
});
