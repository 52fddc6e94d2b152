/** Rows say what they mean: what a list leaves out is named, and what is not known is null. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OPERATIONS } from '../../lambdas/data/operations/operations.ts';
import { computeUnitsOf, paidBytes } from '../../lambdas/data/plan/price.ts';
import { MAX_EXAMINED_ROWS } from '../../lambdas/data/plan/scan.ts';
import { address, type SeededChain, startSeededChain } from './seeded-chain.ts';

/** The lines of a list as a file has them. */
async function fileOf(path: string): Promise<readonly string[]> {
  const { file } = await chain.get(path);
  const pieces: string[] = [];
  for await (const piece of file?.stream ?? []) pieces.push(String(piece));
  return pieces.join('').trimEnd().split('\n');
}

/** Its rows. */
async function exported(path: string): Promise<Record<string, unknown>[]> {
  return (await fileOf(path)).slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
}

const bytea = (text: string) => `decode('${text.slice(2)}', 'hex')`;

let chain: SeededChain;

beforeAll(async () => {
  chain = await startSeededChain();
});

afterAll(() => chain?.close());

describe('a URI of an item', () => {
  const DEED = address('7d');
  const OWNER = address('a7');
  /** The longest that is kept, of the letters that take most room as JSON and in a record. */
  const LONGEST = '"'.repeat(12_287);
  const items = [
    { token_id: '1', token_uri: null, token_uri_omitted: false, token_uri_size: null },
    { token_id: '2', token_uri: LONGEST, token_uri_omitted: false, token_uri_size: 12_287 },
    { token_id: '3', token_uri: null, token_uri_omitted: true, token_uri_size: 40_000 },
    { token_id: '4', token_uri: null, token_uri_omitted: true, token_uri_size: 50_000 },
  ];

  beforeAll(async () => {
    await chain.insert(`INSERT INTO {schema}.tokens (address, standard, first_seen_block, updated_block)
      VALUES (${bytea(DEED)}, 721, 1, 1)`);
    await chain.insert(`INSERT INTO {schema}.nft_items
      (token, token_id, first_seen_block, updated_block, token_uri, uri_size, asked_uri, asked_uri_size) VALUES
      (${bytea(DEED)}, 1, 1, 1, NULL, NULL, NULL, NULL),
      (${bytea(DEED)}, 2, 1, 1, NULL, NULL, repeat('"', 12287), 12287),
      (${bytea(DEED)}, 3, 1, 1, NULL, NULL, NULL, 40000),
      (${bytea(DEED)}, 4, 1, 1, NULL, 50000, 'asked', 5)`);
    await chain.insert(`INSERT INTO {schema}.nft_owners
      SELECT ${bytea(OWNER)}, token, token_id, 721, 1, 1, now() FROM {schema}.nft_items WHERE token = ${bytea(DEED)}`);
  });

  test('is whole, or said to be left out with its length, in lists, of one item, and in files', async () => {
    for (const list of [`/nfts/${DEED}/items`, `/addresses/${OWNER}/nfts`]) {
      expect((await chain.get(list)).json.data).toMatchObject(items);
      expect(await exported(`${list}?format=ndjson`)).toMatchObject(items);
    }
    for (const item of items)
      expect((await chain.get(`/nfts/${DEED}/items/${item.token_id}`)).json.data).toMatchObject(item);
  });

  test('that takes twice its length as JSON fills pages and files, and is billed, as long as it is there', async () => {
    await chain.insert(`INSERT INTO {schema}.nft_items
        (token, token_id, first_seen_block, updated_block, asked_uri, asked_uri_size)
      SELECT ${bytea(DEED)}, n, 1, 1, repeat('"', 12287), 12287 FROM generate_series(11, 70) AS n`);
    const { json } = await chain.get(`/nfts/${DEED}/items`);
    expect(JSON.stringify(json.data).length).toBeLessThanOrEqual(paidBytes(50));
    expect([json.data.length > 4, json.next_cursor]).toEqual([true, expect.any(String)]);
    const lines = await fileOf(`/nfts/${DEED}/items?format=ndjson`);
    const rows = lines.slice(0, -1);
    const bytes = rows.reduce((sum, row) => sum + Buffer.byteLength(`${row}\n`), 0);
    const price = { computeUnits: OPERATIONS.listNftItems.computeUnits, isPerItem: false };
    const billed_cu = computeUnitsOf(price, { rows: rows.length, bytes });
    const { end } = JSON.parse(lines.at(-1) ?? '') as { readonly end: object };
    expect(end).toMatchObject({ complete: true, rows: items.length + 60, billed_cu });
  });
});

describe('transfers of nothing', () => {
  const VICTIM = address('a8');
  const STRANGER = address('a9');
  const COIN = address('7c');
  /** Zero transfers between the first and the last that moves something, more than a page examines. */
  const NOTHINGS = MAX_EXAMINED_ROWS + 1_000;
  const LISTS = [`/addresses/${VICTIM}/transfers`, `/tokens/${COIN}/transfers`, '/transfers'];

  beforeAll(async () => {
    await chain.insert(`INSERT INTO {schema}.erc20_transfers
        (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
      SELECT 100 + n / 100, n % 100, 0, '\\x00', now(), ${bytea(COIN)}, ${bytea(VICTIM)}, ${bytea(address('dead'))},
        CASE WHEN n IN (0, ${NOTHINGS}) THEN 5 ELSE 0 END, 'transfer' FROM generate_series(0, ${NOTHINGS}) AS n`);
    await chain.insert(`INSERT INTO {schema}.nft_transfers (block_number, log_index, batch_index, tx_index, tx_hash, block_time,
        standard, token, token_id, from_address, to_address, amount, kind)
      VALUES (99, 0, 0, 0, '\\x00', now(), 721, ${bytea(address('7d'))}, 2, ${bytea(VICTIM)}, ${bytea(VICTIM)}, 1, 'transfer')`);
    await chain.insert(`INSERT INTO {schema}.transactions (block_number, tx_index, hash, block_hash, block_time, type, from_address,
        to_address, nonce, value, gas, gas_used, cumulative_gas_used, status, log_count, input, input_size)
      VALUES (100, 0, '\\x00', '\\x00', now(), 2, ${bytea(STRANGER)}, ${bytea(COIN)}, 0, 0, 0, 0, 0, 1, 0, '\\x', 0)`);
  });

  test('name who sent the transaction, and are left out page by page, each of a bounded number of rows', async () => {
    for (const list of LISTS) {
      const [oldest] = (await chain.get(`${list}?order=asc&from_block=100`)).json.data;
      expect([oldest?.amount, oldest?.from, oldest?.initiator]).toEqual(['5', VICTIM, STRANGER]);
      const amounts: unknown[][] = [];
      for (let cursor = '', pages = 0; pages < 4; pages += 1) {
        const { json } = await chain.get(`${list}?exclude_zero=true&from_block=99${cursor}`);
        expect(json.meta.rows_read).toBeLessThanOrEqual(MAX_EXAMINED_ROWS + 1);
        amounts.push(json.data.map(({ amount, initiator }) => [amount, initiator]));
        if (json.next_cursor === undefined) break;
        cursor = `&cursor=${json.next_cursor}`;
      }
      const item = list.startsWith('/tokens') ? [] : [['1', null]];
      expect(amounts).toEqual([[['5', null]], [['5', STRANGER], ...item]]);
    }
  });

  test('are left out of files in either direction', async () => {
    for (const order of ['asc', 'desc'])
      for (const list of LISTS) {
        const rows = await exported(`${list}?exclude_zero=true&from_block=100&order=${order}&format=ndjson`);
        expect(rows.map(({ amount, block_number }) => [amount, Number(block_number) > 100])).toEqual(
          order === 'asc'
            ? [
                ['5', false],
                ['5', true],
              ]
            : [
                ['5', true],
                ['5', false],
              ],
        );
      }
  });
});

test('a loan of a pool of V2 is a trade of its own kind; an amount that others round to 0 is not', async () => {
  const [borrower, coin] = ['f1', 'f2'].map((digits) => bytea(address(digits)));
  await chain.insert(`INSERT INTO {schema}.dex_swaps (block_number, log_index, tx_index, tx_hash, block_time, protocol, pool_id,
      token_in, token_out, amount0, amount1, amount_in, amount_out, sender, recipient, trader, trader_kind)
    SELECT 60, 200 + place, 0, '\\x00', '2026-01-01T00:10:00Z', protocol, ${coin}, ${coin}, ${borrower}, given, -taken, given, taken,
      ${borrower}, ${borrower}, ${borrower}, 'tx_from'
    FROM (VALUES (0, 'uniswap_v2', 5, 7), (1, 'uniswap_v2', 5, 0), (2, 'uniswap_v2', 0, 5), (3, 'uniswap_v3', 5, 0))
      AS trade (place, protocol, given, taken)`);
  const { data } = (await chain.get(`/addresses/${address('f1')}/trades?order=asc`)).json;
  expect(data.map(({ kind }) => kind)).toEqual(['swap', 'flash', 'flash', 'swap']);
});

test('a pool says whether its hook changes the amounts of trades', async () => {
  const hooks = {
    '1': 'NULL',
    '2': `'\\x${'00'.repeat(18)}00c0'`,
    '3': `'\\x${'00'.repeat(18)}0088'`,
    '4': `'\\x${'00'.repeat(18)}0044'`,
  };
  for (const [id, hook] of Object.entries(hooks))
    await chain.insert(`INSERT INTO {schema}.dex_pools (pool_id, protocol, factory, token0, token1, hooks, created_block,
        created_log_index, created_time, updated_block)
      VALUES (${bytea(address(id))}, 'uniswap_v4', '\\x00', ${bytea(address('5'))}, ${bytea(address('6'))}, ${hook}, 1, 0, now(), 1)`);
  const said = Object.keys(hooks).map(async (id) => (await chain.get(`/dex/pools/${address(id)}`)).json.data);
  expect((await Promise.all(said)).map((pool) => pool.hook_changes_amounts)).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test('a contract that another one made is first seen by the call that made it', async () => {
  const made = address('7fac');
  await chain.insert(`INSERT INTO {schema}.traces (block_number, tx_index, trace_index, tx_hash, block_time, trace_address, type,
      from_address, to_address, value, gas, gas_used, input, input_size, output, output_size, subcalls, reverted_by_parent)
    VALUES (50, 0, 1, '\\x00', '2026-01-01T00:08:20Z', '\\x00000000', 'CREATE2', ${bytea(address('7fab'))}, ${bytea(made)}, 0, 1, 1, '\\x', 0,
      '\\x', 0, 0, false)`);
  const { json } = await chain.get(`/addresses/${made}`);
  const seen = { block_number: 50, timestamp: '2026-01-01T00:08:20Z' };
  expect(json.data).toMatchObject({ first_seen: seen, last_seen: seen, coverage: { traces: 'full' } });
});

test('a token without a price says why', async () => {
  const [coin, quote, none, holder] = ['c0', 'c1', 'c2', 'c3'].map(address);
  await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (1, 300, '\\x00', now(), now()) ON CONFLICT DO NOTHING`);
  await chain.insert(`INSERT INTO {schema}.balances (holder, token, amount, method, confidence, block_number, snapshot_id)
    VALUES (${bytea(String(holder))}, ${bytea(String(coin))}, 5, 'ledger', 'verified', 1, 1)`);
  await chain.insert(`INSERT INTO {schema}.stock_tokens (token, issuer, decimals, initial_multiplier, registered_block, updated_block)
    VALUES (${bytea(String(coin))}, 'unknown', 18, 1, 1, 1)`);
  // By one word, wherever it is asked.
  const reasonOf = async () => {
    const [batch, values, stocks] = await Promise.all(
      [
        `/batch/prices?tokens=${coin}`,
        `/addresses/${holder}/balances/usd`,
        `/addresses/${holder}/stocks`,
      ].map(async (path) => (await chain.get(path)).json.data[0]?.unpriced_reason),
    );
    const single = (await chain.get(`/tokens/${coin}/price`)).json.error?.message.split(': ')[1];
    expect([batch, values, stocks]).toEqual([single, single, single]);
    return single;
  };
  const deepen = (depth: number, block: number) =>
    chain.insert(`INSERT INTO {schema}.dex_pool_states (pool_id, block_number, amount0, amount1, depth0, depth1)
      VALUES (${bytea(String(none))}, ${block}, 1, 1, ${depth}, ${depth})`);
  const steps: Readonly<Record<string, () => Promise<void>>> = {
    no_pool: async () => {},
    unlisted_factory: () =>
      chain.insert(`INSERT INTO {schema}.dex_pools (pool_id, protocol, factory, token0, token1, created_block, created_log_index,
          created_time, updated_block)
        VALUES (${bytea(String(none))}, 'uniswap_v2', '\\xfa', ${bytea(String(quote))}, ${bytea(String(coin))}, 1, 0, now(), 1)`),
    no_quote: () => chain.insert("INSERT INTO {schema}.dex_factories VALUES ('uniswap_v2', '\\xfa')"),
    no_depth: async () => {
      await chain.insert(`INSERT INTO {schema}.token_prices (token, block_number, block_time, price_usd, method, sample_trades)
        VALUES (${bytea(String(quote))}, 1, now(), 1, 'peg', 0)`);
      await deepen(0, 1);
    },
    thin: () => deepen(5, 2),
  };
  const said: unknown[] = [];
  for (const step of Object.values(steps)) {
    await step();
    said.push(await reasonOf());
  }
  expect(said).toEqual(Object.keys(steps));
  // By what was there at the time, and in the list not at all.
  const at = ['00:00:00', '00:00:10', '00:00:20'].map(async (time) => {
    const { json } = await chain.get(`/tokens/${coin}/price?at=2026-01-01T${time}Z`);
    return json.error?.message.split(': ')[1];
  });
  expect(await Promise.all(at)).toEqual(['no_pool', 'no_depth', 'thin']);
  expect((await chain.get(`/prices?tokens=${coin}`)).json.data).toEqual([]);
});

test('a token has its former names, and is found by them', async () => {
  const coin = address('7e');
  await chain.insert(`INSERT INTO {schema}.tokens (address, standard, name, symbol, decimals, new_decimals, metadata_status,
      first_seen_block, updated_block)
    VALUES (${bytea(coin)}, 20, 'Tomorrow', 'TMRW', 18, 6, 'complete', 1, 1)`);
  await chain.insert(`INSERT INTO {schema}.token_names VALUES (${bytea(coin)}, 200, 'Yesterday', 'YSTR', 18),
    (${bytea(coin)}, 300, 'Today', 'TDAY', 18)`);
  const former_names = [
    { name: 'Today', symbol: 'TDAY', decimals: 18, to_block: 300 },
    { name: 'Yesterday', symbol: 'YSTR', decimals: 18, to_block: 200 },
  ];
  const token = { address: coin, symbol: 'TMRW', new_decimals: 6, former_names };
  expect((await chain.get(`/tokens/${coin}`)).json.data).toMatchObject(token);
  for (const text of ['tmrw', 'yst', 'yesterday', 'tday'])
    expect((await chain.get(`/tokens?search=${text}`)).json.data).toMatchObject([token]);
  const rows = await exported('/tokens?symbol=TMRW&format=ndjson');
  expect(rows).toMatchObject([token]);
});
