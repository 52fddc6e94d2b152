/** Work on many items at once begins no further item after one has failed, and leaves none under way behind. */
import { inParallel } from '../../../lambdas/shared/runtime/in-parallel.ts';

test('after a failure nothing further begins, and what is under way is waited for', async () => {
  const ended: number[] = [];
  const begun: number[] = [];
  const work = async (item: number) => {
    begun.push(item);
    if (item === 1) throw new Error('one');
    await new Promise(setImmediate);
    ended.push(item);
    if (item === 2) throw new Error('two');
  };
  await expect(inParallel([0, 1, 2, 3, 4, 5], 3, work)).rejects.toThrow('one');
  expect(begun).toEqual([0, 1, 2]);
  expect(ended).toEqual([0, 2]);
});

test('it stops where it is told to, and says how many items it began', async () => {
  let done = 0;
  const count = async () => {
    done += 1;
  };
  expect(await inParallel([1, 2, 3, 4], 2, count, () => done >= 2)).toBe(2);
  expect(await inParallel([1, 2, 3, 4], 2, count)).toBe(4);
});
