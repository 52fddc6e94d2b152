/** Work is repeated as often as there are pauses, if that is worth it. */
import { withRetry } from '../../../lambdas/shared/runtime/with-retry.ts';

function failingTimes(failures: number) {
  let calls = 0;
  const work = async () => {
    calls += 1;
    if (calls <= failures) throw new Error(`failure ${calls}`);
    return calls;
  };
  return { work, calls: () => calls };
}

test.each([
  [0, 1],
  [2, 3],
])('work that fails %i times is done %i times', async (failures, expected) => {
  const { work, calls } = failingTimes(failures);
  await expect(withRetry(work, { pausesMs: [0, 0] })).resolves.toBe(expected);
  expect(calls()).toBe(expected);
});

test('work that fails each time fails as it did at last', async () => {
  const { work, calls } = failingTimes(9);
  await expect(withRetry(work, { pausesMs: [0, 0] })).rejects.toThrow('failure 3');
  expect(calls()).toBe(3);
});

test('work whose failure is not worth a retry is done once', async () => {
  const { work, calls } = failingTimes(9);
  await expect(withRetry(work, { pausesMs: [0, 0], isRetryable: () => false })).rejects.toThrow('failure 1');
  expect(calls()).toBe(1);
});

test('the pauses are taken in their order', async () => {
  const taken: number[] = [];
  const pause = async (durationMs: number) => void taken.push(durationMs);
  await expect(withRetry(failingTimes(2).work, { pausesMs: [50, 100, 200], pause })).resolves.toBe(3);
  expect(taken).toEqual([50, 100]);
});
