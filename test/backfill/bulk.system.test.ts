/** Files of the bulk path: that they hold what a fill by pages stores. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import pg from 'pg';
import { BinaryCopy } from '../../lambdas/backfill/bulk/binary-copy.ts';
import type { RawBlock } from '../../lambdas/chain-data/decode/raw-block.ts';
import type { BlockRows } from '../../lambdas/chain-data/decode/rows.ts';
import { openChainIndex } from '../../lambdas/indexer/chain-index/chain-index.ts';
import { fillRange } from '../../lambdas/indexer/follow/fill-range.ts';
import type { LoadType, LoadValue } from '../../lambdas/shared/chain-database/load-rows.ts';
import { PLAIN } from '../chain-data/decode/raw-blocks.ts';
import { untouchedSchema } from '../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';
import { followAll, inTime } from '../indexer/bad-input/indexed-chain.ts';
import { contradictionsOf } from '../indexer/bad-input/sound-index.ts';
import { dumpIndex } from '../indexer/follow/dump-index.ts';
import { type ForkingChain, makeForkingChain } from '../indexer/follow/forking-chain.ts';
import { startTestDatabase, type TestDatabase } from '../local/database/test-database.ts';
import { isAtLength, repetitions } from '../support/at-length.ts';
import { bulkFill, ImportedFolder, writerTo } from './bulk-fill.ts';
import { decodeRich, LISTED_FACTORY } from './rich-chain.ts';

/** Files of the bulk path: that they hold what a fill by pages stores. */
describe('a fill by files', () => {
  let database: MigratedDatabase;
  beforeAll(async () => {
    database = await startMigratedDatabase([]);
  });
  afterAll(() => database?.close());

  describe('a chain that is filled by files', () => {
    const FIRST = isAtLength ? 2_000 : 600;
    const HEAD = FIRST + 100;
    const PAST = { from: 0, to: FIRST - 1 };
    /** Two thousand blocks by two paths, on a machine that does other things. */
    const LONG_MS = 240_000;

    let folder: ImportedFolder;
    beforeAll(async () => {
      folder = new ImportedFolder();
    });
    afterAll(async () => {
      folder?.close();
    });

    /** An index that began in the midst of a chain and is at its head, with one factory that counts before others. */
    async function begun(chain: ForkingChain, decode: (block: RawBlock) => BlockRows) {
      const schema = await untouchedSchema(database);
      const connection = writerTo(database, schema);
      const index = openChainIndex(connection, PLAIN);
      await database.admin.query(
        `INSERT INTO "${schema}".dex_factories VALUES ('uniswap_v3', '\\x${LISTED_FACTORY.slice(2)}')`,
      );
      await index.begin(chain.blocks[FIRST - 1] as RawBlock);
      await followAll({ reader: chain.reader, index, decode });
      return { schema, connection, index, reader: chain.reader, decode };
    }

    test(
      'a past that is filled by files is, row by row, the past that is filled page by page, its tail reorganised',
      async () => {
        const chain = makeForkingChain(HEAD, 100);
        const [bulk, paged] = [await begun(chain, decodeRich), await begun(chain, decodeRich)];
        const fill = bulkFill({ ...bulk, bucket: await folder.open(database), fileBytes: 2 ** 24 });
        fill.start(PAST.from, PAST.to);
        await fill.untilDone();
        await fillRange({ ...paged, outOfTime: () => false }, PAST, inTime());
        await bulkFill({ ...paged, bucket: await folder.open(database) }).parts.completeHistory();
        chain.fork(HEAD - 60, HEAD + 5);
        for (const { reader, index, decode } of [bulk, paged]) await followAll({ reader, index, decode });
        expect(await contradictionsOf(database.postgres.superuser, bulk.schema)).toEqual([]);
        const [one, other] = [
          await dumpIndex(database.postgres.superuser, bulk.schema),
          await dumpIndex(database.postgres.superuser, paged.schema),
        ];
        // Each table has something to compare.
        expect(Object.entries(other).filter(([, rows]) => rows.length === 0)).toEqual([]);
        for (const table of Object.keys(one))
          expect({ [table]: one[table] }).toEqual({ [table]: other[table] });
      },
      LONG_MS,
    );
  });
});

describe('rows in the binary format', () => {
  type Row = Readonly<Record<string, LoadValue>>;

  /** A column of each type, and how PostgreSQL is asked for its values as texts. */
  const COLUMNS = {
    hash: 'bytea',
    number: 'bigint',
    place: 'integer',
    kind: 'smallint',
    dynamic: 'boolean',
    amount: 'numeric',
    time: 'timestamptz',
    extra: 'jsonb',
    name: 'text',
  } as const satisfies Readonly<Record<string, LoadType>>;
  const AS_TEXT = `SELECT '0x' || encode(hash, 'hex') AS hash, number::text, place::text, kind::text, dynamic::text,
  amount::text, (extract(epoch FROM time) * 1000)::bigint::text AS time, extra::text, name FROM written ORDER BY row`;

  let database: TestDatabase;
  let client: pg.Client;
  let folder: string;
  beforeAll(async () => {
    database = await startTestDatabase();
    client = new pg.Client(database.postgres.superuser);
    await client.connect();
    const columns = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
    await client.query(`CREATE TABLE written (row bigserial, ${columns.join(', ')})`);
    folder = mkdtempSync(join(tmpdir(), 'copied-'));
  });
  afterAll(async () => {
    await client?.end();
    await database?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What PostgreSQL reads of a file. */
  async function copied(file: Buffer): Promise<Readonly<Record<string, string | null>>[]> {
    const path = join(folder, 'file');
    writeFileSync(path, file);
    await client.query('TRUNCATE written');
    await client.query(
      `COPY written (${Object.keys(COLUMNS).join(', ')}) FROM '${path}' WITH (FORMAT binary)`,
    );
    return (await client.query(AS_TEXT)).rows;
  }

  /** The texts that PostgreSQL has of a row's values. */
  function textsOf(row: Row): Readonly<Record<string, string | null>> {
    return Object.fromEntries(
      Object.keys(COLUMNS).map((name) => {
        const value = row[name] ?? null;
        if (value === null) return [name, null];
        return [name, name === 'time' ? String(Date.parse(String(value))) : String(value)];
      }),
    );
  }

  const signed = (bits: number) =>
    fc.bigInt({ min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n });
  const asNumber = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : value);
  const hex = (most: number) =>
    fc.uint8Array({ maxLength: most }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
  const text = fc
    .string({ unit: 'grapheme', maxLength: 60 })
    .filter((one) => !one.includes('\0') && one.isWellFormed());
  const VALUES: Readonly<Record<keyof typeof COLUMNS, fc.Arbitrary<LoadValue>>> = {
    hash: fc.oneof(hex(40), hex(300)),
    number: fc.oneof(signed(64).map(asNumber), signed(40).map(asNumber)),
    place: signed(32).map(Number),
    kind: signed(16).map(Number),
    dynamic: fc.boolean(),
    amount: fc.oneof(
      fc.integer(),
      fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }),
      fc
        .tuple(fc.integer({ min: -999, max: 999 }), fc.nat(80))
        .map(([digits, zeros]) => BigInt(digits) * 10n ** BigInt(zeros)),
    ),
    time: fc
      .date({ min: new Date('1970-01-01'), max: new Date('5138-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    extra: fc.oneof(
      fc.constant('{}'),
      fc
        .dictionary(fc.constantFrom('a', 'b'), fc.integer(), { maxKeys: 1 })
        .map((one) => JSON.stringify(one).replace(':', ': ')),
    ),
    name: text,
  };
  const row = fc.record(
    Object.fromEntries(Object.entries(VALUES).map(([name, value]) => [name, fc.option(value, { freq: 6 })])),
  ) as fc.Arbitrary<Row>;
  /** Rows of which many repeat values of the one before. */
  const rows = fc.array(fc.tuple(row, fc.subarray(Object.keys(COLUMNS))), { maxLength: 12 }).map((made) => {
    let before: Row = {};
    return made.map(([own, repeated]) => {
      before = { ...own, ...Object.fromEntries(repeated.map((name) => [name, before[name] ?? null])) };
      return before;
    });
  });

  test('PostgreSQL reads what was written, of every type, file after file from one memory', async () => {
    const copy = new BinaryCopy(COLUMNS);
    await fc.assert(
      fc.asyncProperty(rows, async (written) => {
        copy.clear();
        for (const one of written) copy.add(one);
        expect(copy.rows).toBe(written.length);
        expect(await copied(copy.file())).toEqual(written.map(textsOf));
      }),
      { numRuns: repetitions(150) },
    );
  });

  test('a file of more rows than its first memory holds is whole', async () => {
    const copy = new BinaryCopy(COLUMNS);
    const written = Array.from({ length: 2_000 }, (_, number) => ({
      number,
      name: `row ${number}`,
      hash: `0x${'ab'.repeat(number % 300)}`,
    }));
    for (const one of written) copy.add(one);
    expect(await copied(copy.file())).toEqual(written.map(textsOf));
  });

  test.each<[keyof typeof COLUMNS, LoadValue]>([
    ['hash', '0xabc'],
    ['hash', '0xzz'],
    ['hash', `0x${'ab'.repeat(200)}zz`],
    ['hash', 'abcd'],
    ['number', 2n ** 63n],
    ['number', 1.5],
    ['place', 2 ** 31],
    ['place', -(2 ** 31) - 1],
    ['kind', 2 ** 15],
    ['kind', Number.NaN],
    ['amount', 0.5],
    ['amount', 10n ** 1_025n],
    ['time', 'yesterday'],
  ])('a value that is not of its column is refused: %s', (name, value) => {
    expect(() => new BinaryCopy(COLUMNS).add({ [name]: value })).toThrow();
  });
});
