import { createCallPace } from '../../../../lambdas/shared/upstream/health/call-pace.ts';

test('calls of a second may come at once, and then one after the other', async () => {
  let now = 1_000_000;
  const pace = createCallPace({ now: () => now }, 10);
  let sent = 0;
  while (await pace.admits(1)) sent += 1;
  expect(sent).toBe(10);
  expect(pace.pausedUntil).toBe(now + 100);
  for (let second = 0; second < 10; second += 1) {
    now += 100;
    expect(pace.pausedUntil).toBeUndefined();
    expect(await pace.admits(1)).toBe(true);
    expect(pace.pausedUntil).toBe(now + 100);
  }
});

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
