import type { Migration } from '../../lambdas/migrate/read-migrations.ts';
import { MIGRATIONS, type MigratedDatabase, startMigratedDatabase } from './migrated-database.ts';

const SLIM = '030-slim-rows';
const TABLES = ['transactions', 'logs', 'erc20_transfers', 'nft_transfers', 'traces', 'nft_ledger'] as const;
const BEFORE = MIGRATIONS.filter(({ name }) => name < SLIM);
const SINCE = MIGRATIONS.filter(({ name }) => name >= SLIM);
const FRESH = 'fresh_chain';

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([FRESH]);
});
afterAll(() => database?.close());

/** A chain as the release before has stored it: two partitions, with rows in both. */
async function storedBefore(chain: string): Promise<void> {
  const run = (sql: string) => database.writer.query(sql.replaceAll('{schema}', chain));
  await database.migrate([chain], BEFORE);
  await run(`SELECT {schema}.create_partition(100000, 150000, '_r100000')`);
  await run(`SELECT {schema}.attach_partition(100000, 150000, '_r100000')`);
  const rows = `generate_series(0, 199) AS n, LATERAL (SELECT n * 700 AS block, sha256(int8send(n)) AS hash,
    substr(sha256(int8send(n % 9)), 1, 20) AS address, '2026-01-01Z'::timestamptz + n * interval '1 second' AS time) AS made`;
  await run(`INSERT INTO {schema}.transactions (block_number, tx_index, hash, block_hash, block_time, type, from_address, to_address,
      contract_address, nonce, value, gas, gas_used, cumulative_gas_used, l1_block_number, status, log_count, method_id, input,
      input_size, extra, l1_fee, receipt_extra)
    SELECT block, n, hash, hash, time, 2, address, CASE WHEN n % 3 > 0 THEN address END, CASE WHEN n % 3 = 0 THEN address END, n, n,
      2::numeric ^ 200, n, n, n, n % 2, 3, '\\x01020304', '\\x0102030405', 5, '{"a": 1}', n, '{"b": 2}' FROM ${rows}`);
  await run(`INSERT INTO {schema}.logs (block_number, log_index, tx_index, tx_hash, block_time, address, topic0, topic1, data, data_size)
    SELECT block, n, n, hash, time, address, hash, NULL, '\\xff', 70000 FROM ${rows}`);
  await run(`INSERT INTO {schema}.erc20_transfers
    SELECT block, n, n, hash, time, address, address, address, 2::numeric ^ 255, 'mint' FROM ${rows}`);
  await run(`INSERT INTO {schema}.nft_transfers
    SELECT block, n, 3, n, hash, time, 1155, address, n % 5, decode(repeat('00', 20), 'hex'), address, address, 2, 'mint' FROM ${rows}`);
  await run(`INSERT INTO {schema}.traces (block_number, tx_index, trace_index, tx_hash, block_time, trace_address, type, from_address,
      to_address, value, gas, gas_used, method_id, input, input_size, output, output_size, error, subcalls, reverted_by_parent)
    SELECT block, n, 4, hash, time, CASE WHEN n % 2 = 0 THEN '{}' ELSE '{0,12}' END::integer[], 'CALL', address, address, n, 1, 1,
      '\\x01020304', '\\x01', 1, '\\x02', 2, 'out of gas', 3, true FROM ${rows}`);
}

/** Every row of the tables that are made anew, and of what a trigger keeps of them. */
async function dump(chain: string): Promise<Readonly<Record<string, string>>> {
  const entries: [string, string][] = [];
  for (const table of TABLES) {
    const { rows } = await database.admin.query(
      `SELECT md5(string_agg(row, ' ' ORDER BY row)) AS sum, count(*) AS count FROM (
         SELECT (to_jsonb(t) - 'trace_address')::text AS row FROM ${chain}.${table} AS t) AS rows`,
    );
    entries.push([table, `${rows[0]?.count} ${rows[0]?.sum}`]);
  }
  return Object.fromEntries(entries);
}

/** Columns, indexes, constraints and triggers of a chain's tables and of their parts in the first partition. */
async function layoutOf(chain: string): Promise<unknown> {
  const ofChain = `SELECT oid, relname FROM pg_class WHERE relnamespace = '${chain}'::regnamespace AND relkind IN ('r', 'p')
    AND (relkind = 'p' OR relname LIKE '%\\_r0')`;
  const { rows } = await database.admin.query(
    `SELECT relname::text AS name, attnum::text || ' ' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull AS told
       FROM (${ofChain}) AS part JOIN pg_attribute ON attrelid = part.oid AND attnum > 0
     UNION ALL SELECT relname, pg_get_indexdef(indexrelid) FROM (${ofChain}) AS part JOIN pg_index ON indrelid = part.oid
     UNION ALL SELECT relname, pg_get_constraintdef(pg_constraint.oid) FROM (${ofChain}) AS part JOIN pg_constraint ON conrelid = part.oid
     UNION ALL SELECT relname, pg_get_triggerdef(pg_trigger.oid) FROM (${ofChain}) AS part JOIN pg_trigger ON tgrelid = part.oid
     UNION ALL SELECT 'freshness', pg_get_viewdef('${chain}.freshness'::regclass)
     ORDER BY 1, 2`,
  );
  return rows.map(({ name, told }) => `${name}: ${String(told).replaceAll(chain, 'chain')}`);
}

test('rows of before are in the new tables, and these are as those of a new chain', async () => {
  await storedBefore('grown_chain');
  const before = await dump('grown_chain');
  expect(before.traces).toMatch(/^200 /);
  expect(await database.migrate(['grown_chain'])).toEqual(SINCE.map(({ name }) => `grown_chain/${name}`));
  expect(await dump('grown_chain')).toEqual(before);
  expect(await layoutOf('grown_chain')).toEqual(await layoutOf(FRESH));
  const { rows } = await database.reader.query(
    `SELECT trace_address, count(*) AS count FROM grown_chain.traces GROUP BY 1 ORDER BY 1`,
  );
  expect(rows).toEqual([
    { trace_address: '', count: 100 },
    { trace_address: '0,12', count: 100 },
  ]);
  const parts = await database.reader.query(
    `SELECT tableoid::regclass::text AS part, count(*) AS count FROM grown_chain.logs GROUP BY 1 ORDER BY 1`,
  );
  expect(parts.rows).toEqual([
    { part: 'grown_chain.logs_r0', count: 143 },
    { part: 'grown_chain.logs_r100000', count: 57 },
  ]);
  expect((await database.reader.query(`SELECT * FROM grown_chain.freshness`)).rows).toHaveLength(17);
});

/** The migration with a limit that a page exceeds. */
function withLowLimit(migration: Migration): Migration {
  return {
    ...migration,
    script: migration.script.replace(/max_bytes CONSTANT bigint := \d+/, 'max_bytes CONSTANT bigint := 8192'),
  };
}

test.each([
  [
    'filled',
    `INSERT INTO {schema}.bulk_partitions VALUES (0, 9, 'rule', 1)`,
    /refused_filled is being filled by files/,
  ],
  [
    'high',
    `SELECT {schema}.create_partition(2147483000, 2147484000, '_r2147483000'),
       {schema}.attach_partition(2147483000, 2147484000, '_r2147483000')`,
    /refused_high has a partition for blocks from 2147483647 on/,
  ],
  [
    'large',
    'SELECT 1 AS one',
    /refused_large\.\w+ has \d+ kB, more than the 8192 bytes that a statement copies: rebuild the chain/,
  ],
])('a chain that is %s is refused in one line, and stays as it was', async (kind, sql, message) => {
  const chain = `refused_${kind}`;
  await storedBefore(chain);
  await database.admin.query(sql.replaceAll('{schema}', chain));
  const before = await dump(chain);
  const migrations = MIGRATIONS.map((one) =>
    kind === 'large' && one.name === SLIM ? withLowLimit(one) : one,
  );
  await expect(database.migrate([chain], migrations)).rejects.toThrow(message);
  expect(await dump(chain)).toEqual(before);
  const { rows } = await database.admin.query(
    `SELECT count(*) AS count FROM ${chain}.traces WHERE trace_address = '{}'::integer[]`,
  );
  expect(rows).toEqual([{ count: 100 }]);
});
