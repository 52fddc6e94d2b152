import { END_OF_BLOCKS } from '../../../lambdas/chain-data/store/partition-bounds.ts';
import { Partitions } from '../../../lambdas/chain-data/store/partitions.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { forgetChain } from '../../../lambdas/migrate/migrate.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import {
  MADE_CHAINS,
  type MigratedDatabase,
  startMigratedDatabase,
} from '../../database/migrated-database.ts';
import { append, cursorOf, fill, linkedBlock } from './linked-blocks.ts';

const HIGH = 25_000_000;
const [REBUILT, REFILLED] = MADE_CHAINS;

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

test('an index that is rebuilt high up goes on in the instances that had filled it', async () => {
  const index = openChainIndex(connectionTo(database.writer, REBUILT));
  const base = linkedBlock(HIGH - 1, []);
  const block = linkedBlock(HIGH, []);
  await index.begin(base);
  await append(index, [block]);
  await forgetChain(database.admin, REBUILT);
  await database.migrate([REBUILT]);
  await index.begin(base);
  await append(index, [block]);
  expect((await cursorOf(index)).number).toBe(HIGH);
});

test('so it is in one that only fills, from its second attempt on', async () => {
  const filling = openChainIndex(connectionTo(database.writer, REFILLED));
  const following = () => openChainIndex(connectionTo(database.writer, REFILLED));
  const blocks = [linkedBlock(9_999_999, []), linkedBlock(10_000_000, [])];
  await following().begin(linkedBlock(HIGH - 1, []));
  await fill(filling, blocks);
  await forgetChain(database.admin, REFILLED);
  await database.migrate([REFILLED]);
  await following().begin(linkedBlock(HIGH - 1, []));
  await expect(fill(filling, blocks)).rejects.toThrow('no partition');
  await fill(filling, blocks);
  expect(await filling.missing({ from: 9_999_998, to: 10_000_001 })).toEqual([
    { from: 9_999_998, to: 9_999_998 },
    { from: 10_000_001, to: 10_000_001 },
  ]);
});

test('the last blocks that have room in a row have a partition, and those behind them are refused by name', async () => {
  const partitions = new Partitions(connectionTo(database.writer, REFILLED));
  const last = END_OF_BLOCKS - 1;
  await partitions.ensure({ from: last, to: last });
  await partitions.ensure({ from: last, to: last }, 1_000);
  await expect(partitions.ensure({ from: last, to: END_OF_BLOCKS })).rejects.toThrow(
    `block ${END_OF_BLOCKS} cannot be stored: partitions end at ${END_OF_BLOCKS}`,
  );
});
