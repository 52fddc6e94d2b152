import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { samplePath } from '../../bench/data-requests.ts';
import { fillRows, type Samples } from '../../bench/data-rows.ts';
import type { Queries } from '../../lambdas/chain-data/chain-database.ts';
import { OPERATIONS, type OperationId } from '../../lambdas/data/generated/operations.ts';
import { handleData } from '../../lambdas/data/handle-data.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';

const CHAIN = 'planned';
const TRANSFERS = 100_000;

/** The index of each operation's driving table, by words of its name. */
const INDEXES: Readonly<Record<string, readonly string[]>> = {
  listBlocks: ['blocks_p0_pkey'],
  getBlock: ['blocks_p0_pkey'],
  getBlockByHash: ['blocks_p0_hash_idx'],
  getBlockByTime: ['blocks_p0_time_number_idx'],
  listBlockTransactions: ['transactions_p0_pkey'],
  listBlockLogs: ['logs_p0_pkey'],
  listBlockTraces: ['traces_p0_pkey'],
  listTransactions: ['transactions_p0_pkey'],
  getTransaction: ['transaction_hashes_', 'transactions_p0_pkey'],
  listTransactionLogs: ['transaction_hashes_', 'logs_p0_pkey'],
  listTransactionTransfers: ['transaction_hashes_', 'erc20_transfers_p0_pkey', 'nft_transfers_p0_pkey'],
  listTransactionTrades: ['transaction_hashes_', 'dex_swaps_p0_pkey'],
  listTransactionTraces: ['transaction_hashes_', 'traces_p0_pkey'],
  listLogs: ['logs_p0_address_'],
  listTransfers: ['erc20_transfers_p0_pkey', 'nft_transfers_p0_pkey'],
  listAddressTransactions: ['transactions_p0_from_', 'transactions_p0_to_'],
  listAddressTransfers: [
    'erc20_transfers_p0_from_',
    'erc20_transfers_p0_to_',
    'nft_transfers_p0_from_',
    'nft_transfers_p0_to_',
  ],
  listAddressBalances: ['balances_pkey'],
  listBalanceHistory: ['balance_history_pkey'],
  listAddressNfts: ['nft_owners_pkey'],
  listAddressTrades: ['dex_swaps_p0_trader_'],
  listAddressTraces: ['traces_p0_from_', 'traces_p0_to_'],
  listAddressStocks: ['balances_pkey'],
  listTokens: ['tokens_pkey'],
  getToken: ['tokens_pkey'],
  listTokenHolders: ['balances_holders'],
  listTokenTransfers: ['erc20_transfers_p0_token_', 'nft_transfers_p0_token_'],
  listTokenTrades: ['dex_swaps_p0_token_in_', 'dex_swaps_p0_token_out_'],
  getTokenPrice: ['token_prices_pkey'],
  listTokenCandles: ['candles_pkey'],
  listPrices: ['token_prices_pkey'],
  getNftCollection: ['tokens_pkey'],
  listNftItems: ['nft_items_pkey'],
  getNftItem: ['nft_items_pkey'],
  listNftItemOwners: ['nft_owners_item'],
  listNftItemTransfers: ['nft_transfers_p0_token_token_id_'],
  listNftOwners: ['nft_owners_item'],
  listNftTransfers: ['nft_transfers_p0_token_block_'],
  listPools: ['dex_pools_pkey'],
  getPool: ['dex_pools_pkey'],
  listPoolTrades: ['dex_swaps_p0_pool_'],
  listPoolLiquidityEvents: ['dex_liquidity_events_p0_pool_'],
  listPoolCandles: ['candles_pkey'],
  listTrades: ['dex_swaps_p0_pkey'],
  listStocks: ['stock_daily_pkey'],
  listStockDaily: ['stock_daily_token'],
  listStockHolders: ['balances_holders'],
  listStockTransfers: ['erc20_transfers_p0_token_'],
  listStockTrades: ['dex_swaps_p0_token_in_', 'dex_swaps_p0_token_out_'],
  listStockCandles: ['candles_pkey'],
};
/** What grows with the chain must never be read from one end to the other. */
const SMALL_TABLES: ReadonlySet<string> = new Set([
  'balance_snapshots',
  'coverage',
  'cursors',
  'stock_multipliers',
  'stock_tokens',
  '_trace_gaps',
]);

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

let database: MigratedDatabase;
let owner: pg.Client;
let samples: Samples;

beforeAll(async () => {
  database = await startMigratedDatabase([CHAIN]);
  owner = new pg.Client(database.postgres.superuser);
  await owner.connect();
  samples = await fillRows((sql) => owner.query(sql), { schema: `"${CHAIN}"`, transfers: TRANSFERS });
}, 180_000);

afterAll(async () => {
  await owner?.end();
  await database?.close();
});

const PLANNED = (Object.keys(OPERATIONS) as OperationId[]).filter((id) => INDEXES[id] !== undefined);

test.each(PLANNED)('%s reads by its index, on its further pages too', async (operationId) => {
  let cursor: string | undefined;
  for (let page = 0; page < 2; page += 1) {
    const { plan, next } = await explained(operationId, cursor);
    const nodes = flatten(plan);
    const scanned = nodes.flatMap((node) =>
      node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : [],
    );
    expect(scanned.filter((table) => !SMALL_TABLES.has(table))).toEqual([]);
    const used = nodes.flatMap((node) => node['Index Name'] ?? []);
    for (const index of INDEXES[operationId] ?? [])
      expect({ index, used, found: used.some((name) => name.startsWith(index)) }).toMatchObject({
        found: true,
      });
    if (next === undefined) return;
    cursor = next;
  }
});

/** The plan of an operation's statement, and its next cursor. */
async function explained(operationId: OperationId, cursor: string | undefined) {
  let plan: PlanNode | undefined;
  const explaining: Queries = {
    query: async (sql, parameters) => {
      const { rows } = await database.reader.query(`EXPLAIN (FORMAT JSON) ${sql}`, parameters);
      const [explanation] = JSON.parse(String(Object.values(rows[0] ?? {})[0])) as { Plan: PlanNode }[];
      plan = explanation?.Plan;
      return database.reader.query(sql, parameters);
    },
  };
  const { path, query } = samplePath(operationId, samples);
  const { body, statusCode } = await handleData(
    {
      holder: { keyId: 'k', account: 'a' },
      chain: CHAIN,
      path,
      query: { ...query, ...(cursor !== undefined && { cursor: [cursor] }) },
      ifNoneMatch: undefined,
      requestId: 'r',
    },
    {
      meter: {
        admit: async () => ({ admitted: true, balanceCu: 1n, limits: [] }),
        charge: async () => ({ state: 'charged', balanceCu: 1n }),
      },
      chains: [{ chain: CHAIN, chainId: 1, isDefault: true }],
      database: explaining,
      clock: { now: Date.now },
    },
  );
  if (plan === undefined) throw new Error(`no statement: ${body}`);
  expect({ statusCode, body: statusCode === 200 ? '' : body }).toEqual({ statusCode: 200, body: '' });
  return { plan, next: (JSON.parse(String(body)) as { next_cursor?: string }).next_cursor };
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
