import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import pg from 'pg';
import { BinaryCopy } from '../../lambdas/backfill/bulk/binary-copy.ts';
import type { LoadType, LoadValue } from '../../lambdas/shared/chain-database/load-rows.ts';
import { startTestDatabase, type TestDatabase } from '../local/database/test-database.ts';

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
  await client.query(`COPY written (${Object.keys(COLUMNS).join(', ')}) FROM '${path}' WITH (FORMAT binary)`);
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
    fc.asyncProperty(rows, fc.string({ maxLength: 200 }), async (written, about) => {
      copy.clear();
      for (const one of written) copy.add(one);
      expect(copy.rows).toBe(written.length);
      expect(await copied(copy.file(about))).toEqual(written.map(textsOf));
    }),
    { numRuns: 150 },
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
  expect(await copied(copy.file('many'))).toEqual(written.map(textsOf));
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

test('a file that says more of itself than fits is refused', () => {
  expect(() => new BinaryCopy(COLUMNS).file('x'.repeat(1_010))).toThrow('too much');
});
