import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkContract } from '../api/contract.ts';
import { address, HEAD, type SeededChain, startSeededChain } from './seeded-chain.ts';

/** The only fields of a freshness row that the specification has as nullable. */
const NULLABLE = [
  'max_day',
  'days_behind',
  'trace_min_block',
  'trace_max_block',
  'trace_gap_ranges',
  'trace_gap_blocks',
];

let chain: SeededChain;

beforeAll(async () => {
  chain = await startSeededChain();
});

afterAll(() => chain?.close());

test('freshness of a chain with nothing but blocks: only the six nullable fields are null, and empty tables are as fresh as the index', async () => {
  const response = await chain.get('/status/freshness');
  checkContract('getFreshness', {
    status: response.statusCode,
    contentType: String(response.headers['Content-Type']),
    body: String(response.body),
  });
  const rows = response.json.data;
  expect(rows).toHaveLength(17);
  for (const row of rows)
    for (const [field, value] of Object.entries(row))
      if (!NULLABLE.includes(field))
        expect({ table: row.table_name, field, value }).not.toMatchObject({ value: null });
  const transfers = rows.find(({ table_name }) => table_name === 'erc20_transfers');
  expect(transfers).toMatchObject({
    max_block_number: HEAD,
    max_time: '2026-01-01T01:40:00Z',
    blocks_behind: 0,
    follow_last_block: HEAD,
    follow_lag_blocks: 0,
    rows_estimate: 0,
  });
  const blocks = rows.find(({ table_name }) => table_name === 'blocks');
  expect(transfers?.seconds_behind).toBe(blocks?.seconds_behind);
});

test('freshness of what nothing was done for yet is that of the first stored block', async () => {
  const { json } = await chain.get('/status/freshness');
  for (const table of ['balances', 'token_prices'])
    expect(json.data.find(({ table_name }) => table_name === table)).toMatchObject({
      max_block_number: 0,
      max_time: '2026-01-01T00:00:00Z',
      blocks_behind: HEAD,
      follow_last_block: 0,
      follow_lag_blocks: HEAD,
    });
});

test('each balance entry has a string `symbol` and an integer `decimals`, of tokens that say none as well', async () => {
  const holder = address('a1');
  const token = (digits: string) => `decode('${address(digits).slice(2)}', 'hex')`;
  await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (1, 300, '\\x00', now(), now())`);
  await chain.insert(`INSERT INTO {schema}.tokens (address, standard, symbol, decimals, first_seen_block, updated_block)
    VALUES (${token('70')}, 20, 'RAW', 0, 1, 1), (${token('71')}, 20, NULL, NULL, 1, 1), (${token('72')}, 20, 'HALF', NULL, 1, 1)`);
  await chain.insert(`INSERT INTO {schema}.balances
    SELECT decode('${holder.slice(2)}', 'hex'), token, 5, 'ledger', 'verified', 300, 1
    FROM unnest(ARRAY[${['70', '71', '72'].map(token).join(', ')}]) AS token`);
  const response = await chain.get(`/addresses/${holder}/balances`);
  expect(response.json.data).toEqual([
    { token: address('70'), balance: '5', symbol: 'RAW', decimals: 0 },
    { token: address('71'), balance: '5', symbol: '', decimals: -1 },
    { token: address('72'), balance: '5', symbol: 'HALF', decimals: -1 },
  ]);
  checkContract('listAddressBalances', {
    status: 200,
    contentType: 'application/json',
    body: String(response.body),
  });
});
