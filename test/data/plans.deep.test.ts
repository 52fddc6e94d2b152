import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { DataOperationId } from '../../lambdas/data/operations/operations.ts';
import { MAX_EXAMINED_ROWS } from '../../lambdas/data/plan/scan.ts';
import { MADE_CHAINS, type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';
import { sampled } from '../support/at-length.ts';
import { ExplainedRequests } from './plan/explained-requests.ts';
import {
  FEW_721,
  FEW_1155,
  FORGED,
  fillFilteredRows,
  MIXED,
  OF_ITSELF,
  ONE_TOKEN,
  OTHER_TOKEN,
} from './plan/filtered-rows.ts';
import { samplePath } from './plan/sampled-requests.ts';
import { BUSY, fillRows, POISONED, type Samples, seededAddress } from './plan/seeded-rows.ts';

const [CHAIN] = MADE_CHAINS;
const SCHEMA = `"${CHAIN}"`;
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
  listProofLevels: ['proof_levels_pkey'],
  listBlocks: ['blocks_pkey'],
  getBlock: ['blocks_pkey'],
  getBlockByHash: ['blocks_hash'],
  getBlockByTime: ['blocks_time'],
  listBlockTransactions: ['transactions_pkey'],
  listBlockLogs: ['logs_pkey'],
  listBlockTraces: ['traces_pkey'],
  listTransactions: ['transactions_pkey'],
  getTransaction: ['transactions_pkey'],
  getTransactionProof: ['transactions_pkey'],
  listTransactionLogs: ['logs_pkey'],
  listTransactionTransfers: ['erc20_transfers_pkey', 'nft_transfers_pkey'],
  listTransactionTrades: ['dex_swaps_pkey'],
  listTransactionTraces: ['traces_pkey'],
  listLogs: ['logs_address'],
  listTransfers: ['erc20_transfers_pkey', 'nft_transfers_pkey', 'transactions_pkey'],
  getAddress: [
    'transactions_from',
    'transactions_to',
    'transactions_contract',
    'erc20_transfers_from',
    'erc20_transfers_to',
    'nft_transfers_from',
    'nft_transfers_to',
    'traces_to',
    'traces_created',
    'logs_user_operations',
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
  listAddressActivity: [
    'transactions_from',
    'transactions_to',
    'traces_value_from',
    'traces_value_to',
    'erc20_transfers_from',
    'erc20_transfers_to',
    'nft_transfers_from',
    'nft_transfers_to',
    'dex_swaps_trader',
  ],
  listAddressApprovals: ['logs_approvals'],
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
  listAddressNfts: ['nft_owners_pkey'],
  listAddressTrades: ['dex_swaps_trader'],
  listAddressTraces: ['traces_from', 'traces_to'],
  listAddressStocks: ['balances_pkey', 'token_prices_pkey', 'erc20_transfers_from', 'erc20_transfers_to'],
  listTokens: ['tokens_pkey'],
  getToken: ['tokens_pkey'],
  getTokens: ['tokens_pkey'],
  getTransactions: ['transactions_pkey'],
  getPrices: ['token_prices_pkey', 'dex_pools_token0', 'dex_pools_token1'],
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

let database: MigratedDatabase;
let owner: pg.Client;
let requests: ExplainedRequests;
let samples: Samples;

beforeAll(async () => {
  database = await startMigratedDatabase([]);
  owner = new pg.Client(database.postgres.superuser);
  await owner.connect();
  const run = (sql: string) => owner.query(sql);
  samples = await fillRows(run, { schema: SCHEMA, transfers: TRANSFERS });
  await fillFilteredRows(run, SCHEMA, samples);
  requests = await ExplainedRequests.open(database, CHAIN);
});

afterAll(async () => {
  await requests?.close();
  await owner?.end();
  await database?.close();
});

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
  `/addresses/${FEW_721}/nfts?standard=erc721`,
  ...['', '/usd'].map((values) => `/addresses/${OF_ITSELF}/balances${values}?native=true`),
  ...['', 'order=asc', 'finality=latest'].map((query) => `/addresses/${OF_ITSELF}/activity?${query}`),
  `/addresses/${FORGED}`,
  // Nearly all rows fulfil these: a page of them is found at once, in all walks together.
  '/transfers?exclude_zero=true',
  '/transfers?exclude_zero=true&order=asc&from_block=100&to_block=4900',
  '/transfers?standard=erc20&exclude_zero=true',
  `/tokens/${seededAddress('0b', 3)}/transfers?exclude_zero=true`,
  `/nfts/${MIXED}/transfers?exclude_zero=true`,
  `/addresses/${OF_ITSELF}/activity?exclude_zero=true`,
  ...['any', 'in', 'out'].map(
    (direction) => `/addresses/${OF_ITSELF}/transfers?exclude_zero=true&direction=${direction}`,
  ),
  ...['approvals', 'activity?exclude_zero=true&possible_spam=false', 'transfers?exclude_zero=true'].map(
    (list) => `/addresses/${BUSY}/${list}`,
  ),
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

test.each(FILTERED)('%s reads next to nothing but what it tells', (request) => readsLittle(request));

/** Requests whose filter no index serves and hardly a row fulfils, and how often each row that is examined is read. */
const EXAMINED: readonly (readonly [request: string, reads: number])[] = [
  [`/addresses/${POISONED}/activity?exclude_zero=true`, 1],
  // Each has a transaction, or a token, to look up.
  ...['possible_spam=false', 'min_amount=0.5'].map(
    (query) => [`/addresses/${POISONED}/activity?${query}`, 2] as const,
  ),
  ...['any', 'in'].map(
    (direction) => [`/addresses/${POISONED}/transfers?exclude_zero=true&direction=${direction}`, 1] as const,
  ),
];

test.each(EXAMINED)('%s reads no more rows than it may examine', (request, reads) =>
  readsLittle(request, reads * (MAX_EXAMINED_ROWS + 1) + MAX_ROWS_READ),
);

async function readsLittle(request: string, most = MAX_ROWS_READ): Promise<void> {
  const [path = '', query = ''] = request.split('?');
  const { scans } = await requests.send({
    path,
    query: Object.fromEntries([...new URLSearchParams(query)].map(([name, value]) => [name, [value]])),
  });
  const total = scans.reduce((sum, { rows }) => sum + rows, 0);
  expect({ request, total, scans: total > most ? scans : [] }).toEqual({
    request,
    total,
    scans: [],
  });
}

type Indexed = keyof typeof INDEXES;

test.each(Object.keys(INDEXES) as Indexed[])('%s reads by its index, on its further pages too', readsByIndex);

async function readsByIndex(operationId: Indexed): Promise<void> {
  let cursor: string | undefined;
  for (let page = 0; page < 2; page += 1) {
    const { path, query } = samplePath(operationId, samples);
    const { scans, nextCursor } = await requests.send({
      path,
      query: { ...query, ...(cursor !== undefined && { cursor: [cursor] }) },
    });
    const whole = scans.flatMap(({ isWholeTable, table = '' }) => (isWholeTable ? [table] : []));
    expect(whole.filter((table) => !SMALL_TABLES.has(table))).toEqual([]);
    const used = scans.flatMap(({ index }) => index ?? []);
    for (const index of INDEXES[operationId])
      expect({ operationId, index, used, found: used.includes(index) }).toMatchObject({ found: true });
    if (nextCursor === undefined) return;
    cursor = nextCursor;
  }
}

/** SQL of the first bytes of something as a number. */
const number = (value: string) => `('x' || encode(substr(${value}, 1, 8), 'hex'))::bit(64)::bigint`;
const ofBusiest = (digest: string) =>
  `CASE WHEN value = '\\x${OF_ITSELF.slice(2)}' THEN ${digest} ELSE ${number('sha256(value)')} END`;
/**
 * Digests that a chain could have, by which an index and its table have more of the same order than by chance: then the planner takes
 * rows to be beside each other that are not.
 */
const DIGESTS = {
  'the first for the busiest address': ofBusiest("'-9223372036854775807'"),
  'the last for the busiest address': ofBusiest("'9223372036854775807'"),
  'in the order of addresses': number('substr(value, 13)'),
  'by chance, once more': number("sha256('once more' || value)"),
} as const;
/** Tables whose indexes have digests. */
const DIGESTED = ['transactions', 'logs', 'erc20_transfers', 'traces'] as const;

const isDigested = (index: string) =>
  !index.endsWith('_pkey') && DIGESTED.some((table) => index.startsWith(`${table}_`));

test.each(sampled(Object.keys(DIGESTS) as (keyof typeof DIGESTS)[]))(
  'plans are the same with a digest that is %s, and statistics of another sample',
  async (name) => {
    await takeDigest(DIGESTS[name]);
    for (const request of FILTERED.filter((one) => one.startsWith(`/addresses/${OF_ITSELF}`)))
      await readsLittle(request);
    for (const [operationId, indexes] of Object.entries(INDEXES) as [Indexed, readonly string[]][])
      if (indexes.some(isDigested)) await readsByIndex(operationId);
  },
);

/** Gives the chain another digest. A session that has used an index would make it anew by the digest of before. */
async function takeDigest(digest: string): Promise<void> {
  const tables = DIGESTED.map((table) => `${SCHEMA}.${table}`);
  const session = new pg.Client(database.postgres.superuser);
  await session.connect();
  try {
    await session.query(`CREATE OR REPLACE FUNCTION ${SCHEMA}.index_key(value bytea) RETURNS bigint
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN ${digest}`);
    for (const table of tables) await session.query(`REINDEX TABLE ${table}`);
    await session.query(`ANALYZE ${tables.join(', ')}`);
  } finally {
    await session.end();
  }
}
