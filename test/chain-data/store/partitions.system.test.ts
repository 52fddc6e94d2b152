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
