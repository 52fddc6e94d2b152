import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { StrangeBlocksError } from '../../../lambdas/chain-data/store/neighbours.ts';
import { type ChainIndex, openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { fillRange, UnindexedRangeError } from '../../../lambdas/indexer/follow/fill-range.ts';
import { followStep } from '../../../lambdas/indexer/follow/follow-step.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { PLAIN } from '../../chain-data/decode/raw-blocks.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { dumpIndex } from './dump-index.ts';
import { type ForkingChain, makeForkingChain } from './forking-chain.ts';

const HEAD = 80;
/** The index begins here; all below is to be filled. */
const FIRST = 50;
const ALL = { from: 0, to: HEAD };
const decode = (block: RawBlock) => decodeBlock(block, PLAIN);
const options = () => ({ deadline: Date.now() + 120_000 });

let database: MigratedDatabase;
let chain: ForkingChain;
let index: ChainIndex;

beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

async function newIndex(): Promise<{ schema: string; index: ChainIndex }> {
  const schema = await newSchema(database);
  return { schema, index: openChainIndex(connectionTo(database.writer, schema)) };
}

/** An index that began in the middle of the chain and is at its head. */
async function begunIndex() {
  const opened = await newIndex();
  await opened.index.begin(chain.blocks[FIRST - 1] as RawBlock);
  await followStep({ reader: chain.reader, index: opened.index, decode }, options());
  return opened;
}

function fill(range = ALL, outOfTime = () => false) {
  return fillRange({ reader: chain.reader, index, decode, outOfTime }, range, options());
}

const dump = (schema: string) => dumpIndex(database.postgres.superuser, schema);

/** Rows that do not depend on the order in which blocks are stored. */
async function rowsOfBlocks(schema: string) {
  const {
    coverage: _,
    dex_swaps: __,
    dex_liquidity_events: ___,
    dex_pools: ____,
    ...tables
  } = await dump(schema);
  return tables;
}

beforeEach(() => {
  chain = makeForkingChain(HEAD, 9);
});

test('what is missing below an index is filled up, once', async () => {
  const opened = await begunIndex();
  index = opened.index;
  expect((await dump(opened.schema))._trace_gaps?.[0]).toContain('"not_started"');
  expect(await fill()).toEqual({ blocks: FIRST, complete: true });
  expect(await fill()).toEqual({ blocks: 0, complete: true });
  const whole = await newIndex();
  await followStep({ reader: chain.reader, index: whole.index, decode }, options());
  await followStep({ reader: chain.reader, index: whole.index, decode }, options());
  expect(await rowsOfBlocks(opened.schema)).toEqual(await rowsOfBlocks(whole.schema));
});

test('several at once fill a range as one does', async () => {
  const opened = await begunIndex();
  index = opened.index;
  const reports = await Promise.all([fill(), fill({ from: 20, to: 60 }), fill({ from: 0, to: 30 }), fill()]);
  expect(reports.filter(({ complete }) => !complete)).toEqual([]);
  expect(reports.reduce((sum, { blocks }) => sum + blocks, 0)).toBe(FIRST);
  const alone = await begunIndex();
  index = alone.index;
  await fill();
  const [one, other] = [await rowsOfBlocks(opened.schema), await rowsOfBlocks(alone.schema)];
  expect(one).toEqual(other);
});

test('what the time does not allow is left for later', async () => {
  index = (await begunIndex()).index;
  let pages = 0;
  const report = await fill(ALL, () => {
    pages += 1;
    return pages > 2;
  });
  expect(report).toEqual({ blocks: 18, complete: false });
  expect(await index.missing(ALL)).toEqual([{ from: 18, to: FIRST - 1 }]);
});

test('blocks of another chain are refused', async () => {
  index = (await begunIndex()).index;
  chain.fork(FIRST - 5, HEAD);
  await expect(fill({ from: FIRST - 8, to: FIRST - 1 })).rejects.toThrow(StrangeBlocksError);
  expect(await index.missing(ALL)).toEqual([{ from: 0, to: FIRST - 1 }]);
});

test('nothing above the cursor is filled', async () => {
  index = (await begunIndex()).index;
  await expect(fill({ from: 0, to: HEAD + 1 })).rejects.toThrow(UnindexedRangeError);
});

test('datasets that need the whole history are covered only where that is stored', async () => {
  const opened = await begunIndex();
  index = opened.index;
  const covered = async (dataset: string) => {
    const row = (await dump(opened.schema)).coverage?.find((one) => one.includes(`"${dataset}"`));
    return row === undefined ? undefined : (JSON.parse(row) as { covered: string }).covered;
  };
  expect([await covered('logs'), await covered('nft_owners')]).toEqual(['{[50,81)}', undefined]);
  await fill({ from: 0, to: 17 });
  await fill({ from: 30, to: 40 });
  expect([await covered('logs'), await covered('nft_owners')]).toEqual([
    '{[0,18),[30,41),[50,81)}',
    '{[0,18)}',
  ]);
});
