import { NodeError } from '../../../lambdas/indexer/fetch/node-error.ts';
import { waitForTurn } from '../../../lambdas/indexer/fetch/send-batch.ts';
import { createCallPace } from '../../../lambdas/shared/upstream/health/call-pace.ts';
import { VirtualClock } from '../../nodes/virtual-clock.ts';

function world(callsPerSecond: number) {
  const clock = new VirtualClock();
  const time = { clock, wait: clock.wait };
  return { clock, time, pace: createCallPace(clock, callsPerSecond) };
}

test('a request of the index waits for its turn, and goes out then', async () => {
  const { clock, time, pace } = world(10);
  const deadline = clock.now() + 60_000;
  const startedAt = clock.now();
  for (let batch = 0; batch < 4; batch += 1) await clock.until(waitForTurn(pace, 20, { deadline }, time));
  // Eighty calls less those of the first second and the last batch.
  expect(clock.now() - startedAt).toBeGreaterThanOrEqual(5_000);
  expect(clock.now() - startedAt).toBeLessThan(7_000);
});

test('what has no turn before its deadline is refused as a rate, with the time to wait', async () => {
  const { clock, time, pace } = world(1);
  await pace.admits(50);
  const waiting = waitForTurn(pace, 1, { deadline: clock.now() + 5_000 }, time);
  const error = await clock.until(waiting.catch((failure: unknown) => failure));
  expect(error).toBeInstanceOf(NodeError);
  expect(error).toMatchObject({ kind: 'rate_limited', retryAfterMs: expect.any(Number) });
});

test('without a pace nobody waits', async () => {
  await waitForTurn(undefined, 100, { deadline: 0 });
});
