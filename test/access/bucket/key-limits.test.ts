/** A key with bounds of its own draws its day and its second, and never more than its account. */
import fc from 'fast-check';
import {
  decide,
  drained,
  drawOf,
  FULL_BUCKET,
  limitStates,
  planOfKey,
} from '../../../lambdas/access/bucket/bucket.ts';
import type { PlanSettings } from '../../../lambdas/shared/runtime/settings.ts';

const DAY_MS = 86_400_000;
const MIDNIGHT_MS = Date.UTC(2026, 10, 21);
const PLAN: PlanSettings = { bucketCapacity: 100_000, refillPerSecond: 10_000, drawAhead: false, shards: 1 };
const KEY_PLAN = planOfKey(PLAN, { cu_per_day: 1_000 });

describe('the day of a key', () => {
  test('takes what fits whole, and nothing of what does not, until midnight of UTC', () => {
    const draws = fc.array(
      fc.record({ cu: fc.integer({ min: 1, max: 600 }), afterMs: fc.integer({ min: 0, max: DAY_MS / 4 }) }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(draws, (asked) => {
        let bucket = FULL_BUCKET;
        let nowMs = MIDNIGHT_MS;
        const byDay = new Map<number, number>();
        for (const { cu, afterMs } of asked) {
          nowMs += afterMs;
          const day = Math.floor(nowMs / DAY_MS);
          const drawn = byDay.get(day) ?? 0;
          const draw = drawOf(KEY_PLAN, { cu, requests: 1 }, nowMs);
          const decision = decide(bucket, draw);
          if (drawn + cu > 1_000) {
            expect(decision).toEqual({ fits: false, limit: 'key-day', resetsAtMs: (day + 1) * DAY_MS });
            continue;
          }
          expect(decision).toEqual({ fits: true });
          bucket = drained(bucket, draw);
          byDay.set(day, drawn + cu);
          expect(limitStates(KEY_PLAN, bucket, nowMs).at(-1)).toEqual({
            name: 'key-day',
            quota: 1_000,
            windowSeconds: 86_400,
            remaining: 1_000 - drawn - cu,
            resetSeconds: Math.ceil(((day + 1) * DAY_MS - nowMs) / 1_000),
          });
        }
      }),
      // The last unit of a day is taken, and the one beyond it is not.
      { examples: [[[600, 400, 1].map((cu) => ({ cu, afterMs: 0 }))]] },
    );
  });

  test('that a faster clock has begun goes on for a slower one', () => {
    const fast = drawOf(KEY_PLAN, { cu: 900, requests: 1 }, MIDNIGHT_MS);
    const bucket = drained(
      drained(FULL_BUCKET, drawOf(KEY_PLAN, { cu: 950, requests: 1 }, MIDNIGHT_MS - 9)),
      fast,
    );
    const slow = (cu: number) => drawOf(KEY_PLAN, { cu, requests: 1 }, MIDNIGHT_MS - 1);
    expect(decide(bucket, slow(101))).toEqual({
      fits: false,
      limit: 'key-day',
      resetsAtMs: MIDNIGHT_MS + DAY_MS,
    });
    expect(drained(bucket, slow(100))).toMatchObject({ day: BigInt(MIDNIGHT_MS / DAY_MS), day_cu: 1_000n });
  });
});

describe('the plan of a key', () => {
  test('is that of its account without bounds of an amount, and one object while neither changes', () => {
    expect(planOfKey(PLAN, undefined)).toBe(PLAN);
    expect(planOfKey(PLAN, { apis: ['rpc'] })).toBe(PLAN);
    const bounds = { cu_per_second: 500 };
    expect(planOfKey(PLAN, bounds)).toBe(planOfKey(PLAN, bounds));
    expect(planOfKey({ ...PLAN, bucketCapacity: 60_000 }, bounds)).toMatchObject({ bucketCapacity: 3_000 });
  });

  test.each([
    [500, 500, 5_000],
    [10_000, 10_000, 100_000],
    [50_000, 10_000, 100_000],
    // The dearest call fits, however slowly the bucket refills.
    [1, 1, 200],
  ])('of %i CU a second refills %i, and holds %i', (cu_per_second, refillPerSecond, bucketCapacity) => {
    expect(planOfKey(PLAN, { cu_per_second })).toEqual({ ...PLAN, refillPerSecond, bucketCapacity });
  });

  test('holds no more than that of the account', () => {
    const small = { ...PLAN, bucketCapacity: 50 };
    expect(planOfKey(small, { cu_per_second: 1 })).toMatchObject({ bucketCapacity: 50, refillPerSecond: 1 });
  });
});
