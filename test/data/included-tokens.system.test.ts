import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type DataOperationId, OPERATIONS } from '../../lambdas/data/operations/operations.ts';
import { checkContract } from '../api/contract.ts';
import { address, type SeededChain, startSeededChain } from './seeded-chain.ts';

const COIN = address('70');
/** Says what no honest token says. */
const LIAR = address('71');
const SILENT = address('72');
const ALICE = address('a1');
const POOL = address('90');

let chain: SeededChain;

beforeAll(async () => {
  chain = await startSeededChain();
  const bytes = (text: string) => `decode('${text.slice(2)}', 'hex')`;
  const hash = `decode(repeat('ab', 32), 'hex')`;
  await chain.insert(`INSERT INTO {schema}.tokens (address, standard, symbol, decimals, metadata_status, first_seen_block, updated_block)
    VALUES (${bytes(COIN)}, 20, 'USD', 6, 'complete', 1, 1), (${bytes(LIAR)}, 20, '🦊"' || repeat('x', 253), 255, 'complete', 1, 1),
      (${bytes(SILENT)}, 20, NULL, NULL, 'partial', 1, 1)`);
  await chain.insert(`INSERT INTO {schema}.transactions (block_number, tx_index, hash, block_hash, block_time, type, from_address,
      nonce, value, gas, gas_used, cumulative_gas_used, log_count, input, input_size)
    VALUES (100, 0, ${hash}, '\\x00', '2026-01-01', 2, ${bytes(ALICE)}, 0, 0, 0, 0, 0, 1, '\\x', 0)`);
  await chain.insert(`INSERT INTO {schema}.erc20_transfers
        (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
    SELECT 100, n, 0, ${hash}, '2026-01-01', decode(lpad(to_hex(112 + n), 40, '0'), 'hex'), ${bytes(ALICE)}, ${bytes(address('b2'))}, 5, 'transfer'
    FROM generate_series(0, 2) AS n`);
  await chain.insert(`INSERT INTO {schema}.dex_pools (pool_id, protocol, factory, token0, token1, created_block, created_log_index,
      created_time, updated_block)
    VALUES (${bytes(POOL)}, 'uniswap_v2', ${bytes(address('f0'))}, ${bytes(COIN)}, ${bytes(LIAR)}, 1, 0, '2026-01-01', 1)`);
  await chain.insert(`INSERT INTO {schema}.dex_swaps (block_number, log_index, tx_index, tx_hash, block_time, protocol, pool_id,
      token_in, token_out, amount0, amount1, amount_in, amount_out, sender, recipient, trader, trader_kind)
    VALUES (100, 9, 0, ${hash}, '2026-01-01', 'uniswap_v2', ${bytes(POOL)}, ${bytes(LIAR)}, ${bytes(COIN)}, 1, -1, 1, 1,
      ${bytes(ALICE)}, ${bytes(ALICE)}, ${bytes(ALICE)}, 'tx_from')`);
  await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (1, 300, '\\x00', now(), now())`);
  await chain.insert(`INSERT INTO {schema}.balances (token, holder, amount, method, confidence, block_number, snapshot_id)
    SELECT decode(lpad(to_hex(112 + n), 40, '0'), 'hex'), ${bytes(ALICE)}, 7, 'ledger', 'verified', 300, 1 FROM generate_series(0, 2) AS n`);
});

afterAll(() => chain?.close());

/** Statements that read rows; a look-up by hash comes before one. */
const rowStatements = () => chain.statements().filter((sql) => !sql.includes('find_transactions'));

const CLAIMED = `🦊"${'x'.repeat(253)}`;
const SAID: Readonly<Record<string, readonly [symbol: string | null, decimals: number | null]>> = {
  [COIN]: ['USD', 6],
  [LIAR]: [CLAIMED, 255],
  [SILENT]: [null, null],
};

const PATHS: Readonly<Partial<Record<DataOperationId, string>>> = {
  listTransfers: '/transfers',
  listTransactionTransfers: `/transactions/0x${'ab'.repeat(32)}/transfers`,
  listAddressTransfers: `/addresses/${ALICE}/transfers`,
  listTokenTransfers: `/tokens/${LIAR}/transfers`,
  listAddressBalances: `/addresses/${ALICE}/balances`,
  listTrades: '/dex/trades',
  listTransactionTrades: `/transactions/0x${'ab'.repeat(32)}/trades`,
  listAddressTrades: `/addresses/${ALICE}/trades`,
  listTokenTrades: `/tokens/${COIN}/trades`,
  listPoolTrades: `/dex/pools/${POOL}/trades`,
  listPools: '/dex/pools',
  getPool: `/dex/pools/${POOL}`,
};

test.each(Object.entries(PATHS))(
  '%s tells symbol and decimals beside each token, by one statement, if it is asked to',
  async (operationId, path) => {
    const askedBefore = rowStatements().length;
    const plain = await chain.get(path);
    const included = await chain.get(`${path}?include=token`);
    expect(rowStatements()).toHaveLength(askedBefore + 2);
    expect(included.headers['X-CU-Billed']).toBe(plain.headers['X-CU-Billed']);
    const { statusCode: status, body } = included;
    checkContract(operationId, { status, contentType: 'application/json', body: String(body) });
    const rows = [included.json.data].flat() as Record<string, unknown>[];
    expect(rows.length).toBeGreaterThan(0);
    for (const [index, row] of rows.entries()) {
      const named = Object.keys(row).filter((field) => /^token(_in|_out|0|1)?$/.test(field));
      for (const field of named)
        expect([row[`${field}_symbol`], row[`${field}_decimals`]]).toEqual(SAID[String(row[field])]);
      expect(row).toMatchObject([plain.json.data].flat()[index] ?? {});
      expect(Object.keys([plain.json.data].flat()[index] ?? {})).toHaveLength(
        Object.keys(row).length - 2 * named.length,
      );
    }
  },
);

test('other values and other operations are refused', async () => {
  for (const path of [
    '/transfers?include=logs',
    '/transfers?include=',
    '/blocks?include=token',
    '/tokens?include=token',
  ])
    expect((await chain.get(path)).statusCode).toBe(400);
});

test('every operation that takes it is tried here', () => {
  const takes = (Object.keys(OPERATIONS) as DataOperationId[]).filter((id) =>
    OPERATIONS[id].parameters.some(({ name }) => name === 'include'),
  );
  const likeTheirs = ['listStockTransfers', 'listStockTrades'];
  expect(takes.filter((id) => !likeTheirs.includes(id)).sort()).toEqual(Object.keys(PATHS).sort());
});
