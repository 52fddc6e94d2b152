import pg from 'pg';
import { MIGRATIONS, type MigratedDatabase, startMigratedDatabase } from './migrated-database.ts';

const INLINED = '032-inlined-places';
const CHAIN = 'places';
const LIST = `EXPLAIN (COSTS OFF) SELECT * FROM ${CHAIN}.traces
  WHERE ${CHAIN}.index_key(from_address) = 7
  ORDER BY block_number DESC, ${CHAIN}.call_place(tx_index, trace_index) DESC LIMIT 50`;

let database: MigratedDatabase;
let session: pg.Client;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
  await database.migrate(
    [CHAIN],
    MIGRATIONS.filter(({ name }) => name < INLINED),
  );
  session = new pg.Client(database.postgres.superuser);
  await session.connect();
});
afterAll(async () => {
  await session?.end();
  await database?.close();
});

async function planOfList(): Promise<string> {
  const { rows } = await session.query(LIST);
  return rows.map((row) => String(row['QUERY PLAN'])).join('\n');
}

test('a session that listed calls before finds their index after the migration, and no row calls a function', async () => {
  await session.query('SET enable_seqscan = off; SET enable_bitmapscan = off');
  const before = await planOfList();
  expect(before).toMatch(
    /^Limit\n *-> {2}Index Scan Backward using traces_r0_index_key_block_number_call_place_idx/,
  );
  const migrations = MIGRATIONS.filter(({ name }) => name <= INLINED);
  expect(await database.migrate([CHAIN], migrations)).toEqual([`${CHAIN}/${INLINED}`]);
  expect(await planOfList()).toBe(before);
  const { rows } = await session.query(
    `EXPLAIN (VERBOSE, COSTS OFF) SELECT ${CHAIN}.call_place(tx_index, trace_index) FROM ${CHAIN}.traces`,
  );
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toContain('call_place');
});
