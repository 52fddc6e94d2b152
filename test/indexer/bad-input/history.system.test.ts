import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { type ChainIndex, openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { completeHistory } from '../../../lambdas/indexer/follow/complete-history.ts';
import { type FillParts, fillRange } from '../../../lambdas/indexer/follow/fill-range.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { dumpIndex } from '../follow/dump-index.ts';
import { type ForkingChain, makeForkingChain } from '../follow/forking-chain.ts';
import { decode, followAll, inTime } from './indexed-chain.ts';
import { contradictionsOf } from './sound-index.ts';

const HEAD = 120;
const FIRST = 90;

let database: MigratedDatabase;
let chain: ForkingChain;

beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());
beforeEach(() => {
  chain = makeForkingChain(HEAD, 8);
});

const dump = (schema: string) => dumpIndex(database.postgres.superuser, schema);
const partsOf = (index: ChainIndex): FillParts => ({
  reader: chain.reader,
  index,
  decode,
  outOfTime: () => false,
});

/** An index that began late, and had its past filled up in parts, in this order. */
async function filled(ranges: readonly (readonly [from: number, to: number])[]) {
  const schema = await newSchema(database);
  const index = openChainIndex(connectionTo(database.writer, schema));
  await index.begin(chain.blocks[FIRST - 1] as RawBlock);
  await followAll(partsOf(index));
  for (const [from, to] of ranges) await fillRange(partsOf(index), { from, to }, inTime());
  return { schema, index };
}

async function undisturbed() {
  const schema = await newSchema(database);
  await followAll(partsOf(openChainIndex(connectionTo(database.writer, schema))));
  return dump(schema);
}

test('the past that comes later makes the index what it had been from the beginning', async () => {
  const { schema, index } = await filled([
    [60, 89],
    [0, 19],
    [20, 59],
  ]);
  const before = await dump(schema);
  const expected = await undisturbed();
  expect(before.dex_swaps?.length).toBeLessThan(expected.dex_swaps?.length ?? 0);
  expect(await completeHistory(partsOf(index), inTime())).toEqual({ blocks: 61, complete: true });
  expect(await dump(schema)).toEqual(expected);
  expect(await completeHistory(partsOf(index), inTime())).toEqual({ blocks: 0, complete: true });
});

test('nothing is complete while something is missing below', async () => {
  const { schema, index } = await filled([
    [60, 89],
    [20, 59],
    [1, 19],
  ]);
  const before = await dump(schema);
  expect(await completeHistory(partsOf(index), inTime())).toEqual({ blocks: 0, complete: true });
  expect(await dump(schema)).toEqual(before);
});

test('what the time does not allow is left for later', async () => {
  const { schema, index } = await filled([
    [60, 89],
    [0, 59],
  ]);
  const before = await dump(schema);
  const late = { ...partsOf(index), outOfTime: () => true };
  expect(await completeHistory(late, inTime())).toEqual({ blocks: 0, complete: false });
  expect(await dump(schema)).toEqual(before);
});

test('several at once complete it as one does', async () => {
  const { schema, index } = await filled([
    [60, 89],
    [0, 59],
  ]);
  await Promise.all([1, 2, 3].map(() => completeHistory(partsOf(index), inTime())));
  expect(await dump(schema)).toEqual(await undisturbed());
});

test('what is taken back meanwhile is not covered', async () => {
  const { schema, index } = await filled([
    [60, 89],
    [0, 59],
  ]);
  const step = await index.historyStep();
  expect(step).toMatchObject({ from: 60, to: HEAD });
  chain.fork(HEAD - 10, HEAD + 2);
  await followAll(partsOf(index));
  await completeHistory(partsOf(index), inTime());
  expect(await contradictionsOf(database.postgres.superuser, schema)).toEqual([]);
  expect(await dump(schema)).toEqual(await undisturbed());
});

test('a step that was seen before a rollback leaves nothing', async () => {
  const { schema, index } = await filled([
    [60, 89],
    [0, 59],
  ]);
  const step = await index.historyStep();
  if (step === undefined) throw new Error('nothing to do');
  const cursor = await index.cursor();
  const ancestor = chain.blocks[HEAD - 10];
  if (cursor === undefined || ancestor === undefined) throw new Error('no cursor');
  await index.rollBack(cursor, ancestor);
  await expect(index.completeHistory(step, [], [])).rejects.toThrow('not all blocks');
  expect(await contradictionsOf(database.postgres.superuser, schema)).toEqual([]);
});
