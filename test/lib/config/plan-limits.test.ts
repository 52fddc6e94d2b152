import fc from 'fast-check';
import { loadStageConfig } from '../../../lib/config/config.ts';
import { defaultShards, planWarnings, tableWarnings } from '../../../lib/config/plan-limits.ts';
import { stageFile } from '../../../lib/config/stage-files.ts';

const PLAN = { bucketCapacity: 1_000, refillPerSecond: 20_000, drawAhead: false, shards: 64 };

test('a plan that sells more of the cheapest call than the item of one key can be drawn for is warned of', () => {
  expect(planWarnings({ free: { ...PLAN, refillPerSecond: 800 }, scale: PLAN })).toEqual([
    "plan scale sells 20000 requests/s of the cheapest call, but one key's bucket takes 800 draws/s: " +
      'requests beyond that are answered late or with 503; drawAhead lifts the limit (docs/metering.md)',
  ]);
  expect(planWarnings({ scale: { ...PLAN, drawAhead: true } })).toEqual([]);
});

test('a plan that sells more than the shards of one account store is warned of', () => {
  expect(planWarnings({ scale: { ...PLAN, drawAhead: true, shards: 24 } })).toEqual([
    'plan scale sells 20000 requests/s of the cheapest call, but its 24 shards store 19200 charges/s: charges beyond that are ' +
      'stored late, by the charge queue; give the plan more shards (docs/metering.md)',
  ]);
  expect(planWarnings({ scale: { ...PLAN, drawAhead: true, shards: 25 } })).toEqual([]);
});

test('a plan that sells more than the tables take at first is warned of, until they are warmed', () => {
  expect(tableWarnings({ free: { ...PLAN, refillPerSecond: 4_000 }, scale: PLAN })).toEqual([
    'plan scale sells 20000 requests/s of the cheapest call, but the tables of keys and lanes begin with 4000 writes/s: ' +
      'a sudden load beyond that is answered with 503 or charged late; set tables.warmWritesPerSecond (docs/deploy.md)',
  ]);
  expect(tableWarnings({ scale: PLAN }, 19_999)).toHaveLength(1);
  expect(tableWarnings({ scale: PLAN }, 20_000)).toEqual([]);
});

test('requests per second bound what is sold', () => {
  expect(planWarnings({ scale: { ...PLAN, requestsPerSecond: 800 } })).toEqual([]);
  expect(planWarnings({ scale: { ...PLAN, requestsPerSecond: 801 } })).toHaveLength(1);
});

test.each([
  [{ refillPerSecond: 100 }, 1],
  [{ refillPerSecond: 500 }, 1],
  [{ refillPerSecond: 501 }, 2],
  [{ refillPerSecond: 10_000, requestsPerSecond: 300 }, 1],
  [{ refillPerSecond: 10_000 }, 20],
  [{ refillPerSecond: 1_000_000_000 }, 64],
])('a plan with %j has %i shards if it names none', (plan, shards) => {
  expect(defaultShards(plan)).toBe(shards);
});

test('a plan with its default shards is warned of for its shards only beyond the most that there are', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), (refillPerSecond) => {
      const plan = { ...PLAN, refillPerSecond, drawAhead: true, shards: defaultShards({ refillPerSecond }) };
      expect(planWarnings({ plan })).toHaveLength(refillPerSecond > 64 * 800 ? 1 : 0);
    }),
  );
});

test.each(['local', 'example-production'])('%s sells no more than it can charge', (stage) => {
  const { plans, tables } = loadStageConfig(stageFile(stage));
  expect(planWarnings(plans)).toEqual([]);
  expect(tableWarnings(plans, tables.warmWritesPerSecond)).toEqual([]);
});
