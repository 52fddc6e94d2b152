import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { type ChainIndex, openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { completeHistory } from '../../../lambdas/indexer/follow/complete-history.ts';
import { fillRange } from '../../../lambdas/indexer/follow/fill-range.ts';
import { followStep } from '../../../lambdas/indexer/follow/follow-step.ts';
import type { ChainDatabase } from '../../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { dumpIndex } from '../follow/dump-index.ts';
import { type ForkingChain, makeForkingChain } from '../follow/forking-chain.ts';
import { decode, followAll, inTime } from './indexed-chain.ts';
import { contradictionsOf } from './sound-index.ts';

const HEAD = 14;
const PAGE_BLOCKS = 8;
/** More calls of the database than any of these runs makes. */
const MAX_CALLS = 400;

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

class Crash extends Error {}

/** When a process goes down: before a call of the database has an effect, or before its answer comes back. */
const MOMENTS = ['before', 'after'] as const;
type Moment = (typeof MOMENTS)[number];

/** A database whose n-th call is the last one: statements, and beginnings and ends of transactions. */
function crashingAt(nth: number, moment: Moment): ChainDatabase {
  let calls = 0;
  const call = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    calls += 1;
    if (calls === nth && moment === 'before') throw new Crash();
    const result = await work();
    if (calls === nth) throw new Crash();
    return result;
  };
  const { writer } = database;
  return {
    query: (sql, parameters) => call(() => writer.query(sql, parameters)),
    async transaction(work) {
      const result = await writer.transaction(async (queries) => {
        const made = await work({ query: (sql, parameters) => call(() => queries.query(sql, parameters)) });
        await call(async () => undefined);
        return made;
      });
      await call(async () => undefined);
      return result;
    },
  };
}

/**
 * Runs some work with a process that goes down at its first call of the database, continues with one that does so at
 * its second, and so on until one comes to its end; after each of them the index must be sound.
 */
async function runThroughCrashes(
  schema: string,
  moment: Moment,
  work: (index: ChainIndex) => Promise<unknown>,
): Promise<number> {
  for (let nth = 1; nth <= MAX_CALLS; nth += 1) {
    try {
      await work(openChainIndex(connectionTo(crashingAt(nth, moment), schema)));
      return nth - 1;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    expect(await contradictionsOf(database.postgres.superuser, schema)).toEqual([]);
  }
  throw new Error('no run came to its end');
}

const dump = (schema: string) => dumpIndex(database.postgres.superuser, schema);
const newChain = () => makeForkingChain(HEAD, PAGE_BLOCKS);

/** The tables of an index that saw all of this without a crash. */
async function undisturbed(work: (index: ChainIndex, chain: ForkingChain) => Promise<unknown>) {
  const schema = await newSchema(database);
  await work(openChainIndex(connectionTo(database.writer, schema)), newChain());
  return dump(schema);
}

describe('a backfill', () => {
  const FIRST = 11;
  const MIDDLE = 6;

  /** An index that began in the middle of the chain. */
  async function begin(index: ChainIndex, chain: ForkingChain): Promise<void> {
    await index.begin(chain.blocks[FIRST - 1] as RawBlock);
    await followStep({ reader: chain.reader, index, decode }, inTime());
  }

  async function fill(index: ChainIndex, chain: ForkingChain): Promise<void> {
    const parts = { reader: chain.reader, index, decode, outOfTime: () => false };
    await fillRange(parts, { from: MIDDLE, to: HEAD }, inTime());
    await fillRange(parts, { from: 0, to: HEAD }, inTime());
    await completeHistory(parts, inTime());
  }

  test.each(MOMENTS)('that goes down %s each call of the database leaves a sound index', async (moment) => {
    const [schema, chain] = [await newSchema(database), newChain()];
    await begin(openChainIndex(connectionTo(database.writer, schema)), chain);
    const crashes = await runThroughCrashes(schema, moment, (index) => fill(index, chain));
    expect(crashes).toBeGreaterThan(20);
    const expected = await undisturbed(async (index, other) => {
      await begin(index, other);
      await fill(index, other);
    });
    expect(await dump(schema)).toEqual(expected);
    expect(expected).toEqual(
      await undisturbed((index, other) => followAll({ reader: other.reader, index, decode })),
    );
  });
});
