import { ExecuteStatementCommand } from '@aws-sdk/client-rds-data';
import pg from 'pg';
import type { RawBlock, RawTransaction } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { StrangeBlocksError } from '../../../lambdas/chain-data/store/neighbours.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { fillRange } from '../../../lambdas/indexer/follow/fill-range.ts';
import { connectRdsData } from '../../../lambdas/shared/aws/rds-data.ts';
import {
  type ChainDatabase,
  createChainDatabase,
} from '../../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import {
  DatabaseError,
  DatabaseResumingError,
  ResultTooLargeError,
  StatementTimeoutError,
} from '../../../lambdas/shared/chain-database/database-error.ts';
import { localClientConfig } from '../../../local/client-config.ts';
import { startDataApiEndpoint } from '../../../local/database/data-api-endpoint.ts';
import type { DataApiLimits } from '../../../local/database/data-api-limits.ts';
import { MULTIPLIER_UPDATED } from '../../chain-data/decode/contract-events.ts';
import { address, logOf, rawTransaction } from '../../chain-data/decode/raw-blocks.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { ACCESS_KEY_ID } from '../../local/access-key.ts';
import { CLUSTER_ARN, DATABASE_NAME, SECRET_ARNS } from '../../local/database/test-database.ts';
import { dumpIndex } from '../follow/dump-index.ts';
import { type ForkingChain, makeForkingChain } from '../follow/forking-chain.ts';
import { decode, followAll, inTime } from './indexed-chain.ts';
import { contradictionsOf } from './sound-index.ts';

type DataApiEndpoint = Awaited<ReturnType<typeof startDataApiEndpoint>>;

const HEAD = 20;
const FIRST = 10;
const POLL_MS = 10;
const MAX_POLLS = 1_000;

let database: MigratedDatabase;
let chain: ForkingChain;
let schema: string;
const endpoints: DataApiEndpoint[] = [];

beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(async () => {
  await Promise.all(endpoints.map((endpoint) => endpoint.close()));
  await database?.close();
});
beforeEach(async () => {
  chain = makeForkingChain(HEAD, 8);
  schema = await newSchema(database);
});
afterEach(async () => {
  expect(await contradictionsOf(database.postgres.superuser, schema)).toEqual([]);
});

/** The same database through an RDS Data API with other limits, and a writer there. */
async function limited(limits: Partial<DataApiLimits>) {
  const { secrets } = database;
  const { superuser } = database.postgres;
  const endpoint = await startDataApiEndpoint({
    accessKeyId: ACCESS_KEY_ID,
    superuser,
    clusters: new Set([CLUSTER_ARN]),
    secrets,
    limits,
  });
  endpoints.push(endpoint);
  return { endpoint, writer: writerAt(endpoint) };
}

function writerAt({ url }: DataApiEndpoint): ChainDatabase {
  return createChainDatabase({
    resourceArn: CLUSTER_ARN,
    secretArn: SECRET_ARNS.writer,
    database: DATABASE_NAME,
    connect: connectRdsData,
    clientConfig: localClientConfig(url, ACCESS_KEY_ID),
    pause: async () => undefined,
  });
}

const follow = (through: ChainDatabase) =>
  followAll({ reader: chain.reader, index: openChainIndex(connectionTo(through, schema)), decode });
const dump = (name = schema) => dumpIndex(database.postgres.superuser, name);

async function undisturbed() {
  const fresh = await newSchema(database);
  await followAll({
    reader: chain.reader,
    index: openChainIndex(connectionTo(database.writer, fresh)),
    decode,
  });
  return dump(fresh);
}

/** A session with a lock of its own on the coverage of blocks, without which nothing can be stored. */
async function holdCoverage(): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client(database.postgres.superuser);
  await client.connect();
  await client.query('BEGIN');
  await client.query(`SELECT FROM ${schema}.coverage FOR UPDATE`);
  return { release: () => client.end() };
}

/** Waits until some session waits for a lock of another. */
async function untilSomebodyWaits(): Promise<void> {
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    const { rows } = await database.admin.query(
      `SELECT count(*) AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
    );
    if (Number(rows[0]?.waiting) > 0) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error('nobody waits for a lock');
}

describe('a database that sleeps', () => {
  test('is waited for where a step or a transaction begins', async () => {
    const { endpoint, writer } = await limited({});
    endpoint.pause(3);
    await follow(writer);
    chain.grow(HEAD + 5);
    endpoint.pause(2);
    await follow(writer);
    expect(await dump()).toEqual(await undisturbed());
  });

  test.each([2, 5, 9, 14])(
    'in the middle of a transaction, after %i calls, ends that without a trace',
    async (calls) => {
      const { endpoint, writer } = await limited({});
      await openChainIndex(connectionTo(writer, schema)).begin({ ...blockAt(0), number: -1 });
      const before = await dump();
      let left = calls;
      const falling: ChainDatabase = {
        query: writer.query,
        transaction: (work) =>
          writer.transaction((queries) =>
            work({
              query: (sql, parameters) => {
                left -= 1;
                if (left === 0) endpoint.pause(1);
                return queries.query(sql, parameters);
              },
            }),
          ),
      };
      await expect(follow(falling)).rejects.toThrow(DatabaseResumingError);
      expect(await dump()).toEqual(before);
      await follow(writer);
      expect(await dump()).toEqual(await undisturbed());
    },
  );
});

const blockAt = (number: number) => {
  const block = chain.blocks[number];
  if (block === undefined) throw new Error(`no block ${number}`);
  return block;
};

describe('a statement that takes too long', () => {
  test('fails the step and leaves nothing of it; the next one stores everything', async () => {
    await follow(database.writer);
    const before = await dump();
    chain.grow(HEAD + 5);
    const { writer } = await limited({ statementTimeoutMs: 300 });
    const held = await holdCoverage();
    await expect(follow(writer)).rejects.toThrow(StatementTimeoutError);
    expect(await dump()).toEqual(before);
    await held.release();
    await follow(database.writer);
    expect(await dump()).toEqual(await undisturbed());
  });

  test('because a process went down in its transaction is over when that has been idle', async () => {
    await follow(database.writer);
    chain.grow(HEAD + 5);
    const { endpoint, writer } = await limited({ statementTimeoutMs: 1_000, transactionIdleMs: 3_000 });
    await abandonTransaction(endpoint, `UPDATE ${schema}.cursors SET block_number = 7`);
    await expect(follow(writer)).rejects.toThrow(StatementTimeoutError);
    for (let done = false; !done; )
      done = await follow(writer).then(
        () => true,
        (error: unknown) => {
          if (error instanceof StatementTimeoutError) return false;
          throw error;
        },
      );
    expect(await dump()).toEqual(await undisturbed());
  });
});

/** Begins a transaction with a statement, and never ends it: what is left of a process that went down. */
async function abandonTransaction(endpoint: DataApiEndpoint, sql: string): Promise<void> {
  const never = new Promise<never>(() => undefined);
  await new Promise<void>((resolve, reject) => {
    writerAt(endpoint)
      .transaction(async (queries) => {
        await queries.query(sql);
        resolve();
        await never;
      })
      .catch(reject);
  });
}

describe('an answer that is cut for its size', () => {
  test('fails the step and changes nothing', async () => {
    await follow(database.writer);
    const before = await dump();
    chain.fork(HEAD - 5, HEAD + 1);
    const { writer } = await limited({ resultBytes: 1_000 });
    await expect(follow(writer)).rejects.toThrow(ResultTooLargeError);
    expect(await dump()).toEqual(before);
    await follow(database.writer);
    expect(await dump()).toEqual(await undisturbed());
  });

  test('is the answer to any statement that returns 1 MiB, and to a row of 64 KB', async () => {
    const answer = (sql: string) =>
      database.client.send(
        new ExecuteStatementCommand({
          resourceArn: CLUSTER_ARN,
          secretArn: SECRET_ARNS.writer,
          sql,
          database: DATABASE_NAME,
        }),
      );
    await expect(answer(`SELECT repeat('x', 60000) FROM generate_series(1, 20)`)).rejects.toThrow(
      'size limit',
    );
    await expect(answer(`SELECT repeat('x', 70000)`)).rejects.toThrow('size limit');
  });
});

describe('several at once', () => {
  const begun = async () => {
    const index = openChainIndex(connectionTo(database.writer, schema));
    await index.begin(blockAt(FIRST - 1));
    await followAll({ reader: chain.reader, index, decode });
  };

  /** A database where somebody can be let in once a statement of a transaction has run. */
  function pausingAfter(pattern: RegExp, meanwhile: () => Promise<unknown>): ChainDatabase {
    let paused = false;
    return {
      query: database.writer.query,
      transaction: (work) =>
        database.writer.transaction((queries) =>
          work({
            async query(sql, parameters) {
              const result = await queries.query(sql, parameters);
              if (!paused && pattern.test(sql)) {
                paused = true;
                await meanwhile();
              }
              return result;
            },
          }),
        ),
    };
  }

  const fill = (
    through: ChainDatabase,
    [from, to]: readonly [number, number],
    { reader = chain.reader, contents = ({ transactions }: RawBlock) => transactions } = {},
  ) =>
    fillRange(
      {
        reader,
        index: openChainIndex(connectionTo(through, schema)),
        decode: (block) => decode({ ...block, transactions: contents(block) }),
        outOfTime: () => false,
      },
      { from, to },
      inTime(),
    );

  /** Fills one part while another is filled, which is let in after a statement. */
  async function fillBoth(pattern: RegExp, contents: (block: RawBlock) => readonly RawTransaction[]) {
    let other: Promise<unknown> = Promise.resolve();
    const first = pausingAfter(pattern, async () => {
      other = fill(database.writer, [5, 8], { contents });
      await Promise.race([other, untilSomebodyWaits()]);
    });
    await fill(first, [0, 4], { contents });
    await other;
  }

  test('two parts of one gap are filled, and both are gone from it', async () => {
    await begun();
    // With nothing in the blocks, there are no rows but those of the gap to wait for.
    await fillBoth(/DELETE FROM \S+_trace_gaps/, () => []);
    const { rows } = await database.reader.query(
      `SELECT from_block, to_block FROM ${schema}._trace_gaps WHERE reason = 'not_started'`,
    );
    expect(rows).toEqual([{ from_block: FIRST - 1, to_block: FIRST - 1 }]);
  });

  test('an announcement is superseded by one that is stored at the same time', async () => {
    await begun();
    const announced = (block: RawBlock) => {
      const { timestamp, number } = block;
      if (number !== 3 && number !== 6) return [];
      const log = logOf(MULTIPLIER_UPDATED, address(0x50d), [
        1n,
        2n,
        BigInt(timestamp),
        BigInt(timestamp + 1_000),
      ]);
      const transaction = rawTransaction(number);
      return [{ ...transaction, receipt: { ...transaction.receipt, logs: [{ ...log, logIndex: 0 }] } }];
    };
    await fillBoth(/UPDATE \S+stock_multipliers/, announced);
    const { rows } = await database.reader.query(
      `SELECT block_number, superseded FROM ${schema}.stock_multipliers WHERE block_number < 9 ORDER BY 1`,
    );
    expect(rows).toEqual([
      { block_number: 3, superseded: true },
      { block_number: 6, superseded: false },
    ]);
  });

  test('a transaction that PostgreSQL ends because two wait for each other is begun again', async () => {
    await begun();
    let ended = 0;
    const ending = pausingAfter(/INSERT INTO \S+\.tokens/, async () => {
      ended += 1;
      throw new DatabaseError('ERROR: deadlock detected; SQLState: 40P01', undefined);
    });
    expect(await fill(ending, [0, 8])).toEqual({ blocks: 9, complete: true });
    expect(ended).toBe(1);
  });

  test('of two neighbours on different branches only one is stored', async () => {
    await begun();
    const branch = makeForkingChain(HEAD, 8);
    branch.fork(2, HEAD);
    let other: Promise<unknown> = Promise.resolve();
    const first = pausingAfter(/INSERT INTO \S+\.blocks/, async () => {
      other = fill(database.writer, [5, 8]);
      await other;
    });
    await expect(fill(first, [0, 4], { reader: branch.reader })).rejects.toThrow(StrangeBlocksError);
    expect(
      await openChainIndex(connectionTo(database.writer, schema)).missing({ from: 0, to: HEAD }),
    ).toEqual([
      { from: 0, to: 4 },
      { from: FIRST - 1, to: FIRST - 1 },
    ]);
  });
});
