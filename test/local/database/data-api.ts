import {
  BatchExecuteStatementCommand,
  BeginTransactionCommand,
  CommitTransactionCommand,
  ExecuteStatementCommand,
  type ExecuteStatementCommandInput,
  type ExecuteStatementCommandOutput,
  type Field,
  RollbackTransactionCommand,
  type SqlParameter,
} from '@aws-sdk/client-rds-data';
import fc from 'fast-check';
import { anyText } from '../../support/any-text.ts';
import {
  CLUSTER_ARN,
  DATABASE_NAME,
  SECRET_ARNS,
  startTestDatabase,
  type TestDatabase,
} from './test-database.ts';

/** The RDS Data API of a local run takes and gives what that of AWS does. */
export function testDataApi(): void {
  const TARGET = { resourceArn: CLUSTER_ARN, secretArn: SECRET_ARNS.admin };
  const MIB = 1024 * 1024;

  let database: TestDatabase;
  beforeAll(async () => {
    database = await startTestDatabase();
  });
  afterAll(() => database.close());

  function execute(
    sql: string,
    input: Partial<ExecuteStatementCommandInput> = {},
  ): Promise<ExecuteStatementCommandOutput> {
    return database.client.send(
      new ExecuteStatementCommand({ ...TARGET, database: DATABASE_NAME, sql, ...input }),
    );
  }

  /** The first field of the first row. */
  async function fieldOf(
    sql: string,
    parameters: SqlParameter[] = [],
    input: Partial<ExecuteStatementCommandInput> = {},
  ): Promise<Field | undefined> {
    return (await execute(sql, { parameters, ...input })).records?.[0]?.[0];
  }

  function commit(transactionId: string) {
    return database.client.send(new CommitTransactionCommand({ ...TARGET, transactionId }));
  }

  async function begin(): Promise<string> {
    const command = new BeginTransactionCommand({ ...TARGET, database: DATABASE_NAME });
    return (await database.client.send(command)).transactionId ?? '';
  }

  function error(name: string, message: string | RegExp) {
    return expect.objectContaining({ name, message: expect.stringMatching(message) });
  }

  describe('a value comes back', () => {
    beforeAll(() => execute("CREATE TYPE mood AS ENUM ('happy')"));

    test.each<[string, Field]>([
      ['null::text', { isNull: true }],
      ['1::smallint', { longValue: 1 }],
      ['-2::integer', { longValue: -2 }],
      ['9007199254740991::bigint', { longValue: 9007199254740991 }],
      ['1.5::real', { doubleValue: 1.5 }],
      ['0.1::double precision', { doubleValue: 0.1 }],
      ['true', { booleanValue: true }],
      ['false', { booleanValue: false }],
      [
        '115792089237316195423570985008687907853269984665640564039457584007913129639935::numeric(78,0)',
        { stringValue: '115792089237316195423570985008687907853269984665640564039457584007913129639935' },
      ],
      ['\'a "b" é 漢\'::text', { stringValue: 'a "b" é 漢' }],
      ["'x'::varchar(3)", { stringValue: 'x' }],
      ["'x'::char(3)", { stringValue: 'x  ' }],
      ["decode('00ff10', 'hex')", { blobValue: new Uint8Array([0, 255, 16]) }],
      ["''::bytea", { blobValue: new Uint8Array() }],
      ["'2026-01-02'::date", { stringValue: '2026-01-02' }],
      ["'03:04:05.5'::time", { stringValue: '03:04:05.500' }],
      ["'2026-01-02 03:04:05'::timestamp", { stringValue: '2026-01-02 03:04:05' }],
      ["'2026-01-02 03:04:05.12'::timestamp", { stringValue: '2026-01-02 03:04:05.120' }],
      ["'2026-01-02 03:04:05.123456'::timestamp", { stringValue: '2026-01-02 03:04:05.123456' }],
      ["'2026-01-02 03:04:05+02'::timestamptz", { stringValue: '2026-01-02 01:04:05' }],
      ['\'{"a": 1}\'::jsonb', { stringValue: '{"a": 1}' }],
      ['\'{"a":1}\'::json', { stringValue: '{"a":1}' }],
      [
        "'8c5c6f5e-3a7f-4c0e-9a3e-0c1d2e3f4a5b'::uuid",
        { stringValue: '8c5c6f5e-3a7f-4c0e-9a3e-0c1d2e3f4a5b' },
      ],
      ['array[1,2]', { arrayValue: { longValues: [1, 2] } }],
      ['array[true,null]', { arrayValue: { booleanValues: [true, null] } as never }],
      [
        "array['a,b', 'c\"d', '', 'NULL', null]",
        { arrayValue: { stringValues: ['a,b', 'c"d', '', 'NULL', null] } as never },
      ],
      ['array[]::text[]', { arrayValue: { stringValues: [] } }],
    ])('%s', async (sql, field) => {
      expect(await fieldOf(`SELECT ${sql} AS value`)).toEqual(field);
    });

    test.each([
      ["'1 day'::interval", 'INTERVAL'],
      ["'03:04:05+02'::timetz", 'TIME WITH TIME ZONE'],
      ['1::money', 'MONEY'],
      ["'(1,2)'::point", 'POINT'],
      ["'pg_class'::regclass", 'REGCLASS'],
      ['int8range(1, 2)', 'INT8RANGE'],
      ["'a'::name", 'NAME'],
      ["'happy'::mood", 'MOOD'],
      ['pg_advisory_xact_lock(1)', 'VOID'],
    ])('not if its type is unsupported: %s', async (sql, type) => {
      await expect(execute(`SELECT ${sql} AS value`)).rejects.toEqual(
        error('UnsupportedResultException', `The result contains the unsupported data type ${type}`),
      );
    });

    test('not if it is an array of arrays', async () => {
      await expect(execute('SELECT array[[1],[2]]')).rejects.toEqual(
        error('UnsupportedResultException', /multidimensional array/),
      );
    });
  });

  describe('a parameter', () => {
    test.each<[string, SqlParameter, Field]>([
      ['a string is a text', { value: { stringValue: "it's" } }, { stringValue: "it's|text" }],
      ['a long is a bigint', { value: { longValue: 5 } }, { stringValue: '5|bigint' }],
      ['a double', { value: { doubleValue: 0.1 } }, { stringValue: '0.1|double precision' }],
      ['a boolean', { value: { booleanValue: true } }, { stringValue: 'true|boolean' }],
      ['a blob', { value: { blobValue: new Uint8Array([1, 255]) } }, { stringValue: '\\x01ff|bytea' }],
      [
        'a decimal',
        { value: { stringValue: '340282366920938463463374607431768211456' }, typeHint: 'DECIMAL' },
        { stringValue: '340282366920938463463374607431768211456|numeric' },
      ],
    ])('has a type: %s', async (_name, parameter, field) => {
      const sql = "SELECT :a::text || '|' || pg_typeof(:a)::text";
      expect(await fieldOf(sql, [{ name: 'a', ...parameter }])).toEqual(field);
    });

    test('is null', async () => {
      expect(await fieldOf('SELECT coalesce(:a, 7)', [{ name: 'a', value: { isNull: true } }])).toEqual({
        longValue: 7,
      });
    });

    test('of text is no uuid, as on AWS', async () => {
      const parameters = [{ name: 'id', value: { stringValue: '8c5c6f5e-3a7f-4c0e-9a3e-0c1d2e3f4a5b' } }];
      await expect(execute('SELECT 1 WHERE gen_random_uuid() = :id', { parameters })).rejects.toEqual(
        error(
          'DatabaseErrorException',
          /^ERROR: operator does not exist: uuid = text; Hint: .*; Position: \d+; SQLState: 42883$/,
        ),
      );
    });

    test('is not looked for where SQL has text of its own', async () => {
      const sql = `SELECT ':a' || ":b" || $q$:c$q$ || :d::text /* :e /* :f */ */ FROM (SELECT 'x' AS ":b") AS s -- :g`;
      expect(await fieldOf(sql, [{ name: 'd', value: { stringValue: '!' } }])).toEqual({
        stringValue: ':ax:c!',
      });
    });

    test('can carry whole columns as one text', async () => {
      const parameters = [
        { name: 'n', value: { stringValue: '{1,2,NULL}' } },
        { name: 'h', value: { stringValue: '{00ff,"",10}' } },
      ];
      const { records } = await execute(
        "SELECT n, decode(h, 'hex') AS h FROM unnest(:n::text::bigint[], :h::text::text[]) AS t (n, h)",
        { parameters },
      );
      expect(records).toEqual([
        [{ longValue: 1 }, { blobValue: new Uint8Array([0, 255]) }],
        [{ longValue: 2 }, { blobValue: new Uint8Array() }],
        [{ isNull: true }, { blobValue: new Uint8Array([16]) }],
      ]);
    });

    test('of any text and number comes back as it went', async () => {
      await fc.assert(
        fc.asyncProperty(
          anyText().filter((text) => !text.includes('\0')),
          fc.maxSafeInteger(),
          fc.uint8Array(),
          async (text, number, bytes) => {
            const { records } = await execute('SELECT :t AS t, :n AS n, :b AS b', {
              parameters: [
                { name: 't', value: { stringValue: text } },
                { name: 'n', value: { longValue: number } },
                { name: 'b', value: { blobValue: bytes } },
              ],
            });
            const wellFormed = new TextDecoder().decode(new TextEncoder().encode(text));
            expect(records).toEqual([
              [{ stringValue: wellFormed }, { longValue: number }, { blobValue: new Uint8Array(bytes) }],
            ]);
          },
        ),
        { numRuns: 50 },
      );
    });

    test.each<[string, SqlParameter[], RegExp]>([
      ['missing', [], /Cannot find parameter: a/],
      [
        'too many',
        [
          { name: 'a', value: { longValue: 1 } },
          { name: 'b', value: { longValue: 1 } },
        ],
        /no parameter b/,
      ],
      [
        'twice',
        [
          { name: 'a', value: { longValue: 1 } },
          { name: 'a', value: { longValue: 1 } },
        ],
        /Duplicate parameter/,
      ],
      [
        'an array',
        [{ name: 'a', value: { arrayValue: { longValues: [1] } } }],
        /Array parameters are not supported/,
      ],
      ['no decimal', [{ name: 'a', value: { stringValue: 'much' }, typeHint: 'DECIMAL' }], /form of DECIMAL/],
      [
        'of a hint that the gateway never gives',
        [{ name: 'a', value: { stringValue: '2026-01-02' }, typeHint: 'DATE' }],
        /unknown type hint DATE/,
      ],
    ])('is refused: %s', async (_name, parameters, message) => {
      await expect(execute('SELECT :a', { parameters })).rejects.toEqual(
        error('BadRequestException', message),
      );
    });
  });

  describe('a statement', () => {
    test('tells its columns if asked', async () => {
      const { columnMetadata } = await execute('SELECT 1::bigint AS n, now() AS t', {
        includeResultMetadata: true,
      });
      expect(columnMetadata).toEqual([
        { name: 'n', label: 'n' },
        { name: 't', label: 't' },
      ]);
      expect((await execute('SELECT 1')).columnMetadata).toBeUndefined();
    });

    test('tells how many rows it changed', async () => {
      await execute('CREATE TABLE things (n bigint PRIMARY KEY)');
      const inserted = await execute('INSERT INTO things SELECT generate_series(1, 3)');
      expect(inserted).toMatchObject({ numberOfRecordsUpdated: 3, generatedFields: [] });
      expect(inserted.records).toBeUndefined();
      expect(await execute('DELETE FROM things WHERE n > 1')).toMatchObject({ numberOfRecordsUpdated: 2 });
      expect(await execute('SELECT n FROM things')).toMatchObject({
        records: [[{ longValue: 1 }]],
        numberOfRecordsUpdated: 0,
      });
      expect((await execute('SELECT n FROM things WHERE n = 0')).records).toEqual([]);
    });

    test('is one', async () => {
      await expect(execute('SELECT 1; SELECT 2')).rejects.toEqual(
        error('ValidationException', "Multistatements aren't supported"),
      );
      expect(await fieldOf('SELECT 1;')).toEqual({ longValue: 1 });
    });

    test('that PostgreSQL refuses tells why', async () => {
      await expect(execute('SELECT * FROM nowhere')).rejects.toEqual(
        error(
          'DatabaseErrorException',
          /^ERROR: relation "nowhere" does not exist; Position: 15; SQLState: 42P01$/,
        ),
      );
    });

    test('leaves nothing behind in its session', async () => {
      await Promise.all(Array.from({ length: 5 }, () => execute("SET search_path = 'elsewhere'")));
      const { records } = await execute('SHOW search_path');
      expect(records).toEqual([[{ stringValue: '"$user", public' }]]);
    });

    test('that comes again and again is planned a few times, and stays the same', async () => {
      const sql = "SELECT :n * 2 AS twice, 'planned' AS mark";
      const once = (n: number) => fieldOf(sql, [{ name: 'n', value: { longValue: n } }]);
      const plannedOnce = `SELECT coalesce(sum(generic_plans), 0)::int FROM pg_prepared_statements
      WHERE statement LIKE '%''planned'' AS mark'`;
      // Each session tells of its own, and PostgreSQL plans the first uses in each anew: there is a use in each for all.
      let uses = 0;
      for (let seen: unknown = 0; seen === 0 && uses < 500; uses += 1) {
        expect(await once(uses)).toEqual({ longValue: 2 * uses });
        seen = (await fieldOf(plannedOnce))?.longValue;
      }
      expect(uses).toBeLessThan(500);
      await Promise.all(
        Array.from({ length: 50 }, async (_, n) => expect(await once(n)).toEqual({ longValue: 2 * n })),
      );
    });

    test('that comes again after its table was changed is of the table as it is', async () => {
      await execute('CREATE TABLE changing (value integer)');
      await execute('INSERT INTO changing VALUES (1)');
      for (let n = 0; n < 10; n += 1)
        expect(await fieldOf('SELECT * FROM changing')).toEqual({ longValue: 1 });
      await execute("ALTER TABLE changing ALTER value TYPE text USING 'now ' || value");
      for (let n = 0; n < 10; n += 1)
        expect(await fieldOf('SELECT * FROM changing')).toEqual({ stringValue: 'now 1' });
      await execute('DROP TABLE changing');
    });

    test('that prepares another, locks, listens or holds something leaves none of it', async () => {
      const left = `SELECT (SELECT count(*) FROM pg_prepared_statements WHERE from_sql)
      + (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())
      + (SELECT count(*) FROM pg_listening_channels())
      + (SELECT count(*) FROM pg_class WHERE relname = 'passing' AND pg_table_is_visible(oid))
      + (SELECT count(*) FROM pg_settings WHERE source = 'session' AND name = 'work_mem')`;
      for (const sql of [
        'PREPARE own AS SELECT 1',
        'SELECT pg_advisory_lock(1)::text',
        'LISTEN somebody',
        'CREATE TEMP TABLE passing ()',
        "SET work_mem = '1MB'",
        "SELECT set_config('work_mem', '2MB', false)",
      ]) {
        for (let n = 0; n < 8; n += 1) await execute(sql);
        expect(await fieldOf(left)).toEqual({ longValue: 0 });
        const transactionId = await begin();
        await execute(sql, { transactionId });
        await commit(transactionId);
        expect(await fieldOf(left)).toEqual({ longValue: 0 });
      }
    });

    test('has at most 65,536 characters', async () => {
      await expect(execute(`SELECT 1 -- ${'x'.repeat(65_536)}`)).rejects.toEqual(
        error('ValidationException', /less than or equal to 65536/),
      );
    });

    test('is refused with several sets of parameters', async () => {
      const command = new BatchExecuteStatementCommand({ ...TARGET, sql: 'SELECT 1', parameterSets: [] });
      await expect(database.client.send(command)).rejects.toMatchObject({
        name: 'UnknownOperationException',
      });
    });

    test.each<Partial<ExecuteStatementCommandInput>>([
      { schema: 'public' },
      { formatRecordsAs: 'JSON' },
      { resultSetOptions: { longReturnType: 'STRING' } },
    ])('is refused with what would be ignored: %j', async (input) => {
      await expect(execute('SELECT 1', input)).rejects.toEqual(
        error('ValidationException', `The ${Object.keys(input)[0]} parameter isn't supported`),
      );
    });
  });

  describe('the limits', () => {
    // A row of one value costs six bytes beside it.
    const rows = (count: number, length: number) =>
      execute(`SELECT repeat('x', ${length}) AS x FROM generate_series(1, ${count})`);
    const TOO_LARGE = error('UnsupportedResultException', 'The result exceeds the size limit 1 MB.');

    test('a result of 1 MiB passes, a byte more does not', async () => {
      expect((await rows(1_024, 1_024 - 6)).records).toHaveLength(1_024);
      const longer = "SELECT repeat('x', 1018 + (n = 1024)::int) AS x FROM generate_series(1, 1024) AS n";
      await expect(execute(longer)).rejects.toEqual(TOO_LARGE);
    });

    test('a result without end is cut off', async () => {
      await expect(execute('SELECT generate_series(1, 1000000000)')).rejects.toEqual(TOO_LARGE);
    });

    test('a row of 64 KB passes, a byte more does not', async () => {
      expect((await rows(1, 65_536)).records).toHaveLength(1);
      await expect(rows(1, 65_537)).rejects.toEqual(
        error('UnsupportedResultException', 'A row of the result exceeds the size limit 64 KB.'),
      );
    });

    test('a request of 4 MiB does not pass, a little less does', async () => {
      const send = (bytes: number) =>
        fieldOf('SELECT length(:a)', [{ name: 'a', value: { stringValue: 'x'.repeat(bytes) } }]);
      expect(await send(4 * MIB - 1_024)).toEqual({ longValue: 4 * MIB - 1_024 });
      await expect(send(4 * MIB)).rejects.toMatchObject({ name: 'BadRequestException' });
    });
  });

  describe('a transaction', () => {
    beforeAll(() => execute('CREATE TABLE counted (n bigint PRIMARY KEY)'));
    const count = () => fieldOf('SELECT count(*) FROM counted');
    const rollback = (transactionId: string) =>
      database.client.send(new RollbackTransactionCommand({ ...TARGET, transactionId }));
    const notFound = error('TransactionNotFoundException', /is not found$/);

    beforeEach(() => execute('DELETE FROM counted'));

    test('is seen by others when it is committed', async () => {
      const transactionId = await begin();
      await execute('INSERT INTO counted VALUES (1)', { transactionId });
      expect(await count()).toEqual({ longValue: 0 });
      expect(await fieldOf('SELECT count(*) FROM counted', [], { transactionId })).toEqual({ longValue: 1 });
      expect(await commit(transactionId)).toMatchObject({ transactionStatus: 'Transaction Committed' });
      expect(await count()).toEqual({ longValue: 1 });
      await expect(execute('SELECT 1', { transactionId })).rejects.toEqual(notFound);
    });

    test('leaves nothing when it is rolled back', async () => {
      const transactionId = await begin();
      await execute('INSERT INTO counted VALUES (1)', { transactionId });
      expect(await rollback(transactionId)).toMatchObject({ transactionStatus: 'Rollback Complete' });
      expect(await count()).toEqual({ longValue: 0 });
      await expect(commit(transactionId)).rejects.toEqual(notFound);
    });

    test('plans what changes rows a few times where it comes again and again', async () => {
      const sql = 'INSERT INTO counted VALUES (:n)';
      const plannedOnce = `SELECT coalesce(sum(generic_plans), 0)::int FROM pg_prepared_statements
      WHERE statement LIKE 'INSERT INTO counted%'`;
      // Each session plans the first uses anew, and the next transaction may be in another session.
      let uses = 0;
      for (let seen: unknown = 0; seen === 0 && uses < 500; uses += 1) {
        const transactionId = await begin();
        await execute(sql, { transactionId, parameters: [{ name: 'n', value: { longValue: uses } }] });
        seen = (await fieldOf(plannedOnce, [], { transactionId }))?.longValue;
        await commit(transactionId);
      }
      expect(uses).toBeLessThan(500);
      expect(await count()).toEqual({ longValue: uses });
    });

    test('goes on where a table was changed that it has read again and again', async () => {
      await execute('CREATE TABLE widened AS SELECT 1 AS value');
      const readInTransaction = async () => {
        const transactionId = await begin();
        const read = await fieldOf('SELECT * FROM widened', [], { transactionId });
        await commit(transactionId);
        return read;
      };
      for (let n = 0; n < 10; n += 1) expect(await readInTransaction()).toEqual({ longValue: 1 });
      await execute("ALTER TABLE widened ALTER value TYPE text USING 'now ' || value");
      for (let n = 0; n < 10; n += 1) expect(await readInTransaction()).toEqual({ stringValue: 'now 1' });
      await execute('DROP TABLE widened');
    });

    test('cannot be committed after an error', async () => {
      const transactionId = await begin();
      await execute('INSERT INTO counted VALUES (1)', { transactionId });
      await expect(execute('SELECT nonsense', { transactionId })).rejects.toThrow(/42703/);
      await expect(execute('SELECT 1', { transactionId })).rejects.toThrow(/SQLState: 25P02/);
      await expect(commit(transactionId)).rejects.toEqual(error('DatabaseErrorException', /rolled back/));
      expect(await count()).toEqual({ longValue: 0 });
    });

    test('runs one statement at a time', async () => {
      // The one that runs waits for a lock until the others were refused.
      const holder = await begin();
      await execute('SELECT pg_advisory_xact_lock(2)::text', { transactionId: holder });
      const transactionId = await begin();
      const refused: unknown[] = [];
      const statements = [1, 2, 3].map(() =>
        execute('SELECT pg_advisory_xact_lock(2)::text', { transactionId }).catch(async (reason: unknown) => {
          if (refused.push(reason) === 2) await rollback(holder);
        }),
      );
      await Promise.all(statements);
      expect(refused).toHaveLength(2);
      for (const reason of refused)
        expect(reason).toEqual(error('DatabaseErrorException', 'Transaction is still running a query'));
      await rollback(transactionId);
    });

    test('is lost with a result that is too large', async () => {
      const transactionId = await begin();
      await execute('INSERT INTO counted VALUES (1)', { transactionId });
      await expect(
        execute('SELECT n FROM generate_series(1, 1000000) AS n', { transactionId }),
      ).rejects.toMatchObject({ name: 'UnsupportedResultException' });
      await expect(commit(transactionId)).rejects.toEqual(notFound);
      expect(await count()).toEqual({ longValue: 0 });
    });

    test('is unknown to another secret, and without one', async () => {
      const transactionId = await begin();
      database.secrets.set('other', JSON.stringify({ username: 'other', password: 'x' }));
      await expect(execute('SELECT 1', { transactionId, secretArn: 'other' })).rejects.toEqual(notFound);
      await expect(execute('SELECT 1', { transactionId: 'AAAA' })).rejects.toEqual(notFound);
      await rollback(transactionId);
    });
  });

  describe('the login', () => {
    test('the cluster has to be known', async () => {
      await expect(execute('SELECT 1', { resourceArn: 'arn:aws:rds:x' })).rejects.toMatchObject({
        name: 'NotFoundException',
      });
    });

    test('the secret has to be known', async () => {
      await expect(execute('SELECT 1', { secretArn: 'arn:aws:x' })).rejects.toMatchObject({
        name: 'SecretsErrorException',
      });
    });

    test('its password has to be right', async () => {
      database.secrets.set('wrong', JSON.stringify({ username: 'postgres', password: 'wrong' }));
      await expect(execute('SELECT 1', { secretArn: 'wrong' })).rejects.toEqual(
        error('DatabaseErrorException', /^FATAL: password authentication failed .*SQLState: 28P01$/),
      );
    });

    test('uses the user of the secret', async () => {
      await execute("CREATE ROLE somebody LOGIN PASSWORD 'secret'");
      database.secrets.set('somebody', JSON.stringify({ username: 'somebody', password: 'secret' }));
      const { records } = await execute('SELECT current_user::text', { secretArn: 'somebody' });
      expect(records).toEqual([[{ stringValue: 'somebody' }]]);
    });

    test('fails while the database sleeps', async () => {
      database.dataApi.pause(2);
      const asleep = error('DatabaseResumingException', /is resuming after being auto-paused/);
      await expect(execute('SELECT 1')).rejects.toEqual(asleep);
      await expect(begin()).rejects.toEqual(asleep);
      expect(await fieldOf('SELECT 1')).toEqual({ longValue: 1 });
    });
  });
}
