import pg from 'pg';
import { untouchedSchema } from '../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';

const MIB = 2 ** 20;
const USUAL = 16 * MIB;
const LEAST = MIB;
/** Quick imports in a row after which files are larger again. */
const IN_A_ROW = 8;
const SLOW = 21;
const QUICK = 4;
const NEITHER = 12;

let database: MigratedDatabase;
let client: pg.Client;
let schema: string;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
  client = new pg.Client(database.postgres.superuser);
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await database?.close();
});
beforeEach(async () => {
  schema = await untouchedSchema(database);
  await client.query(`SELECT "${schema}".bulk_open(0, 99999, 'rule', ${USUAL})`);
});

async function size(): Promise<number> {
  const { rows } = await client.query(`SELECT file_bytes FROM "${schema}".bulk_partitions`);
  return Number(rows[0].file_bytes);
}

/** Imports of files that took so long, one after the other. @returns the size after each */
async function learn(bytes: number, ...seconds: readonly number[]): Promise<number[]> {
  const sizes: number[] = [];
  for (const took of seconds) {
    await client.query(`SELECT "${schema}".bulk_learn(0, $1, $2)`, [bytes, took]);
    sizes.push(await size());
  }
  return sizes;
}

const quickly = (times: number) => Array.from({ length: times }, () => QUICK);

test('a file whose import is slow halves those to come, down to a bound', async () => {
  expect(await learn(USUAL, SLOW)).toEqual([USUAL / 2]);
  expect(await learn(USUAL / 2, SLOW)).toEqual([USUAL / 4]);
  expect(await learn(3 * MIB, SLOW)).toEqual([1.5 * MIB]);
  expect(await learn(LEAST, SLOW, SLOW)).toEqual([LEAST, LEAST]);
});

test('files of one size that are slow together halve it once', async () => {
  expect(await learn(USUAL, SLOW, SLOW, SLOW)).toEqual([USUAL / 2, USUAL / 2, USUAL / 2]);
});

test('quick imports in a row double it again, up to what it was', async () => {
  await learn(USUAL, SLOW);
  await learn(USUAL / 2, SLOW);
  expect((await learn(USUAL / 4, ...quickly(IN_A_ROW))).slice(-2)).toEqual([USUAL / 4, USUAL / 2]);
  expect((await learn(USUAL / 2, ...quickly(IN_A_ROW))).slice(-2)).toEqual([USUAL / 2, USUAL]);
  expect(new Set(await learn(USUAL, ...quickly(3 * IN_A_ROW)))).toEqual(new Set([USUAL]));
});

test('one that is not quick, or slow, begins the row anew', async () => {
  await learn(USUAL, SLOW);
  await learn(USUAL / 2, ...quickly(IN_A_ROW - 1), NEITHER);
  expect(new Set(await learn(USUAL / 2, ...quickly(IN_A_ROW - 1)))).toEqual(new Set([USUAL / 2]));
  expect(await learn(USUAL / 2, QUICK)).toEqual([USUAL]);
});

test('a file that is smaller than they are to be says nothing when it is quick', async () => {
  await learn(USUAL, SLOW);
  expect(new Set(await learn(USUAL / 2 - 1, ...quickly(3 * IN_A_ROW)))).toEqual(new Set([USUAL / 2]));
});

test('a size that was never too large is left as it is', async () => {
  expect(new Set(await learn(USUAL, ...quickly(2 * IN_A_ROW), NEITHER))).toEqual(new Set([USUAL]));
});
