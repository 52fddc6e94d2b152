/** A batch is paid for in full before the next call of an upstream with a pace. */
import { createCallPace } from '../../../../lambdas/shared/upstream/health/call-pace.ts';

test('a batch is counted in full, and a pause is not saved up', async () => {
  let now = 1_000_000;
  const pace = createCallPace({ now: () => now }, 10);
  expect(await pace.admits(50)).toBe(true);
  expect(await pace.admits(1)).toBe(false);
  expect(pace.pausedUntil).toBe(now + 4_100);
  now += 60_000;
  await pace.admits(10);
  expect(pace.pausedUntil).toBe(now + 100);
});
