import { loadStageConfig } from '../../lib/config.ts';
import { planWarnings } from '../../lib/plan-limits.ts';
import { stageFile } from '../../lib/synthesise.ts';

const PLAN = { bucketCapacity: 1_000, refillPerSecond: 20_000 };

test('a plan that sells more of the cheapest call than an account item takes charges is warned of', () => {
  expect(planWarnings({ free: { ...PLAN, refillPerSecond: 300 }, scale: PLAN })).toEqual([
    'plan scale sells 20000 requests/s of the cheapest call, and one account can be charged for 300: what is beyond is ' +
      'answered late or with 503 (docs/metering.md)',
  ]);
});

test('calls per second bound what is sold', () => {
  expect(planWarnings({ scale: { ...PLAN, requestsPerSecond: 300 } })).toEqual([]);
  expect(planWarnings({ scale: { ...PLAN, requestsPerSecond: 301 } })).toHaveLength(1);
});

test.each(['local', 'example-production'])('%s sells no more than it can charge', (stage) => {
  expect(planWarnings(loadStageConfig(stageFile(stage)).plans)).toEqual([]);
});
