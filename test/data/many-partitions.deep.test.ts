import pg from 'pg';
import { findTransactions } from '../../lambdas/data/find-transactions.ts';
import { matchOperation } from '../../lambdas/data/operations/match-operation.ts';
import { planRequest } from '../../lambdas/data/plan-request.ts';
import type { Queries } from '../../lambdas/shared/chain-database/chain-database.ts';
import {
  MADE_CHAINS,
  type MigratedDatabase,
  readerLogin,
  startMigratedDatabase,
} from '../database/migrated-database.ts';
import { bareQuery } from './plan/sampled-requests.ts';

const [CHAIN] = MADE_CHAINS;
const SCHEMA = `"${CHAIN}"`;
const PARTITIONS = 128;
const FIRST_WIDTH = 100_000;
const WIDTH = 1_000;
const HEAD = FIRST_WIDTH + (PARTITIONS - 1) * WIDTH - 1;
/** Rows of each partition: enough that an index has pages below its root. */
const ROWS = 600;
/** Pages of a partition that a look-up in one index opens at most. */
const PAGES = 3;
/** Partitions that one statement of a look-up by hash opens at most. */
const AT_ONCE = 16;
/** Pages that a statement reads of the catalogue, for bounds, coverage and the cursor, whatever the partitions are. */
const OTHERS = 40;
const NOWHERE = `0x${'de'.repeat(20)}`;
/** Its only row of each table is in the oldest partition. */
const OLD = `0x${'0d'.repeat(20)}`;
const OLD_BLOCK = 50;

let database: MigratedDatabase;
let client: pg.Client;
let reader: pg.Client;

beforeAll(async () => {
  database = await startMigratedDatabase([]);
  client = new pg.Client(database.postgres.superuser);
  await client.connect();
  reader = new pg.Client(readerLogin(database.postgres.superuser));
  await reader.connect();
  for (let place = 1; place < PARTITIONS; place += 1) {
    const from = FIRST_WIDTH + (place - 1) * WIDTH;
    const bounds = `${from}, ${from + WIDTH}, '_r${from}'`;
    await client.query(`SELECT ${SCHEMA}.create_partition(${bounds}), ${SCHEMA}.attach_partition(${bounds})`);
  }
  const hash = (n: string) => `sha256(int8send(${n}))`;
  const address = (n: string) => `substr(sha256(int8send(${n})), 1, 20)`;
  const rows = `(SELECT place, n, place * ${ROWS} + n AS id, CASE WHEN place > 0 THEN ${FIRST_WIDTH} + (place - 1) * ${WIDTH} ELSE 0 END + n AS block
    FROM generate_series(0, ${PARTITIONS - 1}) AS place, generate_series(0, ${ROWS - 1}) AS n) AS row`;
  await client.query(`INSERT INTO ${SCHEMA}.transactions (block_number, tx_index, hash, block_hash, block_time, type, from_address,
      to_address, nonce, value, gas, gas_used, cumulative_gas_used, status, log_count, input, input_size)
    SELECT block, 0, ${hash('id')}, ${hash('id')}, now(), 2, ${address('id % 5000')}, ${address('id % 700')}, n, n, 0, 0, 0, 1, 0, '\\x', 0 FROM ${rows}`);
  await client.query(`INSERT INTO ${SCHEMA}.logs (block_number, log_index, tx_index, tx_hash, block_time, address, topic0, data, data_size)
    SELECT block, 0, 0, ${hash('id')}, now(), ${address('id % 5000')}, ${hash('id % 700')}, '\\x', 0 FROM ${rows}`);
  await client.query(`INSERT INTO ${SCHEMA}.erc20_transfers (block_number, log_index, tx_index, tx_hash, block_time, token, from_address,
      to_address, amount, kind)
    SELECT block, 0, 0, ${hash('id')}, now(), ${address('id % 700')}, ${address('id % 5000')}, ${address('id % 700')}, 1, 'transfer' FROM ${rows}`);
  await client.query(`INSERT INTO ${SCHEMA}.traces (block_number, tx_index, trace_index, tx_hash, block_time, trace_address, type,
      from_address, to_address, value, gas, gas_used, input, input_size, output, output_size, subcalls, reverted_by_parent)
    SELECT block, 0, n % 3, ${hash('id')}, now(), '', 'CALL', ${address('id % 5000')}, ${address('id % 700')}, 1, 1, 1, '\\x', 0, '\\x', 0, 0, false
    FROM ${rows}`);
  await client.query(
    `INSERT INTO ${SCHEMA}.cursors (name, block_number, block_hash, block_time) VALUES ('indexed', ${HEAD + 256}, '\\x00', now())`,
  );
  await client.query(`INSERT INTO ${SCHEMA}.coverage SELECT name, '{[0,${HEAD + 257})}'
    FROM unnest(ARRAY['blocks', 'transactions', 'logs', 'erc20_transfers', 'nft_transfers', 'traces']) AS name`);
  await fillOld();
  await client.query('VACUUM ANALYZE');
}, 300_000);

async function fillOld(): Promise<void> {
  const old = `decode('${OLD.slice(2)}', 'hex')`;
  await client.query(`INSERT INTO ${SCHEMA}.transactions (block_number, tx_index, hash, block_hash, block_time, type, from_address,
      to_address, nonce, value, gas, gas_used, cumulative_gas_used, status, log_count, input, input_size)
    VALUES (${OLD_BLOCK}, 7, '\\x07', '\\x07', now(), 2, ${old}, ${old}, 1, 1, 0, 0, 0, 1, 0, '\\x', 0)`);
  await client.query(`INSERT INTO ${SCHEMA}.logs (block_number, log_index, tx_index, tx_hash, block_time, address, topic0, data, data_size)
    VALUES (${OLD_BLOCK}, 7, 7, '\\x07', now(), ${old}, '\\x07', '\\x', 0)`);
  await client.query(`INSERT INTO ${SCHEMA}.erc20_transfers (block_number, log_index, tx_index, tx_hash, block_time, token, from_address,
      to_address, amount, kind)
    VALUES (${OLD_BLOCK}, 7, 7, '\\x07', now(), ${old}, ${old}, ${old}, 1, 'transfer')`);
  await client.query(`INSERT INTO ${SCHEMA}.traces (block_number, tx_index, trace_index, tx_hash, block_time, trace_address, type,
      from_address, to_address, value, gas, gas_used, input, input_size, output, output_size, subcalls, reverted_by_parent)
    VALUES (${OLD_BLOCK}, 7, 1, '\\x07', now(), '0', 'CALL', ${old}, ${old}, 1, 1, 1, '\\x', 0, '\\x', 0, 0, false)`);
  await client.query(
    `INSERT INTO ${SCHEMA}.tokens (address, standard, first_seen_block, updated_block) VALUES (${old}, 20, 1, 1)`,
  );
}

afterAll(async () => {
  await reader?.end();
  await client?.end();
  await database?.close();
});

interface Explained {
  readonly 'Planning Time': number;
  readonly 'Execution Time': number;
  readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number };
}

/** What a statement reads when it is run once more, and how long it is planned. */
async function explain({
  text,
  values,
}: pg.QueryConfig): Promise<{ pages: number; planningMs: number; runningMs: number }> {
  const statement = { text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values: values ?? [] };
  // The first time reads the catalogue too.
  await reader.query(statement);
  const { rows } = await reader.query<{ 'QUERY PLAN': readonly Explained[] }>(statement);
  const [explained] = rows[0]?.['QUERY PLAN'] ?? [];
  if (explained === undefined) throw new Error('no plan');
  const { Plan: plan } = explained;
  return {
    pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    planningMs: explained['Planning Time'],
    runningMs: explained['Execution Time'],
  };
}

/** The database, with a record of its statements. */
function recorded() {
  const statements: (readonly [string, Readonly<Record<string, unknown>>])[] = [];
  const queries: Queries = {
    query: (sql, parameters = {}) => {
      statements.push([sql, parameters]);
      return database.reader.query(sql, parameters);
    },
  };
  return { queries, statements };
}

const hashOf = async (id: number) => {
  const { rows } = await client.query<{ hash: string }>(
    `SELECT '0x' || encode(sha256(int8send(${id})), 'hex') AS hash`,
  );
  return rows[0]?.hash ?? '';
};

test('a hash that is unknown is looked for in 16 partitions at a time, by three pages of each', async () => {
  const { queries, statements } = recorded();
  expect(await findTransactions(queries, CHAIN, [`0x${'ab'.repeat(32)}`])).toEqual(new Map());
  expect(statements).toHaveLength(PARTITIONS / AT_ONCE);
  let pages = 0;
  for (const [sql, { hashes, below }] of statements) {
    const text = sql.replace(':hashes', '$1').replace(':below', '$2');
    pages += (await explain({ text, values: [hashes, below] })).pages;
  }
  // Beside the index, each statement looks up the bounds of the partitions, and its tables, in the catalogue.
  const catalogue = (await explain({ text: `SELECT * FROM ${SCHEMA}.partitions` })).pages;
  expect(pages - statements.length * (catalogue + OTHERS)).toBeLessThanOrEqual(PARTITIONS * PAGES);
  process.stdout.write(
    `an unknown hash over ${PARTITIONS} partitions: ${pages} pages, ${catalogue} of them the catalogue's each time\n`,
  );
});

test('the newest is found by one statement, the oldest by the last, and a batch wherever its members are', async () => {
  const ids = [(PARTITIONS - 1) * ROWS, 5, 40 * ROWS];
  for (const [index, count] of [
    [0, 1],
    [1, PARTITIONS / AT_ONCE],
  ] as const) {
    const { queries, statements } = recorded();
    const hash = await hashOf(ids[index] ?? 0);
    expect([...(await findTransactions(queries, CHAIN, [hash])).keys()]).toEqual([hash]);
    expect(statements).toHaveLength(count);
  }
  const hashes: string[] = [];
  for (const id of ids) hashes.push(await hashOf(id));
  const found = await findTransactions(recorded().queries, CHAIN, [...hashes, `0x${'ab'.repeat(32)}`]);
  expect(hashes.map((hash) => found.get(hash))).toEqual([
    { block: FIRST_WIDTH + (PARTITIONS - 2) * WIDTH, index: 0 },
    { block: 5, index: 0 },
    { block: FIRST_WIDTH + 39 * WIDTH, index: 0 },
  ]);
});

/** Lists by an address, and how many indexes each of them looks in. */
const LISTS: readonly (readonly [path: string, indexes: number])[] = [
  [`/addresses/${NOWHERE}/transactions`, 2],
  [`/addresses/${NOWHERE}/native-transfers`, 2],
  [`/addresses/${NOWHERE}/internal-transfers`, 2],
  [`/addresses/${NOWHERE}/transfers?standard=erc20`, 2],
  [`/addresses/${NOWHERE}/traces`, 2],
  [`/tokens/${NOWHERE}/transfers`, 2],
  [`/logs?address=${NOWHERE}&clamp=true&to_block=${HEAD}`, 1],
];

/** Pages of the rows that are found, and of what is joined to them. */
const OF_ROWS = 12;

test.each(LISTS)(
  '%s of an address that is nowhere opens at most three pages a partition',
  async (path, indexes) => {
    const { pages, rows } = await listed(path);
    expect(rows).toBe(0);
    expect(pages).toBeLessThanOrEqual(indexes * PARTITIONS * PAGES + OTHERS);
  },
);

test.each(LISTS)(
  '%s of an address whose only row is in the oldest partition finds it, by as many pages',
  async (path, indexes) => {
    const { pages, rows } = await listed(
      path.replace(NOWHERE, OLD).replace(`to_block=${HEAD}`, `to_block=${OLD_BLOCK}`),
    );
    expect(rows).toBe(1);
    expect(pages).toBeLessThanOrEqual(indexes * PARTITIONS * PAGES + OTHERS + OF_ROWS);
  },
);

/** Rows of a list, and what its statement reads. */
async function listed(path: string): Promise<{ pages: number; rows: number }> {
  const [route = '', query = ''] = path.split('?');
  const matched = matchOperation(route);
  if (matched === undefined) throw new Error(`no operation at ${route}`);
  const planned = planRequest({
    ...{ account: 'acme', chain: CHAIN, matched, seal: () => '', seats: { keyId: 'k', count: 8 } },
    query: Object.fromEntries([...new URLSearchParams(query)].map(([name, value]) => [name, [value]])),
  });
  if (!planned.ok) throw new Error(planned.failure.message);
  const statement = bareQuery(planned.statement());
  const { pages, planningMs, runningMs } = await explain(statement);
  process.stdout.write(
    `${route} over ${PARTITIONS} partitions: ${pages} pages, planned in ${planningMs} ms, run in ${runningMs} ms\n`,
  );
  // The first row describes the others.
  return { pages, rows: (await client.query(statement)).rows.length - 1 };
}
