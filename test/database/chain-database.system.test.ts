import fc from 'fast-check';
import { connectRdsData } from '../../lambdas/shared/aws/rds-data.ts';
import { createChainDatabase } from '../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import {
  DatabaseError,
  DatabaseUnavailableError,
  ResultTooLargeError,
} from '../../lambdas/shared/chain-database/database-error.ts';
import { type LoadType, type LoadValue, loadRows } from '../../lambdas/shared/chain-database/load-rows.ts';
import { type Sql, sql } from '../../lambdas/shared/chain-database/sql.ts';
import { localClientConfig } from '../../local/client-config.ts';
import { ACCESS_KEY_ID } from '../local/access-key.ts';
import {
  CLUSTER_ARN,
  DATABASE_NAME,
  SECRET_ARNS,
  startTestDatabase,
  type TestDatabase,
} from '../local/database/test-database.ts';
import { anyText } from '../support/any-text.ts';
import { repetitions } from '../support/at-length.ts';
import { listen } from '../support/listen.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.close());

function connect(
  options: { url?: string; resumeWaitMs?: number; timeoutMs?: number; pauses?: number[] } = {},
) {
  const { url = database.dataApi.url, pauses = [], ...others } = options;
  return createChainDatabase({
    resourceArn: CLUSTER_ARN,
    secretArn: SECRET_ARNS.admin,
    database: DATABASE_NAME,
    connect: connectRdsData,
    clientConfig: localClientConfig(url, ACCESS_KEY_ID),
    pause: async (durationMs) => void pauses.push(durationMs),
    ...others,
  });
}

describe('query', () => {
  test('gives rows by name, with values that lose nothing', async () => {
    const { rows } = await connect().query(
      `SELECT 1 AS n, 1.50 AS d, 'x' AS t, true AS b, null AS nothing, decode('0aff', 'hex') AS h, array[1, 2] AS a`,
    );
    expect(rows).toEqual([
      { n: 1, d: '1.50', t: 'x', b: true, nothing: null, h: new Uint8Array([10, 255]), a: [1, 2] },
    ]);
  });

  test('takes values by name', async () => {
    const parameters = {
      n: 7,
      d: 1.5,
      big: 2n ** 200n,
      t: 'x',
      b: false,
      h: new Uint8Array([1]),
    };
    const { rows } = await connect().query(
      'SELECT :n AS n, :d AS d, :big AS big, :t AS t, :b AS b, :h AS h',
      parameters,
    );
    expect(rows).toEqual([{ ...parameters, big: (2n ** 200n).toString() }]);
  });

  test('refuses an integer that a number cannot hold', async () => {
    await expect(connect().query('SELECT 9007199254740993 AS n')).rejects.toThrow(RangeError);
  });

  test('tells the SQLSTATE of what PostgreSQL refuses', async () => {
    const failure = connect().query('SELECT 1 / 0 AS n');
    await expect(failure).rejects.toThrow(DatabaseError);
    await expect(failure).rejects.toMatchObject({ sqlState: '22012' });
  });

  test('tells a result that is too large from other failures', async () => {
    await expect(connect().query("SELECT repeat('x', 70000) AS x")).rejects.toThrow(ResultTooLargeError);
  });

  test('tells a database that cannot be reached', async () => {
    await expect(connect({ url: 'http://127.0.0.1:1' }).query('SELECT 1')).rejects.toThrow(
      DatabaseUnavailableError,
    );
  });

  test('does not wait for an answer for ever', async () => {
    const { url, close } = await listen();
    await expect(connect({ url, timeoutMs: 50 }).query('SELECT 1')).rejects.toThrow(DatabaseUnavailableError);
    await close();
  });
});

describe('a database that wakes', () => {
  test('is asked again, a statement and a transaction alike', async () => {
    const pauses: number[] = [];
    database.dataApi.pause(3);
    expect((await connect({ pauses }).query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    expect(pauses).toEqual([500, 1_000, 2_000]);
    database.dataApi.pause(1);
    const result = await connect().transaction((queries) => queries.query('SELECT 2 AS n'));
    expect(result.rows).toEqual([{ n: 2 }]);
  });

  test('is not waited for longer than one wants to', async () => {
    const pauses: number[] = [];
    database.dataApi.pause(100);
    const failure = connect({ pauses, resumeWaitMs: 3_500 }).query('SELECT 1');
    await expect(failure).rejects.toMatchObject({ name: 'DatabaseResumingError' });
    expect(pauses).toEqual([500, 1_000, 2_000]);
    database.dataApi.pause(0);
  });
});

describe('transaction', () => {
  beforeAll(() => connect().query('CREATE TABLE steps (n bigint PRIMARY KEY)'));
  beforeEach(() => connect().query('DELETE FROM steps'));
  const steps = async () => (await connect().query('SELECT n FROM steps ORDER BY n')).rows.map(({ n }) => n);

  test('commits what its work did, and returns its result', async () => {
    const result = await connect().transaction(async ({ query }) => {
      await query('INSERT INTO steps VALUES (1)');
      expect(await steps()).toEqual([]);
      return (await query('INSERT INTO steps VALUES (2)')).updated;
    });
    expect(result).toBe(1);
    expect(await steps()).toEqual([1, 2]);
  });

  test('undoes what its work did when that fails', async () => {
    const failure = new Error('no');
    const work = connect().transaction(async ({ query }) => {
      await query('INSERT INTO steps VALUES (1)');
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    expect(await steps()).toEqual([]);
    const { rows } = await connect().query(
      "SELECT count(*) AS n FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'",
    );
    expect(rows).toEqual([{ n: 0 }]);
  });
});

describe('loadRows', () => {
  const COLUMNS: Readonly<Record<string, LoadType>> = {
    n: 'bigint',
    amount: 'numeric',
    hash: 'bytea',
    label: 'text',
    extra: 'jsonb',
    flag: 'boolean',
    at: 'timestamptz',
  };
  const TABLE = 'loads.loaded';
  beforeAll(async () => {
    await connect().query('CREATE SCHEMA loads');
    await connect().query(
      `CREATE TABLE ${TABLE} (n bigint PRIMARY KEY, amount numeric(78,0), hash bytea, label text, extra jsonb, flag boolean, at timestamptz)`,
    );
  });
  beforeEach(() => connect().query(`TRUNCATE ${TABLE}`));
  const load = (rows: LoadValue[][], onConflict?: Sql) =>
    loadRows(connectionTo(connect(), 'loads'), {
      table: sql`{{schema}}.loaded`,
      columns: COLUMNS,
      rows,
      ...(onConflict !== undefined && { onConflict }),
    });
  const READ = `SELECT n, amount, '0x' || encode(hash, 'hex') AS hash, label, extra::text AS extra, flag,
    to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at FROM ${TABLE} ORDER BY n`;

  const text = fc
    .oneof(anyText(), fc.constantFrom('', 'NULL', 'null', '{', '}', ',', '"', '\\', '\\"', ' '))
    .filter((value) => !value.includes('\0') && value.isWellFormed());
  const row = fc.tuple(
    fc.maxSafeInteger(),
    fc.option(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })),
    fc.option(fc.uint8Array().map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)),
    fc.option(text),
    fc.option(fc.record({ 'a "b"': fc.integer() }).map((value) => JSON.stringify(value))),
    fc.option(fc.boolean()),
    fc.option(fc.constantFrom('2026-01-02T03:04:05Z', '1970-01-01T00:00:00Z')),
  );

  test('stores any value as it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(row, { selector: ([n]) => n, maxLength: 20 }), async (rows) => {
        await connect().query(`TRUNCATE ${TABLE}`);
        expect(await load(rows)).toBe(rows.length);
        const expected = rows
          .toSorted(([one], [other]) => one - other)
          .map(([n, amount, hash, label, extra, flag, at]) => ({
            ...{ n, amount: amount?.toString() ?? null, hash, label, flag, at },
            extra: extra === null ? null : extra.replaceAll('":', '": '),
          }));
        expect((await connect().query(READ)).rows).toEqual(expected);
      }),
      { numRuns: repetitions(30) },
    );
  });

  test('leaves out what is there already, or does what it is told', async () => {
    const one = (label: string): LoadValue[] => [1, 1, '0x00', label, null, null, null];
    expect(await load([one('first')])).toBe(1);
    expect(await load([one('second')])).toBe(0);
    expect(await load([one('third')], sql`(n) DO UPDATE SET label = excluded.label`)).toBe(1);
    expect((await connect().query(`SELECT label FROM ${TABLE}`)).rows).toEqual([{ label: 'third' }]);
  });

  test('parts what is more than one request may hold', async () => {
    const escaped = '\u0001'.repeat(30_000);
    const texts = Array.from({ length: 60 }, (_, n): LoadValue[] => [n, 1, null, escaped, null, null, null]);
    expect(await load(texts)).toBe(60);
    const long = `0x${'00'.repeat(120_000)}`;
    const hashes = Array.from({ length: 30 }, (_, n): LoadValue[] => [
      n + 60,
      1,
      long,
      null,
      null,
      null,
      null,
    ]);
    expect(await load(hashes)).toBe(30);
    const many = Array.from({ length: 12_001 }, (_, n): LoadValue[] => [
      n + 100,
      n,
      '0x01',
      'x',
      null,
      true,
      null,
    ]);
    expect(await load(many)).toBe(12_001);
  });

  test.each<[LoadType, LoadValue]>([
    ['bigint', '1,2'],
    ['numeric', '1}'],
    ['numeric', 'NULL'],
    ['bytea', '00'],
    ['bytea', '0x0g'],
    ['bytea', '0x00,00'],
    ['boolean', 'true'],
  ])('refuses a %s that is none: %j', async (type, value) => {
    await expect(
      loadRows(connectionTo(connect(), 'loads'), {
        table: sql`{{schema}}.loaded`,
        columns: { n: type },
        rows: [[value]],
      }),
    ).rejects.toThrow(TypeError);
  });
});
