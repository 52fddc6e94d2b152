/** The lists of an address tell the native coin beside its tokens, and never add what is of two ages. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkContract } from '../api/contract.ts';
import { address, CHAIN, type GetOptions, HEAD, type SeededChain, startSeededChain } from './seeded-chain.ts';

const bytes = (text: string) => `'\\x${text.slice(2)}'::bytea`;

describe('the native coin among balances', () => {
  const HOLDER = address('a1');
  const NATIVE = address('0');
  const SNAPSHOT = 300;
  const WEI = 2n ** 200n;

  let chain: SeededChain;

  beforeAll(async () => {
    chain = await startSeededChain();
    await chain.insert(`INSERT INTO {schema}.coverage VALUES ('balances', '{[0,${SNAPSHOT + 1})}')`);
    await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (1, ${SNAPSHOT}, '\\x00', now(), now())`);
    await chain.insert(`INSERT INTO {schema}.balances
    SELECT ${bytes(HOLDER)}, decode(lpad('7' || n, 40, '0'), 'hex'), n, 'ledger', 'verified', 300, 1
    FROM generate_series(1, 3) AS n`);
    await chain.insert(`INSERT INTO {schema}.token_prices (token, block_number, block_time, price_usd, method, sample_trades,
      liquidity_usd, depth_usd, confidence)
    VALUES (${bytes(NATIVE)}, 10, '2026-01-01', 2, 'stable_pool', 1, 1, 1, 'high')`);
  });

  afterAll(() => chain?.close());

  /** Nodes that keep the state of some blocks, and what they were asked. */
  function nodes(keep: (block: number) => boolean, balance = WEI) {
    const asked: unknown[] = [];
    const ends: unknown[] = [];
    const readBalance: GetOptions['readBalance'] = async (...call) => {
      asked.push(call.slice(0, 3));
      ends.push(call[3]);
      return keep(call[2]) ? String(balance) : null;
    };
    return { asked, ends, readBalance };
  }

  async function listed(path: string, options: GetOptions = {}) {
    const { statusCode: status, body, headers, json } = await chain.get(path, options);
    const id = path.includes('/usd') ? 'listAddressBalanceValues' : 'listAddressBalances';
    checkContract(id, { status, contentType: 'application/json', body: String(body) });
    return { rows: json.data, headers, next: json.next_cursor };
  }

  test.each<[string, (block: number) => boolean, number | null]>([
    ['at the block of the snapshot, like the tokens', () => true, SNAPSHOT],
    ['at the indexed head, where no node has the state of the snapshot', (block) => block === HEAD, HEAD],
    ['as not known, where no node says it', () => false, null],
  ])('is told %s', async (_, keep, block) => {
    const { asked, ends, readBalance } = nodes(keep);
    for (const path of ['balances', 'balances/usd']) {
      const { rows } = await listed(`/addresses/${HOLDER}/${path}?native=true`, { readBalance });
      expect(rows.map(({ token, balance, as_of_block }) => [token, balance, as_of_block])).toEqual([
        [NATIVE, block === null ? null : String(WEI), block],
        ...[1, 2, 3].map((n) => [address(`7${n}`), String(n), SNAPSHOT]),
      ]);
      expect(rows[0]).toMatchObject({ decimals: 18 });
      if (path === 'balances/usd') expect(rows[0]?.unpriced_reason).toBe(block === null ? null : 'worth');
      // Both blocks are asked for in the time of one.
      expect([...new Set(ends.splice(0))]).toEqual([expect.any(Number)]);
    }
    const once = (block === SNAPSHOT ? [SNAPSHOT] : [SNAPSHOT, HEAD]).map((each) => [CHAIN, HOLDER, each]);
    expect(asked).toEqual([...once, ...once]);
  });

  test('has its price, and is no spam whatever it is worth', async () => {
    const { readBalance } = nodes(() => true, 3n * 10n ** 18n);
    const { rows } = await listed(`/addresses/${HOLDER}/balances/usd?native=true`, { readBalance });
    expect(rows[0]).toMatchObject({ price_usd: '2', value_usd: '6', possible_spam: false });
    const rich = nodes(() => true, 10n ** 30n);
    const { rows: more } = await listed(`/addresses/${HOLDER}/balances/usd?native=true`, rich);
    expect(more[0]).toMatchObject({ value_usd: null, sellable_usd: '1', possible_spam: false });
  });

  test('of an address with nothing is 0, and the rest is empty', async () => {
    for (const none of [address('dead'), NATIVE]) {
      const { rows } = await listed(
        `/addresses/${none}/balances?native=true`,
        nodes(() => true, 0n),
      );
      expect(rows).toEqual([
        { token: NATIVE, balance: '0', symbol: '', decimals: 18, as_of_block: SNAPSHOT },
      ]);
    }
  });

  test('begins the first page alone, and nodes are asked for that one alone', async () => {
    const { asked, readBalance } = nodes(() => true);
    const path = `/addresses/${HOLDER}/balances?native=true&limit=2`;
    const first = await listed(path, { readBalance });
    expect(first.rows.map(({ token }) => token)).toEqual([NATIVE, address('71')]);
    const second = await listed(`${path}&cursor=${first.next}`, { readBalance });
    expect(second.rows.map(({ token }) => token)).toEqual([address('72'), address('73')]);
    expect(second.next).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  test('is told only if it is asked for, at the same price', async () => {
    const { asked, readBalance } = nodes(() => true);
    const plain = await listed(`/addresses/${HOLDER}/balances`, { readBalance });
    expect(plain.rows[0]).toEqual({ token: address('71'), balance: '1', symbol: '', decimals: -1 });
    expect(asked).toEqual([]);
    const { headers } = await listed(`/addresses/${HOLDER}/balances?native=true`, { readBalance });
    expect(headers?.['X-CU-Billed']).toBe(plain.headers?.['X-CU-Billed']);
  });

  test('is in files', async () => {
    const { file } = await chain.get(
      `/addresses/${HOLDER}/balances?native=true&format=csv`,
      nodes(() => true),
    );
    let text = '';
    for await (const piece of file?.stream ?? []) text += piece;
    expect(text.split('\r\n').slice(0, 3)).toEqual([
      'token,balance,symbol,decimals,as_of_block',
      `${NATIVE},${WEI},"",18,${SNAPSHOT}`,
      `${address('71')},1,"",-1,${SNAPSHOT}`,
    ]);
  });
});

describe('activity', () => {
  const ALICE = address('a11ce');
  const BOB = address('b0b');
  const COIN = address('70');
  const SPAM = address('71');
  const ITEMS = address('72');
  const POOL = address('f00');
  const KINDS = ['transaction', 'internal_transfer', 'transfer', 'trade'];
  /** A block with very much of one address, and how many rows of each table. */
  const BUSY = { block: 200, address: address('b5'), each: 2_000 };
  /** An address that is sent nothing very often, and one thing first. */
  const POISONED = { address: address('d0'), transfers: 9_000 };

  let chain: SeededChain;

  const hash = (text: string) => `decode(lpad(to_hex(${text}), 64, '0'), 'hex')`;
  const time = (block: string) => `'2026-01-01T00:00:00Z'::timestamptz + (${block}) * interval '10 seconds'`;

  /** Rows of transactions: block and place in it are SQL over `n`. */
  const transactions = (block: string, index: string, [from, to]: readonly string[], rows: string) =>
    chain.insert(`INSERT INTO {schema}.transactions (block_number, tx_index, hash, block_hash, block_time, type,
      from_address, to_address, nonce, value, gas, gas_used, cumulative_gas_used, status, log_count, input, input_size, method_id)
    SELECT ${block}, ${index}, ${hash(`(${block}) * 10000 + ${index}`)}, '\\x00', ${time(block)}, 2, ${bytes(from ?? '')},
      ${bytes(to ?? '')}, 0, n, 0, 0, 0, 1, 0, '\\x', 0, '\\x01020304' FROM ${rows}`);
  const transfers = (
    block: string,
    [index, log]: readonly string[],
    [token, from, to]: readonly string[],
    amount: string,
    rows: string,
  ) =>
    chain.insert(`INSERT INTO {schema}.erc20_transfers
      (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
    SELECT ${block}, ${log}, ${index}, ${hash(`(${block}) * 10000 + ${index}`)}, ${time(block)}, ${bytes(token ?? '')},
      ${bytes(from ?? '')}, ${bytes(to ?? '')}, ${amount}, 'transfer' FROM ${rows}`);
  const calls = (block: string, index: string, [from, to]: readonly string[], rows: string) =>
    chain.insert(`INSERT INTO {schema}.traces (block_number, tx_index, trace_index, tx_hash, block_time, trace_address, type,
      from_address, to_address, value, gas, gas_used, input, input_size, output, output_size, subcalls, reverted_by_parent)
    SELECT ${block}, ${index}, n, ${hash(`(${block}) * 10000 + ${index}`)}, ${time(block)}, '0', 'CALL', ${bytes(from ?? '')},
      ${bytes(to ?? '')}, 3, 0, 0, '\\x', 0, '\\x', 0, 0, false FROM ${rows}`);
  const items = (block: string, log: string, owner: string, rows: string) =>
    chain.insert(`INSERT INTO {schema}.nft_transfers (block_number, log_index, batch_index, tx_index, tx_hash, block_time,
      standard, token, token_id, from_address, to_address, amount, kind)
    SELECT ${block}, ${log}, n, 0, ${hash(`(${block}) * 10000`)}, ${time(block)}, 1155, ${bytes(ITEMS)}, n, ${bytes(BOB)}, ${bytes(owner)}, 2,
      'transfer' FROM ${rows}`);
  const trades = (block: string, log: string, trader: string, rows: string) =>
    chain.insert(`INSERT INTO {schema}.dex_swaps (block_number, log_index, tx_index, tx_hash, block_time, protocol, pool_id,
      token_in, token_out, amount0, amount1, amount_in, amount_out, sender, recipient, trader, trader_kind, amount_usd)
    SELECT ${block}, ${log}, 0, ${hash(`(${block}) * 10000`)}, ${time(block)}, 'uniswap_v2', ${bytes(POOL)}, ${bytes(COIN)}, ${bytes(SPAM)}, 1, -1, 7, 8,
      ${bytes(POOL)}, ${bytes(trader)}, ${bytes(trader)}, 'tx_from', 1.50 FROM ${rows}`);

  beforeAll(async () => {
    chain = await startSeededChain();
    const one = 'generate_series(1, 1) AS n';
    await transactions('10', '0', [ALICE, BOB], one);
    await transactions('10', '1', [BOB, ALICE], one);
    await transactions('12', '0', [ALICE, ALICE], one);
    await calls('10', '1', [BOB, ALICE], one);
    await transfers('10', ['0', '0'], [COIN, ALICE, BOB], '25e15', one);
    await transfers('10', ['1', '3'], [COIN, ALICE, BOB], '0', one);
    await transfers('11', ['0', '0'], [SPAM, BOB, ALICE], '1e18', one);
    await items('10', '1', ALICE, 'generate_series(0, 1) AS n');
    await trades('10', '2', ALICE, one);
    const { block, address: busy, each } = BUSY;
    const many = `generate_series(0, ${each - 1}) AS n`;
    await transactions(`${block}`, 'n', [busy, BOB], many);
    await calls(`${block}`, '7', [busy, busy], `generate_series(1, ${each}) AS n`);
    await transfers(`${block}`, ['n', '3 * n'], [COIN, busy, busy], 'n', many);
    await items(`${block}`, '1', busy, many);
    await trades(`${block}`, '3 * n + 2', busy, many);
    await transfers('299', ['0', '0'], [COIN, BOB, POISONED.address], '5', one);
    await transfers(
      '300 + n / 100',
      ['0', 'n % 100'],
      [COIN, POISONED.address, BOB],
      '0',
      `generate_series(0, ${POISONED.transfers - 1}) AS n`,
    );
    await chain.insert(`UPDATE {schema}.tokens SET decimals = 18, name = CASE WHEN address = ${bytes(SPAM)}
      THEN 'Claim at www.example.com' ELSE 'Coin' END WHERE standard = 20`);
  });

  afterAll(() => chain?.close());

  async function pageOf(query: string, of = ALICE) {
    const { statusCode: status, body, json, headers } = await chain.get(`/addresses/${of}/activity?${query}`);
    if (of === ALICE)
      checkContract('listAddressActivity', { status, contentType: 'application/json', body: String(body) });
    expect({ query, status, error: json.error }).toEqual({ query, status: 200, error: undefined });
    return { rows: json.data, next: json.next_cursor, meta: json.meta, headers };
  }

  async function allPages(query: string, of: string, most = 100) {
    const rows: Record<string, unknown>[] = [];
    let [cursor, pages] = ['', 0];
    do {
      const page = await pageOf(`${query}${cursor}`, of);
      expect(Number(page.meta.rows_read)).toBeLessThanOrEqual(4_001);
      rows.push(...page.rows);
      pages += 1;
      cursor = page.next === undefined ? '' : `&cursor=${page.next}`;
    } while (cursor !== '' && pages < most);
    expect(cursor).toBe('');
    return { rows, pages };
  }

  /** Where a row is among those of its address. */
  const placeOf = (row: Record<string, unknown>) => [
    Number(row.block_number),
    KINDS.indexOf(String(row.kind)),
    Number(row.log_index ?? row.transaction_index),
    Number(row.batch_index ?? row.trace_index ?? 0),
  ];
  const keyOf = (row: Record<string, unknown>) =>
    placeOf(row)
      .map((part) => String(part).padStart(6, '0'))
      .join();

  test('has all kinds in one order, each with what it says', async () => {
    const { rows, meta, headers } = await pageOf('order=asc');
    expect(
      rows.map((row) => [...placeOf(row), row.direction, row.standard, row.amount, row.initiator]),
    ).toEqual([
      [10, 0, 0, 0, 'out', 'native', '1', ALICE],
      [10, 0, 1, 0, 'in', 'native', '1', BOB],
      [10, 1, 1, 1, 'in', 'native', '3', BOB],
      [10, 2, 0, 0, 'out', 'erc20', '25000000000000000', ALICE],
      [10, 2, 1, 0, 'in', 'erc1155', '2', ALICE],
      [10, 2, 1, 1, 'in', 'erc1155', '2', ALICE],
      [10, 2, 3, 0, 'out', 'erc20', '0', BOB],
      [10, 3, 2, 0, null, null, null, ALICE],
      [11, 2, 0, 0, 'in', 'erc20', '1000000000000000000', null],
      [12, 0, 0, 0, 'self', 'native', '1', ALICE],
    ]);
    expect(rows[7]).toMatchObject({
      pool_id: POOL,
      token_in: COIN,
      amount_in: '7',
      token_out: SPAM,
      amount_out: '8',
      amount_usd: '1.5',
    });
    expect(rows[0]).toMatchObject({ status: 1, method_id: '0x01020304', token: null, pool_id: null });
    expect(rows[6]).toMatchObject({ possible_spam: true, spam_reason: 'zero', status: null });
    expect(rows[8]).toMatchObject({ possible_spam: true, spam_reason: 'name' });
    expect([meta.coverage, headers?.['X-CU-Billed']]).toEqual(['full', '20']);
    const { rows: newest } = await pageOf('');
    expect(newest).toEqual(rows.toReversed());
  });

  test.each<[string, readonly number[]]>([
    ['exclude_zero=true', [6]],
    ['min_amount=0.025', [2, 6]],
    ['min_amount=0.026', [2, 3, 6]],
    ['min_amount=3', [2, 3, 4, 5, 6, 8]],
    ['possible_spam=false', [6, 8]],
    ['possible_spam=true', [0, 1, 2, 3, 4, 5, 7, 9]],
    ['exclude_zero=true&possible_spam=false&min_amount=0', [6, 8]],
  ])('with %s leaves out what it says', async (query, without) => {
    const { rows } = await pageOf('order=asc');
    const { rows: left } = await pageOf(`order=asc&${query}`);
    expect(left).toEqual(rows.filter((_, index) => !without.includes(index)));
  });

  test.each(['asc', 'desc'])('of 10,000 rows in one block comes whole by pages, %s', async (order) => {
    const { rows } = await allPages(`order=${order}&limit=499`, BUSY.address);
    const keys = rows.map(keyOf);
    expect(keys).toHaveLength(5 * BUSY.each);
    expect(new Set(keys).size).toBe(keys.length);
    const sorted = keys.toSorted();
    expect(keys).toEqual(order === 'asc' ? sorted : sorted.reverse());
  });

  test('of nothing but zeros comes by pages that end, empty ones too, and the one thing is found', async () => {
    const { rows, pages } = await allPages('exclude_zero=true&finality=latest', POISONED.address);
    expect(rows.map(({ block_number, amount }) => [block_number, amount])).toEqual([[299, '5']]);
    expect(pages).toBe(3);
  });

  test('of thousands of zeros behind what fills a page is read no further than one row that shows more', async () => {
    const flooded = address('d1');
    const rows = (last: number) => `generate_series(0, ${last}) AS n`;
    await transfers('299', ['1', '10 + n'], [COIN, BOB, flooded], '5', rows(2));
    await transfers('300 + n / 100', ['1', '200 + n % 100'], [COIN, flooded, BOB], '0', rows(4_999));
    for (const list of ['activity', 'transfers']) {
      const path = `/addresses/${flooded}/${list}?exclude_zero=true&order=asc&limit=2`;
      const { json } = await chain.get(path);
      expect([list, json.data.length, json.next_cursor, json.meta.rows_read]).toEqual([
        list,
        2,
        expect.any(String),
        3,
      ]);
    }
  });

  test('of an address with none, and of address zero, is empty', async () => {
    for (const none of [address('dead'), address('0')])
      expect((await pageOf('exclude_zero=true&possible_spam=false', none)).rows).toEqual([]);
  });

  test('is a file of the same rows', async () => {
    const { file } = await chain.get(`/addresses/${BUSY.address}/activity?format=ndjson&order=asc`);
    let text = '';
    for await (const piece of file?.stream ?? []) text += piece;
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.at(-1)).toMatchObject({ end: { complete: true, rows: 5 * BUSY.each } });
    expect(lines.slice(0, -1).map(keyOf)).toEqual(
      (await allPages('order=asc&limit=500', BUSY.address)).rows.map(keyOf),
    );
  });

  test('says what is missing of any data set', async () => {
    await chain.insert(`UPDATE {schema}.coverage SET covered = '{[0, 5)}' WHERE dataset = 'traces'`);
    expect((await pageOf('')).meta.coverage).toBe('partial');
    expect((await pageOf('from_block=0&to_block=4')).meta.coverage).toBe('full');
    await chain.insert(`UPDATE {schema}.coverage SET covered = '{}'`);
    expect((await pageOf('')).meta.coverage).toBe('none');
    await chain.insert(`UPDATE {schema}.coverage SET covered = '{[0, 601)}'`);
  });

  test.each(['min_amount=-1', 'min_amount=1e3', 'min_amount=', 'possible_spam=maybe', 'limit=0', 'token=0x'])(
    'with %s is refused before it costs anything',
    async (query) => {
      const { statusCode, json, headers } = await chain.get(`/addresses/${ALICE}/activity?${query}`);
      expect([statusCode, json.error?.code, headers?.['X-CU-Billed']]).toEqual([400, 'bad_request', '0']);
    },
  );

  test('of a chain without an index is not installed', async () => {
    const { statusCode, json } = await chain.get(`/addresses/${ALICE}/activity`, { database: undefined });
    expect([statusCode, json.error?.code]).toEqual([422, 'dataset_not_installed']);
  });
});
