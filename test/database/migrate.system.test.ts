import fc from 'fast-check';
import pg from 'pg';
import { createPartitions } from '../../lambdas/chain-data/store/partitions.ts';
import { dropChain, lock, migrate, whenAvailable } from '../../lambdas/migrate/migrate.ts';
import type { Migration } from '../../lambdas/migrate/read-migrations.ts';
import type { Queries } from '../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import {
  DatabaseUnavailableError,
  StatementTimeoutError,
} from '../../lambdas/shared/chain-database/database-error.ts';
import { repetitions } from '../support/at-length.ts';
import { untilTrue } from '../support/until-true.ts';
import { type DataApiFault, startFlakyDataApi } from './flaky-data-api.ts';
import { linesOf } from './lines-of.ts';
import {
  CREDENTIALS,
  connectAs,
  MIGRATIONS,
  type MigratedDatabase,
  startMigratedDatabase,
} from './migrated-database.ts';

const CHAIN = 'example_mainnet';
const HASH = '\\x00';
/** Tables whose indexes have a digest. */
const SLIM: ReadonlySet<string> = new Set(['transactions', 'logs', 'erc20_transfers', 'traces']);

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
  await database.migrate([CHAIN]);
});
afterAll(() => database.close());

/** Makes a partition as the indexer does. @returns how many tables it has anew */
async function makePartition(on: Queries, from: number, end: number): Promise<number> {
  const parameters = { from, end, suffix: `_r${from}` };
  await on.query(`SELECT ${CHAIN}.create_partition(:from, :end, :suffix) AS made`, parameters);
  const { rows } = await on.query(
    `SELECT ${CHAIN}.attach_partition(:from, :end, :suffix) AS made`,
    parameters,
  );
  return Number(rows[0]?.made);
}

function migration(name: string, script: string): Migration {
  return { name, script, checksum: `${name} ${script}` };
}

const MORE = migration('900-more', 'CREATE TABLE {{schema}}.more (n int)');

describe('migrate', () => {
  test('applies each migration once', async () => {
    const applied = `SELECT name FROM gateway.migrations WHERE chain = '${CHAIN}' ORDER BY name`;
    expect(await linesOf(database.admin, applied)).toEqual(MIGRATIONS.map(({ name }) => name));
    expect(await database.migrate([CHAIN])).toEqual([]);
  });

  test('adds what is new: a chain, a migration', async () => {
    expect(await database.migrate([CHAIN, 'other-chain'], [...MIGRATIONS, MORE])).toEqual([
      `${CHAIN}/900-more`,
      ...[...MIGRATIONS, MORE].map(({ name }) => `other-chain/${name}`),
    ]);
    expect(await database.migrate([CHAIN])).toEqual([]);
  });

  test('applies each once also when it runs several times at once', async () => {
    const runs = await Promise.all([1, 2, 3, 4].map(() => database.migrate(['crowded'])));
    expect(runs.flat().sort()).toEqual(MIGRATIONS.map(({ name }) => `crowded/${name}`));
  });

  test('leaves no trace of one that fails', async () => {
    const broken = migration('901-broken', 'CREATE TABLE {{schema}}.half (n int); SELECT nonsense');
    await expect(database.migrate([CHAIN], [...MIGRATIONS, MORE, broken])).rejects.toThrow(/SQLState: 42703/);
    expect(await linesOf(database.admin, `SELECT to_regclass('${CHAIN}.half')::text`)).toEqual(['-']);
    const mended = migration('901-broken', 'CREATE TABLE {{schema}}.half (n int)');
    expect(await database.migrate([CHAIN], [...MIGRATIONS, MORE, mended])).toEqual([`${CHAIN}/901-broken`]);
  });

  test('refuses one that was changed after it was applied', async () => {
    const [first, ...others] = MIGRATIONS;
    if (first === undefined) throw new Error('there are no migrations');
    await expect(
      database.migrate([CHAIN], [{ ...first, checksum: 'changed' }, ...others]),
    ).rejects.toMatchObject({
      name: 'ChangedMigrationError',
    });
  });

  test('refuses a chain that other migrations made, names them, and changes nothing', async () => {
    const others = ['001-others', '002-more'].map((name) => migration(name, 'SELECT 1 AS one'));
    await database.migrate(['strange'], others);
    const state = () =>
      linesOf(
        database.admin,
        `SELECT chain, name FROM gateway.migrations WHERE chain IN ('strange', 'unmade')
         UNION ALL SELECT nspname, 'schema' FROM pg_namespace WHERE nspname IN ('strange', 'unmade') ORDER BY 1, 2`,
      );
    const before = await state();
    const refused = database.migrate(['unmade', 'strange']);
    await expect(refused).rejects.toMatchObject({ name: 'StrangeMigrationError' });
    await expect(refused).rejects.toThrow(
      'strange was made by migration 001-others, which this version does not have, and without 001-blocks',
    );
    expect(await state()).toEqual(before);
    expect(before).toEqual(others.map(({ name }) => `strange ${name}`));
  });

  test('makes a chain anew that was forgotten, and leaves the others alone', async () => {
    await database.migrate(['forgotten', 'kept']);
    for (const chain of ['forgotten', 'kept']) {
      await database.admin.query(`CREATE TABLE ${chain}.trace (n int)`);
    }
    await dropChain(database.admin, 'forgotten');
    expect(await database.migrate(['forgotten', 'kept'])).toEqual(
      MIGRATIONS.map(({ name }) => `forgotten/${name}`),
    );
    const traces =
      "SELECT to_regclass('forgotten.trace')::text AS one, to_regclass('kept.trace')::text AS other";
    expect(await linesOf(database.admin, traces)).toEqual(['- kept.trace']);
    expect(() => dropChain(database.admin, 'public')).toThrow(/is not a valid schema name/);
  });

  test.each(['pg_catalog', 'public', 'a"; DROP SCHEMA gateway; --', ''])(
    'refuses a chain named %j',
    async (chain) => {
      await expect(database.migrate([chain])).rejects.toThrow(/is not a valid schema name/);
    },
  );
});

describe('the first migration of a database that is not well', () => {
  const FAULTS = ['504', '504 once done', 'cut', 'asleep', 'fails over'] as const;
  /** Requests of a migration of one chain by these, at the least. */
  const REQUESTS = 30;
  const FAILS_OVER_REQUESTS = 3;
  const RUNS = repetitions(6);
  const SMALL = [
    migration(
      '001-one',
      'CREATE SCHEMA {{schema}}; CREATE TABLE {{schema}}.one (n int); CREATE INDEX ON {{schema}}.one (n)',
    ),
    migration('002-two', 'CREATE TABLE {{schema}}.two (n int)'),
  ];
  const faults = fc.dictionary(
    fc.integer({ min: 1, max: REQUESTS }).map(String),
    fc.constantFrom(...FAULTS),
    { minKeys: 1, maxKeys: 4 },
  );
  let chains = 0;

  /** Ends every session but this one, as the end of a writer does. */
  async function endSessions(): Promise<void> {
    const client = new pg.Client(database.postgres.superuser);
    await client.connect();
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`);
    await client.end();
  }

  /** Migrates a new chain while these faults happen to requests, by their numbers; returns what it took. */
  async function migrateThrough(
    planned: Readonly<Record<string, (typeof FAULTS)[number]>>,
  ): Promise<{ readonly requests: number; readonly waitedMs: number }> {
    let failing = 0;
    const faultOf = async (number: number, path: string): Promise<DataApiFault | undefined> => {
      if (failing > 0) {
        failing -= 1;
        return '504';
      }
      // One that is not rolled back keeps the lock for three minutes, which the test below is about.
      const fault = path === '/RollbackTransaction' ? undefined : planned[number];
      if (fault === 'asleep' || fault === 'fails over') await endSessions();
      if (fault === 'asleep') database.dataApi.pause(2);
      if (fault === 'fails over') failing = FAILS_OVER_REQUESTS - 1;
      return fault === 'fails over' ? 'cut' : fault === 'asleep' ? undefined : fault;
    };
    const flaky = await startFlakyDataApi(database.dataApi.url, faultOf);
    try {
      chains += 1;
      const chain = `bad_day_${chains}`;
      const admin = connectAs({ dataApi: flaky }, 'admin');
      const plan = { chains: [chain], migrations: SMALL, credentials: CREDENTIALS };
      let now = 0;
      const pause = async (durationMs: number) => {
        now += durationMs;
      };
      await whenAvailable(() => migrate(admin, plan), { clock: { now: () => now }, pause });
      const applied = `SELECT name FROM gateway.migrations WHERE chain = '${chain}' ORDER BY name`;
      expect(await linesOf(database.admin, applied)).toEqual(SMALL.map(({ name }) => name));
      expect(await linesOf(database.admin, `SELECT * FROM ${chain}.one, ${chain}.two`)).toEqual([]);
      expect(await database.migrate([chain], SMALL)).toEqual([]);
      return { requests: flaky.requests, waitedMs: now };
    } finally {
      await flaky.close();
    }
  }

  test('is applied once, wherever a 504, a cut connection, a sleep or a fail-over hits it', async () => {
    const { requests } = await migrateThrough({});
    expect(requests).toBeGreaterThanOrEqual(REQUESTS);
    let longestMs = 0;
    await fc.assert(
      fc.asyncProperty(faults, async (planned) => {
        longestMs = Math.max(longestMs, (await migrateThrough(planned)).waitedMs);
      }),
      { numRuns: RUNS },
    );
    process.stdout.write(
      `first migrations with up to 4 faults in ${requests} requests: ${RUNS} of ${RUNS} applied once, after pauses of ${longestMs / 1_000} s at most\n`,
    );
  });

  test('waits for a lock that a lost client still holds, until the RDS Data API lets go of it', async () => {
    const held = lock({ query: () => Promise.reject(new StatementTimeoutError('45 s', undefined)) });
    await expect(held).rejects.toThrow(DatabaseUnavailableError);
  });
});

describe('the roles', () => {
  const block = `INSERT INTO ${CHAIN}.ring VALUES (7, '${HASH}', '${HASH}', now()) ON CONFLICT DO NOTHING`;

  test('the writer writes and makes partitions, and nothing else', async () => {
    await database.writer.query(block);
    await makePartition(database.writer, 9_900_000, 9_910_000);
    for (const sql of [
      `CREATE TABLE ${CHAIN}.own (n int)`,
      `DROP TABLE ${CHAIN}.ring`,
      `TRUNCATE ${CHAIN}.ring`,
      'CREATE TABLE public.own (n int)',
      'CREATE ROLE another',
      'SELECT chain FROM gateway.migrations',
    ])
      await expect(database.writer.query(sql)).rejects.toMatchObject({ sqlState: '42501' });
  });

  test('the reader reads, and nothing else', async () => {
    await database.writer.query(block);
    expect(await linesOf(database.reader, `SELECT block_number FROM ${CHAIN}.ring`)).toEqual(['7']);
    await expect(database.reader.query(block)).rejects.toMatchObject({ sqlState: '25006' });
    const unlocked = database.reader.transaction(async (queries) => {
      await queries.query('SET TRANSACTION READ WRITE');
      await queries.query(block);
    });
    await expect(unlocked).rejects.toMatchObject({ sqlState: '42501' });
    for (const call of [
      'lock_partitions()',
      `create_partition(1, 2, '_r1')`,
      `attach_partition(1, 2, '_r1')`,
    ])
      await expect(database.reader.query(`SELECT ${CHAIN}.${call}`)).rejects.toMatchObject({
        sqlState: '42501',
      });
    expect(await linesOf(database.reader, 'SHOW statement_timeout')).toEqual(['8s']);
    expect(await linesOf(database.reader, 'SHOW random_page_cost')).toEqual(['0']);
  });
});

describe('the schema', () => {
  const insertLog = (block: number) =>
    database.writer.query(
      `INSERT INTO ${CHAIN}.logs (block_number, log_index, tx_index, tx_hash, block_time, address, data, data_size)
       VALUES (:block, 0, 0, '${HASH}', now(), '${HASH}', '${HASH}', 1)`,
      { block },
    );

  test('has partitions where they were made, and refuses rows elsewhere', async () => {
    await expect(insertLog(25_000_000)).rejects.toMatchObject({ sqlState: '23514' });
    const tables = await makePartition(database.writer, 25_000_000, 25_000_007);
    expect(tables).toBeGreaterThan(10);
    expect(await makePartition(database.writer, 25_000_000, 25_000_007)).toBe(0);
    for (const block of [25_000_000, 25_000_006]) await insertLog(block);
    for (const block of [24_999_999, 25_000_007])
      await expect(insertLog(block)).rejects.toMatchObject({ sqlState: '23514' });
    const partition = `SELECT from_block, to_block, suffix FROM ${CHAIN}.partitions WHERE from_block = 25000000`;
    expect(await linesOf(database.reader, partition)).toEqual(['25000000 25000007 _r25000000']);
  });

  test('a partition that is made and not attached is seen by nothing, and takes no block of another', async () => {
    await database.writer.query(`SELECT ${CHAIN}.create_partition(26000000, 26000010, '_r26000000')`);
    await expect(insertLog(26_000_000)).rejects.toMatchObject({ sqlState: '23514' });
    const direct = (block: number) =>
      database.admin.query(
        `INSERT INTO ${CHAIN}.logs_r26000000 (block_number, log_index, tx_index, tx_hash, block_time, address, data, data_size)
         VALUES (:block, 0, 0, '${HASH}', now(), '${HASH}', '${HASH}', 1)`,
        { block },
      );
    await expect(direct(26_000_010)).rejects.toMatchObject({ sqlState: '23514' });
    await direct(26_000_009);
    const count = () =>
      linesOf(database.reader, `SELECT count(*) FROM ${CHAIN}.logs WHERE block_number >= 26000000`);
    expect(await count()).toEqual(['0']);
    await database.writer.query(`SELECT ${CHAIN}.attach_partition(26000000, 26000010, '_r26000000')`);
    expect(await count()).toEqual(['1']);
  });

  test('makes a partition once when several ask for it at once', async () => {
    const many = [1, 2, 3, 4].map(() => createPartitions(connectionTo(database.writer, CHAIN)));
    await Promise.all(many.map((partitions) => partitions.ensure({ from: 50_000_000, to: 50_000_000 })));
    const made = `SELECT from_block, to_block FROM ${CHAIN}.partitions WHERE to_block > 50000000`;
    expect(await linesOf(database.reader, made)).toEqual(['50000000 50100000']);
  });

  test('makes a partition while a reader keeps its transaction open, and holds up no other reader', async () => {
    const read = `SELECT count(*) AS rows FROM ${CHAIN}.logs`;
    await database.reader.transaction(async (open) => {
      const before = await open.query(read);
      await database.writer.transaction(async (making) => {
        expect(await makePartition(making, 70_000_000, 70_001_000)).toBeGreaterThan(0);
        expect(await database.reader.query(read)).toEqual(before);
      });
      expect(await open.query(read)).toEqual(before);
    });
    await insertLog(70_000_000);
  });

  test('gives up on a locked table after 2 s, makes nothing, and makes all of it later', async () => {
    const ensure = () => makePartition(database.writer, 80_000_000, 80_001_000);
    await database.admin.transaction(async (change) => {
      await change.query(`LOCK TABLE ${CHAIN}.transactions IN SHARE MODE`);
      await expect(
        database.writer.transaction((all) => makePartition(all, 80_000_000, 80_001_000)),
      ).rejects.toMatchObject({ sqlState: '55P03' });
    });
    const children = () =>
      linesOf(
        database.admin,
        `SELECT count(*) FROM pg_class
         WHERE relnamespace = '${CHAIN}'::regnamespace AND relkind = 'r' AND relname LIKE '%_r80000000'`,
      );
    expect(await children()).toEqual(['0']);
    const made = await ensure();
    expect(await children()).toEqual([String(made)]);
  });

  test('gives an attached partition each index of its table, and no other', async () => {
    await makePartition(database.writer, 90_000_000, 90_001_000);
    const { rows } = await database.admin.query(
      `SELECT child.relname::text AS table,
              (SELECT count(*) FROM pg_index WHERE indrelid = inhparent)::int AS of_table,
              (SELECT count(*) FROM pg_index WHERE indrelid = inhrelid)::int AS of_partition,
              (SELECT count(*) FROM pg_index JOIN pg_inherits AS attached ON attached.inhrelid = indexrelid
               WHERE indrelid = pg_inherits.inhrelid)::int AS attached
       FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
       WHERE child.relnamespace = '${CHAIN}'::regnamespace AND child.relname LIKE '%_r90000000' AND child.relkind = 'r'`,
    );
    expect(rows.length).toBeGreaterThan(5);
    for (const { of_table, of_partition, attached } of rows) {
      expect(of_partition).toBe(of_table);
      expect(attached).toBe(of_table);
    }
  });

  test.each([
    [-1, 0, '_r1'],
    [1, 1, '_r1'],
    [95_000_000, 95_001_000, '"; DROP'],
    [95_000_000, 95_001_000, ''],
  ])('makes no partition from %d to %d named %j', async (from, to, suffix) => {
    await expect(
      database.writer.query(`SELECT ${CHAIN}.create_partition(:from, :to, :suffix)`, { from, to, suffix }),
    ).rejects.toMatchObject({ sqlState: 'P0001' });
  });

  test('attaches no partition over another', async () => {
    await makePartition(database.writer, 96_000_000, 96_001_000);
    await expect(makePartition(database.writer, 96_000_500, 96_002_000)).rejects.toMatchObject({
      sqlState: '42P17',
    });
  });

  test('holds the largest numbers that a chain can tell', async () => {
    const largest = (2n ** 256n - 1n).toString();
    await database.writer.query(
      `INSERT INTO ${CHAIN}.balances (holder, token, amount, method, confidence, block_number, snapshot_id)
       VALUES ('${HASH}', '${HASH}', :amount::numeric, 'ledger', 'verified', 1, 1)`,
      { amount: largest },
    );
    expect(await linesOf(database.reader, `SELECT amount FROM ${CHAIN}.balances`)).toEqual([largest]);
  });

  test('lets no block be in two trace gaps', async () => {
    const gap = (from: number, to: number) =>
      database.writer.query(
        `INSERT INTO ${CHAIN}._trace_gaps (from_block, to_block, reason) VALUES (:from, :to, 'timeout')`,
        { from, to },
      );
    await gap(10, 20);
    await gap(21, 21);
    await expect(gap(20, 30)).rejects.toMatchObject({ sqlState: '23P01' });
  });

  test('a statement that asks for the place of a call works it out by itself: no row calls a function', async () => {
    const { rows } = await database.admin.query(
      `EXPLAIN (VERBOSE, COSTS OFF) SELECT ${CHAIN}.call_place(tx_index, trace_index) FROM ${CHAIN}.traces`,
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toContain('call_place');
  });

  // Every list of the Data API is read by one of these, and none may read the whole table.
  test.each([
    ['transactions', 'from_address'],
    ['transactions', 'to_address'],
    ['logs', 'address'],
    ['logs', 'topic0'],
    ['erc20_transfers', 'from_address'],
    ['erc20_transfers', 'to_address'],
    ['erc20_transfers', 'token'],
    ['nft_transfers', 'from_address'],
    ['nft_transfers', 'to_address'],
    ['nft_transfers', 'token'],
    ['dex_swaps', 'pool_id'],
    ['dex_swaps', 'token_in'],
    ['dex_swaps', 'trader'],
    ['traces', 'from_address'],
    ['traces', 'to_address'],
  ])('serves %s by %s from an index, newest first', async (table, column) => {
    const plan = await database.admin.transaction(async (queries) => {
      await queries.query('SET LOCAL enable_seqscan = off');
      await queries.query('SET LOCAL enable_sort = off');
      await queries.query('SET LOCAL enable_bitmapscan = off');
      const isOf = SLIM.has(table)
        ? `${CHAIN}.index_key(${column}) = ${CHAIN}.index_key('${HASH}')`
        : `${column} = '${HASH}'`;
      const sql = `SELECT * FROM ${CHAIN}.${table} WHERE ${isOf} AND block_number < 9000000
        ORDER BY block_number DESC LIMIT 50`;
      const { rows } = await queries.query(`EXPLAIN (COSTS OFF) ${sql}`);
      return rows.map((row) => String(row['QUERY PLAN'])).join('\n');
    });
    expect(plan).toMatch(/Index Scan Backward/);
    expect(plan).toMatch(
      new RegExp(SLIM.has(table) ? `Index Cond: .*sha256\\(${column}\\)` : `Index Cond: .*${column} = `),
    );
    expect(plan).not.toMatch(/Sort|Seq Scan/);
  });
});

describe('freshness', () => {
  test('has a row for each table, also while there is nothing in it', async () => {
    const { rows } = await database.reader.query('SELECT * FROM "other-chain".freshness ORDER BY table_name');
    expect(rows).toHaveLength(17);
    expect(rows[0]).toMatchObject({
      database: 'other-chain',
      table_name: 'balances',
      category: 'tokens',
      key_kind: 'snapshot',
      max_block_number: 0,
      follow_last_block: 0,
      rows_estimate: 0,
    });
  });

  test('tells how far a table is behind the head, and which blocks have no traces', async () => {
    const { writer, reader } = database;
    await writer.query(
      `INSERT INTO crowded.blocks (number, hash, parent_hash, time, miner, gas_limit, gas_used, state_root,
         transactions_root, receipts_root, extra_data, tx_count, log_count, size)
       VALUES (90, '${HASH}', '${HASH}', now() - interval '60 s', '${HASH}', 1, 1, '${HASH}', '${HASH}', '${HASH}',
         '${HASH}', 0, 0, 1)`,
    );
    await writer.query(`INSERT INTO crowded.cursors VALUES ('node', 100, '${HASH}', now())`);
    await writer.query(
      "INSERT INTO crowded.coverage VALUES ('blocks', '{[1,91)}'), ('traces', '{[50,60),[70,91)}')",
    );
    await writer.query(
      "INSERT INTO crowded._trace_gaps (from_block, to_block, reason) VALUES (60, 69, 'rpc_error')",
    );
    const { rows } = await reader.query(
      "SELECT * FROM crowded.freshness WHERE table_name IN ('blocks', 'traces') ORDER BY table_name",
    );
    expect(rows[0]).toMatchObject({
      table_name: 'blocks',
      max_block_number: 90,
      blocks_behind: 10,
      follow_last_block: 90,
      follow_lag_blocks: 10,
      trace_gap_ranges: null,
    });
    expect(Number(rows[0]?.seconds_behind)).toBeGreaterThanOrEqual(60);
    expect(Number(rows[0]?.bytes_estimate)).toBeGreaterThan(0);
    // A connection tells its counters of writes a second to ten after its transaction.
    let counted: unknown;
    await untilTrue(
      async () => {
        const { rows } = await reader.query(
          "SELECT rows_estimate FROM crowded.freshness WHERE table_name = 'blocks'",
        );
        counted = rows[0]?.rows_estimate;
        return Number(counted) === 1;
      },
      { withinMs: 30_000, everyMs: 500, failure: () => `freshness counts ${counted} rows of blocks, not 1` },
    );
    const { rows: plain } = await reader.query(
      "SELECT bytes_estimate FROM crowded.freshness WHERE table_name = 'balances'",
    );
    expect(Number(plain[0]?.bytes_estimate)).toBeGreaterThan(0);
    expect(rows[1]).toMatchObject({
      table_name: 'traces',
      trace_min_block: 50,
      trace_max_block: 90,
      trace_gap_ranges: 1,
      trace_gap_blocks: 10,
    });
  });
});
