import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { samplePath } from '../../bench/data/data-requests.ts';
import { fillRows, type Samples, seededAddress } from '../../bench/data/data-rows.ts';
import { bareQuery } from '../../bench/data/data-statement.ts';
import { type DataRequest, handleData } from '../../lambdas/data/handle-data.ts';
import type { DataOperationId } from '../../lambdas/data/operations/operations.ts';
import { createSeal } from '../../lambdas/data/plan/seal.ts';
import type { Queries } from '../../lambdas/shared/chain-database/chain-database.ts';
import { MADE_CHAINS, type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';
import { admittingMeter } from '../support/admitting-meter.ts';
import { UNLIMITED } from '../support/data-limits.ts';

const [CHAIN] = MADE_CHAINS;
const TRANSFERS = 100_000;

/** Operations that read no table, or one of few rows. */
type Unindexed =
  | 'listChains'
  | 'getFreshness'
  | 'listCoverage'
  | 'listCorporateActions'
  | 'getStock'
  | 'listStockMultipliers';
/** The index of each operation's driving table. */
const INDEXES: Readonly<Record<Exclude<DataOperationId, Unindexed>, readonly string[]>> = {
  listBlocks: ['blocks_pkey'],
  getBlock: ['blocks_pkey'],
  getBlockByHash: ['blocks_hash'],
  getBlockByTime: ['blocks_time'],
  listBlockTransactions: ['transactions_pkey'],
  listBlockLogs: ['logs_pkey'],
  listBlockTraces: ['traces_pkey'],
  listTransactions: ['transactions_pkey'],
  getTransaction: ['transactions_pkey'],
  listTransactionLogs: ['logs_pkey'],
  listTransactionTransfers: ['erc20_transfers_pkey', 'nft_transfers_pkey'],
  listTransactionTrades: ['dex_swaps_pkey'],
  listTransactionTraces: ['traces_pkey'],
  listLogs: ['logs_address'],
  listTransfers: ['erc20_transfers_pkey', 'nft_transfers_pkey'],
  getAddress: [
    'transactions_from',
    'transactions_to',
    'transactions_contract',
    'erc20_transfers_from',
    'erc20_transfers_to',
    'nft_transfers_from',
    'nft_transfers_to',
    'tokens_pkey',
    'dex_pools_pkey',
  ],
  listAddressTransactions: ['transactions_from', 'transactions_to'],
  listAddressTransfers: [
    'erc20_transfers_from',
    'erc20_transfers_to',
    'nft_transfers_from',
    'nft_transfers_to',
  ],
  listAddressNativeTransfers: ['transactions_value_from', 'transactions_value_to'],
  listAddressInternalTransfers: ['traces_value_from', 'traces_value_to'],
  listAddressWithdrawals: ['withdrawals_to'],
  listAddressBalances: ['balances_pkey', 'erc20_transfers_from', 'erc20_transfers_to'],
  listAddressBalanceValues: [
    'balances_pkey',
    'token_prices_pkey',
    'erc20_transfers_from',
    'erc20_transfers_to',
  ],
  listBalanceHistory: ['balance_history_pkey', 'erc20_transfers_from', 'erc20_transfers_to'],
  listAddressNfts: ['nft_owners_standard'],
  listAddressTrades: ['dex_swaps_trader'],
  listAddressTraces: ['traces_from', 'traces_to'],
  listAddressStocks: ['balances_pkey', 'token_prices_pkey', 'erc20_transfers_from', 'erc20_transfers_to'],
  listTokens: ['tokens_pkey'],
  getToken: ['tokens_pkey'],
  getTokens: ['tokens_pkey'],
  getTransactions: ['transactions_pkey'],
  getPrices: ['token_prices_pkey'],
  listTokenHolders: ['balances_holders', 'erc20_transfers_token'],
  listTokenTransfers: ['erc20_transfers_token', 'nft_transfers_token'],
  listTokenTrades: ['dex_swaps_token_in', 'dex_swaps_token_out'],
  getTokenPrice: ['token_prices_pkey'],
  listTokenCandles: ['candles_pkey'],
  listPrices: ['token_prices_pkey'],
  getNftCollection: ['tokens_pkey'],
  listNftItems: ['nft_items_pkey'],
  getNftItem: ['nft_items_pkey'],
  listNftItemOwners: ['nft_owners_item'],
  listNftItemTransfers: ['nft_transfers_item'],
  listNftOwners: ['nft_owners_item'],
  listNftTransfers: ['nft_transfers_token'],
  listPools: ['dex_pools_pkey'],
  getPool: ['dex_pools_pkey'],
  listPoolTrades: ['dex_swaps_pool'],
  listPoolLiquidityEvents: ['dex_liquidity_events_pool'],
  listPoolCandles: ['candles_pkey'],
  listTrades: ['dex_swaps_pkey'],
  listStocks: ['stock_daily_moved'],
  listStockDaily: ['stock_daily_token'],
  listStockHolders: ['balances_holders', 'erc20_transfers_token'],
  listStockTransfers: ['erc20_transfers_token'],
  listStockTrades: ['dex_swaps_token_in', 'dex_swaps_token_out'],
  listStockCandles: ['candles_pkey'],
};
/** What grows with the chain must never be read from one end to the other. */
const SMALL_TABLES: ReadonlySet<string> = new Set([
  'balance_snapshots',
  'coverage',
  'cursors',
  'dex_factories',
  'stock_multipliers',
  'stock_tokens',
  '_trace_gaps',
]);

/** Rows of a page and those that are joined to it; a list that is read to its end has many times as many. */
const MAX_ROWS_READ = 1_000;
/** What is sent by an address to itself, and the like: enough to be seen when it is all read for one page. */
const MANY = 5_000;
/** The same in tables of which there are fewer rows. */
const SOME = 100;

/** First those that took effect, then those that were superseded, last one that is pending. */
const ANNOUNCED = 60_000;

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

let database: MigratedDatabase;
let owner: pg.Client;
let samples: Samples;
let wholeIndexes: ReadonlyMap<string, string>;

beforeAll(async () => {
  database = await startMigratedDatabase([]);
  owner = new pg.Client(database.postgres.superuser);
  await owner.connect();
  samples = await fillRows((sql) => owner.query(sql), { schema: `"${CHAIN}"`, transfers: TRANSFERS });
  await fillFilteredRows();
  const { rows } = await owner.query<{ part: string; whole: string }>(
    `SELECT part.relname AS part, whole.relname AS whole FROM pg_inherits
     JOIN pg_class AS part ON part.oid = inhrelid JOIN pg_class AS whole ON whole.oid = inhparent
     WHERE part.relkind = 'i' AND part.relnamespace = '"${CHAIN}"'::regnamespace`,
  );
  wholeIndexes = new Map(rows.map(({ part, whole }) => [part, whole]));
});

afterAll(async () => {
  await owner?.end();
  await database?.close();
});

const bytes = (address: string) => `'\\x${address.slice(2)}'::bytea`;
const OF_ITSELF = seededAddress('0a', 7_777_777);
const ONE_TOKEN = seededAddress('0b', 7_777_777);
const OTHER_TOKEN = seededAddress('0b', 8_888_888);
const MIXED = seededAddress('0c', 99);
const FEW_1155 = seededAddress('0a', 9_999_999);

/** Rows that filters have to find among many others: the few are the oldest, or the others come first in the order. */
async function fillFilteredRows(): Promise<void> {
  const run = (sql: string) => owner.query(sql.replaceAll('{schema}', `"${CHAIN}"`));
  const hash = `decode(lpad(to_hex(n), 64, '0'), 'hex')`;
  const time = (block: string) => `'2026-01-01T00:00:00Z'::timestamptz + (${block}) * interval '1 second'`;
  const many = `generate_series(0, ${MANY - 1}) AS n`;
  await run(`INSERT INTO {schema}.transactions (block_number, tx_index, hash, block_hash, block_time, type, from_address,
      to_address, nonce, value, gas, gas_used, cumulative_gas_used, status, log_count, input, input_size)
    SELECT n, 100, ${hash}, ${hash}, ${time('n')}, 2, ${bytes(OF_ITSELF)}, ${bytes(OF_ITSELF)}, n, n / ${MANY - 10}, 0, 0, 0, 1, 0, '\\x', 0
    FROM ${many}`);
  const moved = (log: number, token: string, from: string, to: string) =>
    run(`INSERT INTO {schema}.erc20_transfers
        (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
      SELECT n, ${log}, 0, ${hash}, ${time('n')}, ${bytes(token)}, ${from}, ${to}, 1, 'transfer' FROM ${many}`);
  await moved(100, samples.token, bytes(OF_ITSELF), bytes(OF_ITSELF));
  await run(`INSERT INTO {schema}.nft_transfers (block_number, log_index, batch_index, tx_index, tx_hash, block_time, standard,
      token, token_id, from_address, to_address, amount, kind)
    SELECT n, 200, 0, 0, ${hash}, ${time('n')}, CASE WHEN n < 3 THEN 1155 ELSE 721 END, ${bytes(MIXED)}, n,
      ${bytes(FEW_1155)}, ${bytes(FEW_1155)}, 1, 'transfer' FROM ${many}`);
  await run(`INSERT INTO {schema}.nft_owners
    SELECT ${bytes(FEW_1155)}, ${bytes(MIXED)}, n, CASE WHEN n > ${MANY - 3} THEN 1155 ELSE 721 END, 1, n, ${time('n')}
    FROM ${many}`);
  await run(`INSERT INTO {schema}.traces (block_number, tx_index, trace_index, tx_hash, block_time, trace_address, type,
      from_address, to_address, value, gas, gas_used, input, input_size, output, output_size, subcalls, reverted_by_parent)
    SELECT n, 9, 9, ${hash}, ${time('n')}, '', 'CALL', ${bytes(OF_ITSELF)}, ${bytes(OF_ITSELF)}, n / ${MANY - 10}, 1, 1, '\\x', 0, '\\x', 0,
      0, false FROM ${many}`);
  await run(`INSERT INTO {schema}.withdrawals
    SELECT n, 0, ${time('n')}, n, n, CASE WHEN n % 100 = 0 THEN ${bytes(OF_ITSELF)} ELSE decode(lpad(to_hex(n), 40, '0'), 'hex') END, 1
    FROM ${many}`);
  await run(`INSERT INTO {schema}.tokens (address, standard, symbol, metadata_status, first_seen_block, updated_block)
    SELECT decode('0e' || lpad(to_hex(n), 38, '0'), 'hex'), CASE WHEN n > ${SOME - 3} THEN 1155 ELSE 20 END, 'SAME', 'complete', 1, 1
    FROM generate_series(0, ${SOME - 1}) AS n`);
  await run(`INSERT INTO {schema}.tokens (address, standard, symbol, metadata_status, first_seen_block, updated_block)
    SELECT decode('0d' || lpad(to_hex(n), 38, '0'), 'hex'), 20, 'T' || n, 'complete', 1, 1 FROM ${many}`);
  await run(`INSERT INTO {schema}.dex_pools (pool_id, protocol, factory, token0, token1, created_block, created_log_index,
      created_time, updated_block)
    SELECT decode('0f' || lpad(to_hex(n), 38, '0'), 'hex'), CASE WHEN n > ${SOME - 3} THEN 'uniswap_v2' ELSE 'uniswap_v3' END,
      '\\x00', CASE WHEN n % 2 = 0 THEN ${bytes(ONE_TOKEN)} ELSE ${bytes(OTHER_TOKEN)} END,
      CASE WHEN n % 2 = 1 THEN ${bytes(ONE_TOKEN)} ELSE ${bytes(OTHER_TOKEN)} END, 1, 0, now(), 1 FROM generate_series(0, ${SOME - 1}) AS n`);
  await run(`INSERT INTO {schema}.token_prices (token, block_number, block_time, price_usd, method, sample_trades)
    SELECT ${bytes(ONE_TOKEN)}, n, ${time('n')}, 1, 'peg', 0 FROM ${many}`);
  await run(`INSERT INTO {schema}.stock_multipliers
    SELECT ${bytes(seededAddress('0b', 3))}, n / 20, 100 + n % 20, ${hash}, ${time('n / 20')}, 1, 1, ${time('n / 20')},
      CASE WHEN n = ${ANNOUNCED - 1} THEN 'infinity' ELSE ${time('n / 20')} END,
      n BETWEEN ${ANNOUNCED / 2} AND ${ANNOUNCED - 2}
    FROM generate_series(0, ${ANNOUNCED - 1}) AS n`);
  await run(`INSERT INTO {schema}.dex_liquidity_events (block_number, log_index, tx_index, tx_hash, block_time, protocol, pool_id, kind)
    SELECT n / 40, 300 + n % 40, 0, ${hash}, ${time('n / 40')}, 'uniswap_v3',
      CASE WHEN n % 130 = 0 THEN ${bytes(ONE_TOKEN)} ELSE decode(lpad(md5((n % 5000)::text), 40, '0'), 'hex') END, 'mint'
    FROM generate_series(0, ${40 * MANY - 1}) AS n`);
  await run('ANALYZE');
}

const EARLY = '2026-01-01T00:00:10Z';
const LATE = '2026-01-01T01:00:00Z';

/** Requests with each filter, of rows that are rare among those which the list would read without it. */
const FILTERED: readonly string[] = [
  '/blocks?order=asc&from_time=2026-01-01T00:30:00Z&to_time=2026-01-01T00:40:00Z',
  `/blocks-by-time/${LATE}?side=after`,
  '/transactions?from_block=2000&to_block=2100',
  '/transactions?order=asc&from_time=2026-01-01T00:30:00Z',
  ...['any', 'in', 'out'].map((direction) => `/addresses/${OF_ITSELF}/transactions?direction=${direction}`),
  ...['any', 'in', 'out'].map((direction) => `/addresses/${OF_ITSELF}/traces?direction=${direction}`),
  ...['native', 'internal'].flatMap((kind) =>
    ['any', 'in', 'out'].map(
      (direction) => `/addresses/${OF_ITSELF}/${kind}-transfers?order=asc&direction=${direction}`,
    ),
  ),
  ...['erc20', 'erc721', 'erc1155', 'all'].map((standard) => `/transfers?standard=${standard}`),
  ...['erc20', 'all'].flatMap((standard) =>
    ['any', 'in', 'out'].map(
      (direction) => `/addresses/${OF_ITSELF}/transfers?standard=${standard}&direction=${direction}`,
    ),
  ),
  ...['erc721', 'erc1155', 'all'].flatMap((standard) => [
    `/addresses/${FEW_1155}/nfts?standard=${standard}`,
    `/addresses/${FEW_1155}/nfts?standard=${standard}&token=${MIXED}`,
  ]),
  ...['erc20', 'erc721', 'erc1155', 'all'].flatMap((standard) => [
    `/tokens?standard=${standard}`,
    `/tokens?standard=${standard}&symbol=same`,
  ]),
  '/transfers?finality=latest',
  ...['/transfers', '/dex/trades', '/dex/pools'].map((path) => `${path}?include=token`),
  `/addresses/${OF_ITSELF}/transfers?finality=latest`,
  `/tokens/${ONE_TOKEN}/price`,
  `/tokens/${ONE_TOKEN}/price?at=${EARLY}`,
  `/tokens/${seededAddress('0b', 3)}/candles?interval=1h&order=asc&from_time=2026-01-01T04:00:00Z&to_time=2026-01-01T06:00:00Z`,
  ...[
    `token=${ONE_TOKEN}`,
    'protocol=uniswap_v2',
    `token=${ONE_TOKEN}&protocol=uniswap_v2`,
    'protocol=none',
    'sort=liquidity',
    `sort=liquidity&token=${ONE_TOKEN}`,
    `token0=${ONE_TOKEN}&token1=${OTHER_TOKEN}`,
    `token0=${OTHER_TOKEN}&token1=${ONE_TOKEN}&sort=liquidity`,
  ].map((query) => `/dex/pools?${query}`),
  ...['T1', 'same', 'nothing of the kind', '0x0d', '0x'].map((text) => `/tokens?search=${text}`),
  `/dex/pools/${ONE_TOKEN}/liquidity-events`,
  `/dex/pools/${ONE_TOKEN}/liquidity-events?order=asc&from_block=1000`,
  '/stocks?day=2026-01-31',
  ...['pending', 'effective', 'superseded'].flatMap((status) =>
    ['asc', 'desc'].map((order) => `/stocks/corporate-actions?status=${status}&order=${order}`),
  ),
];

test.each(FILTERED)('%s reads next to nothing but what it tells', async (request) => {
  const [path = '', query = ''] = request.split('?');
  const { plan } = await explained({
    path,
    query: Object.fromEntries([...new URLSearchParams(query)].map(([name, value]) => [name, [value]])),
  });
  const scans = flatten(plan).filter((node) => node['Relation Name'] !== undefined);
  const read = scans.map((node) => ({
    of: node['Index Name'] ?? node['Relation Name'],
    rows: rowsRead(node),
  }));
  const total = read.reduce((sum, { rows }) => sum + rows, 0);
  expect({ total, read: total > MAX_ROWS_READ ? read : [] }).toEqual({ total, read: [] });
});

/** Rows that a node has looked at, those that it left out included. */
function rowsRead(node: PlanNode): number {
  const each =
    (node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return each * (node['Actual Loops'] ?? 1);
}

test.each(Object.keys(INDEXES) as (keyof typeof INDEXES)[])(
  '%s reads by its index, on its further pages too',
  async (operationId) => {
    let cursor: string | undefined;
    for (let page = 0; page < 2; page += 1) {
      const { path, query } = samplePath(operationId, samples);
      const { plan, next } = await explained({
        path,
        query: { ...query, ...(cursor !== undefined && { cursor: [cursor] }) },
      });
      const nodes = flatten(plan);
      const scanned = nodes.flatMap((node) =>
        node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : [],
      );
      expect(scanned.filter((table) => !SMALL_TABLES.has(table))).toEqual([]);
      const used = nodes.flatMap(({ 'Index Name': name }) => (name === undefined ? [] : [wholeIndex(name)]));
      for (const index of INDEXES[operationId])
        expect({ index, used, found: used.includes(index) }).toMatchObject({ found: true });
      if (next === undefined) return;
      cursor = next;
    }
  },
);

/** Name of the index that one of a partition is a part of. */
const wholeIndex = (name: string) => wholeIndexes.get(name) ?? name;

/** The plan of a request's statement as it was carried out, and the next cursor. */
async function explained({ path, query }: Pick<DataRequest, 'path' | 'query'>) {
  let plan: PlanNode | undefined;
  const explaining: Queries = {
    query: async (sql, parameters = {}) => {
      const { rows } = await owner.query<{ readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
        bareQuery([`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, parameters]),
      );
      plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
      return database.reader.query(sql, parameters);
    },
  };
  const { body, statusCode } = await handleData(
    {
      holder: { keyId: 'k', account: 'a' },
      chain: CHAIN,
      path,
      query,
      ifNoneMatch: undefined,
      requestId: 'r',
    },
    {
      meter: admittingMeter(),
      chains: [{ chain: CHAIN, chainId: 1, isDefault: true }],
      database: explaining,
      seal: createSeal('key'),
      clock: { now: Date.now },
      ...UNLIMITED,
    },
  );
  if (plan === undefined) throw new Error(`no statement: ${body}`);
  expect({ statusCode, body: statusCode === 200 ? '' : body }).toEqual({ statusCode: 200, body: '' });
  return { plan, next: (JSON.parse(String(body)) as { next_cursor?: string }).next_cursor };
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
