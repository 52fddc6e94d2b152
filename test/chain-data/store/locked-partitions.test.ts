import { createPartitions } from '../../../lambdas/chain-data/store/partitions.ts';
import { DatabaseError } from '../../../lambdas/shared/chain-database/database-error.ts';

const LOCKED = 'canceling statement due to lock timeout; SQLState: 55P03';
const RANGE = { from: 5, to: 6 };

/** Partitions of a chain whose database answers the first requests with these errors. */
function partitionsAfter(failures: readonly string[]) {
  const left = [...failures];
  const query = jest.fn(async () => {
    const failure = left.shift();
    if (failure !== undefined) throw new DatabaseError(failure, undefined);
    return { rows: [{ from_block: 0, to_block: 1_000 }], updated: 0 };
  });
  const chain = { name: 'example', query };
  const connection = { ...chain, transaction: <T>(work: (of: typeof chain) => Promise<T>) => work(chain) };
  return { partitions: createPartitions(connection), query };
}

test.each([0, 1, 2])('a table that is locked for %d attempts gets its partitions', async (count) => {
  const { partitions, query } = partitionsAfter(Array(count).fill(LOCKED));
  await partitions.ensure(RANGE);
  await partitions.ensure(RANGE);
  expect(query).toHaveBeenCalledTimes(count + 1);
});

test('one that stays locked is left for a later attempt', async () => {
  const { partitions, query } = partitionsAfter(Array(3).fill(LOCKED));
  await expect(partitions.ensure(RANGE)).rejects.toMatchObject({ sqlState: '55P03' });
  expect(query).toHaveBeenCalledTimes(3);
  await partitions.ensure(RANGE);
  expect(query).toHaveBeenCalledTimes(4);
});

test('any other error is not asked about again', async () => {
  const { partitions, query } = partitionsAfter(['permission denied; SQLState: 42501']);
  await expect(partitions.ensure(RANGE)).rejects.toMatchObject({ sqlState: '42501' });
  expect(query).toHaveBeenCalledTimes(1);
});
