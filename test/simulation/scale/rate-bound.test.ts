import fc from 'fast-check';
import type { PlanSettings } from '../../../lambdas/shared/runtime/settings.ts';
import { type AdmittedRequest, boundViolation, dayViolation } from './rate-bound.ts';

const RUNS = 500;
/** Less than this is rounding. */
const TOLERANCE_MS = 1e-3;
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const SPREAD_MS = 3_000;
const PLAN: PlanSettings = {
  bucketCapacity: 100,
  refillPerSecond: 7,
  requestsPerSecond: 3,
  drawAhead: false,
  shards: 1,
};

const admitted = fc.record({
  arrivedMs: fc.integer({ min: 0, max: 60_000 }),
  cu: fc.integer({ min: 1, max: 60 }),
  plan: fc.constant(PLAN),
});

/** The bound of the specification, window by window. */
function isAnyWindowOver(
  requests: readonly Omit<AdmittedRequest, 'admittedMs'>[],
  spreadMs: number,
): boolean {
  const { bucketCapacity, refillPerSecond, requestsPerSecond = 0 } = PLAN;
  return requests.some(({ arrivedMs: from }) =>
    requests.some(({ arrivedMs: to }) => {
      if (to < from) return false;
      const inside = requests.filter(({ arrivedMs }) => arrivedMs >= from && arrivedMs <= to);
      const seconds = (to - from + spreadMs + TOLERANCE_MS) / SECOND_MS;
      const cu = inside.reduce((sum, request) => sum + request.cu, 0);
      return (
        cu > bucketCapacity + refillPerSecond * seconds ||
        inside.length > requestsPerSecond + requestsPerSecond * seconds
      );
    }),
  );
}

test('one pass finds what a look at every window finds', () => {
  fc.assert(
    fc.property(
      fc.array(admitted, { maxLength: 40 }),
      fc.constantFrom(0, SPREAD_MS),
      (requests, spreadMs) => {
        expect(boundViolation(requests, spreadMs) !== undefined).toBe(isAnyWindowOver(requests, spreadMs));
      },
    ),
    { numRuns: RUNS },
  );
});

test('a full bucket may be used at once, and not one unit more', () => {
  const whole = { arrivedMs: 5, cu: PLAN.bucketCapacity, plan: PLAN };
  expect(boundViolation([whole], 0)).toBeUndefined();
  expect(boundViolation([whole, { ...whole, cu: 1 }], 0)).toContain('compute units');
});

test('a day has its limit and not one unit more, apart from what a clock may have in another day', () => {
  const at = (arrivedMs: number, cu: number, admittedMs = arrivedMs) => ({
    arrivedMs,
    admittedMs,
    cu,
    plan: PLAN,
  });
  const margins = { skewMs: 5_000, aheadMs: 1_000 };
  const noon = DAY_MS / 2;
  expect(
    dayViolation([at(noon, 60), at(noon + 1, 40), at(noon + DAY_MS, 100)], 100, margins),
  ).toBeUndefined();
  expect(dayViolation([at(noon, 60), at(noon + 1, 41)], 100, margins)).toContain('101 CU in day 0');
  // Counted on the day before, or on the next one.
  const [early, late] = [at(5_999, 60), at(DAY_MS - 4_999, 60)];
  expect(dayViolation([early, at(noon, 100), late], 100, margins)).toBeUndefined();
  expect(dayViolation([at(noon, 100), at(noon, 60, DAY_MS)], 100, margins)).toBeUndefined();
});
