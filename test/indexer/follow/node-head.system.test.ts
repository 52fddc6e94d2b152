import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import type { ChainReader } from '../../../lambdas/indexer/follow/chain-reader.ts';
import { followStep } from '../../../lambdas/indexer/follow/follow-step.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { DatabaseError } from '../../../lambdas/shared/chain-database/database-error.ts';
import { PLAIN } from '../../chain-data/decode/raw-blocks.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { makeForkingChain } from './forking-chain.ts';

const HEAD = 300;
const FINALITY = 256;
const AT_REST = ['idle', 'halted'];

let database: MigratedDatabase;

beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

/** Blocks that cannot be had. */
const failingWith = (failure: Error): ChainReader['pages'] => {
  return () => {
    throw failure;
  };
};

/** A chain that is indexed up to its head, and how far freshness says that it is behind its node. */
async function indexedChain() {
  const schema = await newSchema(database);
  const index = openChainIndex(connectionTo(database.writer, schema));
  const chain = makeForkingChain(HEAD, 200);
  const step = (reader: Partial<ChainReader> = {}) =>
    followStep(
      {
        reader: { ...chain.reader, ...reader },
        index,
        decode: (block) => decodeBlock(block, PLAIN),
      },
      { deadline: Date.now() + 120_000 },
    );
  const settle = async () => {
    let { kind } = await step();
    while (!AT_REST.includes(kind)) ({ kind } = await step());
    return kind;
  };
  const one = async (sql: string) => (await database.reader.query(sql)).rows[0];
  const behind = async () => {
    const row = await one(
      `SELECT blocks_behind, follow_lag_blocks FROM ${schema}.freshness WHERE table_name = 'blocks'`,
    );
    return [Number(row?.blocks_behind), Number(row?.follow_lag_blocks)];
  };
  const noted = () =>
    one(`SELECT block_number, updated_at::text AS at FROM ${schema}.cursors WHERE name = 'node'`);
  await settle();
  return { chain, step, settle, behind, noted };
}

test('a chain that became shorter leaves its index behind by nothing', async () => {
  const { chain, step, behind } = await indexedChain();
  chain.fork(HEAD - 200, HEAD - 200);
  expect(await step()).toMatchObject({ kind: 'rolled_back' });
  expect(await behind()).toEqual([0, 0]);
});

test('an index that is halted falls behind its node, from the step on that halts it', async () => {
  const { chain, settle, behind } = await indexedChain();
  chain.fork(HEAD - FINALITY - 1, HEAD + 10);
  expect(await settle()).toBe('halted');
  expect(await behind()).toEqual([10, 10]);
  chain.grow(HEAD + 110);
  expect(await settle()).toBe('halted');
  expect(await behind()).toEqual([110, 110]);
});

test('one that is halted stays so where its node is silent', async () => {
  const { chain, step, settle, behind } = await indexedChain();
  chain.fork(HEAD - FINALITY - 1, HEAD + 10);
  await settle();
  expect(await step({ head: () => Promise.reject(new Error('silent')) })).toMatchObject({ kind: 'halted' });
  expect(await behind()).toEqual([10, 10]);
});

test.each([
  ['cannot be read', new Error('no such block')],
  ['cannot be stored', new DatabaseError('value out of range', undefined)],
])('an index whose next block %s falls behind its node, and says why as before', async (_, failure) => {
  const { chain, step, behind } = await indexedChain();
  for (const head of [HEAD + 5, HEAD + 9]) {
    chain.grow(head);
    await expect(step({ pages: failingWith(failure) })).rejects.toBe(failure);
    expect(await behind()).toEqual([head - HEAD, head - HEAD]);
  }
});

test('a head that was noted wrongly is noted anew by a step with nothing to store', async () => {
  const { chain, step, behind } = await indexedChain();
  chain.grow(HEAD + 40);
  await expect(step({ pages: failingWith(new Error('silent')) })).rejects.toThrow();
  chain.fork(HEAD, HEAD);
  expect(await step()).toMatchObject({ kind: 'idle' });
  expect(await behind()).toEqual([0, 0]);
});

test('a head that stays is not written again, whether the index is idle, stuck or halted', async () => {
  const { chain, step, settle, noted } = await indexedChain();
  const idle = await noted();
  await step();
  expect(await noted()).toEqual(idle);
  chain.grow(HEAD + 1);
  await expect(step({ pages: failingWith(new Error('silent')) })).rejects.toThrow();
  const stuck = await noted();
  await expect(step({ pages: failingWith(new Error('silent')) })).rejects.toThrow();
  expect(await noted()).toEqual(stuck);
  chain.fork(HEAD - FINALITY - 1, HEAD + 1);
  await settle();
  const halted = await noted();
  await settle();
  expect(await noted()).toEqual(halted);
});
