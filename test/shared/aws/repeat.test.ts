import { repeat } from '../../../lambdas/shared/aws/repeat.ts';

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
  await expect(repeat(work, { attempts: 3, pauseMs: 0 })).resolves.toBe(expected);
  expect(calls()).toBe(expected);
});

test('work that fails each time fails as it did at last', async () => {
  const { work, calls } = failingTimes(9);
  await expect(repeat(work, { attempts: 3, pauseMs: 0 })).rejects.toThrow('failure 3');
  expect(calls()).toBe(3);
});
