/** What is looked up by its hash or its key, and what a response includes beside. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type DataOperationId, OPERATIONS } from '../../lambdas/data/operations/operations.ts';
import { checkContract } from '../api/contract.ts';
import { address, CHAIN, FINALIZED, type SeededChain, startSeededChain } from './seeded-chain.ts';

describe('look-ups', () => {
  const LOOK_UP_CU = 5;
  const MOST = 100;
  const UNKNOWN = address('ffff');
  const UNKNOWN_HASH = `0x${'f'.repeat(64)}`;
  /** Tokens that are known, and those of them that have a price. */
  const TOKENS = Array.from({ length: 60 }, (_, index) => address((0x1000 + index).toString(16)));
  const PRICED = TOKENS.slice(0, 40);

  const CAT = address('c0');
  const DOG = address('c1');
  const COW = address('c2');
  const POOLS = 40;
  /** Tokens whose symbols begin alike: more than a search looks at in their order. */
  const SAME = 600;

  let chain: SeededChain;

  const bytes = (text: string) => `decode('${text.slice(2)}', 'hex')`;
  const hashOf = (block: number) => `0x${block.toString(16).padStart(64, '0')}`;

  beforeAll(async () => {
    chain = await startSeededChain();
    await chain.insert(`INSERT INTO {schema}.tokens (address, standard, name, symbol, decimals, metadata_status, first_seen_block, updated_block)
    SELECT decode(lpad(to_hex(4096 + n), 40, '0'), 'hex'), 20, 'Token ' || n, 'T' || n, 18, 'complete', 1, 1
    FROM generate_series(0, ${TOKENS.length - 1}) AS n`);
    await chain.insert(`INSERT INTO {schema}.token_prices (token, block_number, block_time, price_usd, method, sample_trades)
    SELECT decode(lpad(to_hex(4096 + n), 40, '0'), 'hex'), block, '2026-01-01', n + block, 'peg', 0
    FROM generate_series(0, ${PRICED.length - 1}) AS n, unnest(ARRAY[10, 20, ${FINALIZED + 1}]) AS block`);
    await chain.insert(
      `INSERT INTO {schema}.coverage SELECT 'token_prices', int8multirange(int8range(0, 601))`,
    );
    await chain.insert(`INSERT INTO {schema}.transactions (block_number, tx_index, hash, block_hash, block_time, type, from_address,
      to_address, nonce, value, gas, gas_used, cumulative_gas_used, status, log_count, input, input_size, gas_price, effective_gas_price)
    SELECT n, 0, decode(lpad(to_hex(n), 64, '0'), 'hex'), decode(lpad(to_hex(n), 64, '0'), 'hex'), '2026-01-01', 2,
      ${bytes(address('a1'))}, ${bytes(address('b2'))}, n, n, 21000, 21000, 21000, 1, 0, '\\x', 0, 1, 1
    FROM generate_series(300, 400) AS n`);
    await chain.insert(`INSERT INTO {schema}.dex_pools (pool_id, protocol, factory, token0, token1, created_block, created_log_index,
      created_time, liquidity_usd, updated_block)
    SELECT decode(lpad(to_hex(n + 1), 40, '0'), 'hex'), CASE WHEN n % 2 = 0 THEN 'uniswap_v2' ELSE 'uniswap_v3' END,
      ${bytes(address('f0'))}, CASE WHEN n % 3 = 0 THEN ${bytes(CAT)} ELSE ${bytes(DOG)} END,
      CASE WHEN n % 3 = 0 THEN ${bytes(DOG)} WHEN n % 3 = 1 THEN ${bytes(CAT)} ELSE ${bytes(COW)} END, 1, 0, '2026-01-01',
      CASE WHEN n % 5 = 0 THEN NULL ELSE (n / 4) * 1.5 + 0.25 END, 1
    FROM generate_series(0, ${POOLS - 1}) AS n`);
    await chain.insert(`INSERT INTO {schema}.tokens (address, standard, name, symbol, holder_count, first_seen_block, updated_block)
    VALUES (${bytes(CAT)}, 20, 'Katzengold', 'CAT', 3, 1, 1), (${bytes(DOG)}, 20, 'Catalogue of dogs', 'DOG', 7, 1, 1),
      (${bytes(COW)}, 20, 'Cow', 'CATTLE', 9, 1, 1), (${bytes(address('c3'))}, 721, '🦊 Füchse', '100%_\\', 0, 1, 1)`);
    await chain.insert(`INSERT INTO {schema}.tokens (address, standard, symbol, holder_count, first_seen_block, updated_block)
    SELECT decode('0e' || lpad(to_hex(n), 38, '0'), 'hex'), 20, 'ZED' || lpad(n::text, 4, '0'), CASE WHEN n = ${SAME - 1} THEN 99 ELSE 0 END, 1, 1
    FROM generate_series(0, ${SAME - 1}) AS n`);
  });

  afterAll(() => chain?.close());

  interface Batched {
    readonly error: string | null;
    readonly token?: unknown;
    readonly price?: unknown;
    readonly transaction?: unknown;
  }

  /** What a request was answered, drawn and charged, and how many statements it took. */
  async function metered(path: string) {
    const before = [chain.charged(), chain.drawn(), chain.statements().length] as const;
    const response = await chain.get(path);
    return {
      ...response,
      rows: response.json.data as unknown as readonly Batched[],
      charged: chain.charged() - before[0],
      drawn: chain.drawn() - before[1],
      statements: chain.statements().length - before[2],
    };
  }

  describe('a batch', () => {
    test('of 100 tokens tells each as its own look-up does, and which are unknown, in the order asked, by one statement', async () => {
      const asked = Array.from({ length: MOST }, (_, index) =>
        index % 5 === 4
          ? address((0xff00 + index).toString(16))
          : String(TOKENS[(index * 7) % TOKENS.length]),
      );
      const known = asked.filter((token) => TOKENS.includes(token)).length;
      const { statusCode, body, rows, charged, drawn, statements } = await metered(
        `/batch/tokens?addresses=${asked.join(',')}`,
      );
      checkContract('getTokens', { status: statusCode, contentType: 'application/json', body: String(body) });
      expect({ charged, drawn, statements }).toEqual({
        charged: known * LOOK_UP_CU,
        drawn: MOST * LOOK_UP_CU,
        statements: 1,
      });
      expect(rows.map((row) => (row as unknown as { address: string }).address)).toEqual(asked);
      for (const [index, { error, token }] of rows.entries()) {
        const single = await chain.get(`/tokens/${asked[index]}`);
        expect([error, token]).toEqual(
          single.statusCode === 200 ? [null, single.json.data] : [single.json.error?.code, null],
        );
      }
    });

    test('of prices tells the newest up to the finalized block', async () => {
      const { json, statusCode, body, rows, charged } = await metered(
        `/batch/prices?tokens=${[PRICED[3], TOKENS.at(-1), UNKNOWN].join(',')}`,
      );
      checkContract('getPrices', { status: statusCode, contentType: 'application/json', body: String(body) });
      const single = await chain.get(`/tokens/${PRICED[3]}/price`);
      expect(rows).toEqual([
        { token: PRICED[3], error: null, price: single.json.data, unpriced_reason: null },
        { token: TOKENS.at(-1), error: 'not_found', price: null, unpriced_reason: 'no_pool' },
        { token: UNKNOWN, error: 'not_found', price: null, unpriced_reason: 'no_pool' },
      ]);
      expect([single.json.data.block_number, charged, json.meta.coverage]).toEqual([20, LOOK_UP_CU, 'full']);
    });

    test('of transactions tells which are not final yet, and has them if it may', async () => {
      const asked = [hashOf(310), UNKNOWN_HASH, hashOf(FINALIZED), hashOf(FINALIZED + 1)];
      const path = `/batch/transactions?hashes=${asked.join(',')}`;
      const plain = await metered(path);
      const { statusCode: status } = plain;
      checkContract('getTransactions', { status, contentType: 'application/json', body: String(plain.body) });
      expect(plain.rows.map(({ error }) => error)).toEqual([null, 'not_found', null, 'finality_exceeded']);
      expect([plain.charged, plain.drawn]).toEqual([2 * LOOK_UP_CU, 4 * LOOK_UP_CU]);
      const listed = await chain.get('/transactions?from_block=310&to_block=310');
      expect(plain.rows[0]?.transaction).toEqual(listed.json.data[0]);
      const latest = await metered(`${path}&finality=latest`);
      expect(latest.rows.map(({ error }) => error)).toEqual([null, 'not_found', null, null]);
      expect(
        latest.rows.map(({ transaction }) => (transaction as { finalized?: boolean } | null)?.finalized),
      ).toEqual([true, undefined, true, false]);
    });

    test('of none that is known costs one look-up, and one member counts as often as it is asked for', async () => {
      const none = await metered(`/batch/tokens?addresses=${UNKNOWN},${address('eeee')}`);
      expect([none.statusCode, none.charged, none.drawn]).toEqual([200, LOOK_UP_CU, 2 * LOOK_UP_CU]);
      const twice = await metered(
        `/batch/tokens?addresses=${TOKENS[0]},${TOKENS[0]?.toUpperCase().replace('X', 'x')}`,
      );
      expect([twice.rows.length, twice.charged]).toEqual([2, 2 * LOOK_UP_CU]);
      expect(twice.rows[0]).toEqual(twice.rows[1]);
    });

    test.each([
      ['more than 100', Array.from({ length: MOST + 1 }, () => UNKNOWN).join(',')],
      ['none', ''],
      ['an empty one', `${UNKNOWN},`],
      ['something else', `${UNKNOWN},0x12`],
      ['spaces', `${UNKNOWN}, ${UNKNOWN}`],
    ])('of %s is refused whole', async (_, addresses) => {
      const { statusCode, json, charged, statements } = await metered(`/batch/tokens?addresses=${addresses}`);
      expect([statusCode, json.error?.code, charged, statements]).toEqual([400, 'bad_request', 0, 0]);
      expect(json.error?.message).toContain('addresses');
    });

    test('that the client has kept costs 1 CU', async () => {
      const path = `/batch/tokens?addresses=${TOKENS.slice(0, 20).join(',')}`;
      const { headers } = await chain.get(path);
      const before = chain.charged();
      const { statusCode } = await chain.get(path, { ifNoneMatch: String(headers.ETag) });
      expect([statusCode, chain.charged() - before]).toEqual([304, 1]);
    });
  });

  interface Listed {
    readonly pool_id: string;
    readonly token0: string;
    readonly token1: string;
    readonly liquidity_usd: string | null;
  }

  /** All pages of a list of pools. */
  async function pools(query: string, limit: number): Promise<Listed[]> {
    const told: Listed[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < POOLS; page += 1) {
      const { statusCode, json, body } = await chain.get(
        `/dex/pools?${query}&limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`,
      );
      checkContract('listPools', { status: statusCode, contentType: 'application/json', body: String(body) });
      told.push(...(json.data as unknown as Listed[]));
      cursor = json.next_cursor;
      if (cursor === undefined) return told;
    }
    throw new Error('the pages do not end');
  }

  describe('pools', () => {
    const isOfPair = ({ token0, token1 }: Listed) =>
      [token0, token1].sort().join() === [CAT, DOG].sort().join();
    const byLiquidity = (one: Listed, other: Listed) =>
      Number(other.liquidity_usd) - Number(one.liquidity_usd) || (one.pool_id < other.pool_id ? -1 : 1);

    test('of a pair are found in either order of its tokens, whichever order the pool has', async () => {
      const all = await pools('sort=pool_id', 500);
      const expected = all.filter(isOfPair);
      expect(new Set(expected.map(({ token0 }) => token0)).size).toBe(2);
      for (const query of [`token0=${CAT}&token1=${DOG}`, `token0=${DOG}&token1=${CAT}`])
        expect(await pools(query, 4)).toEqual(expected);
    });

    test.each([
      ['all', '', () => true],
      ['a token', `&token=${CAT}`, ({ token0, token1 }: Listed) => [token0, token1].includes(CAT)],
      ['a pair', `&token0=${DOG}&token1=${CAT}`, isOfPair],
    ])(
      'of %s come the most liquid first, on all pages, and without those of unknown liquidity',
      async (_, query, isAsked) => {
        const all = await pools('sort=pool_id', 500);
        const expected = all.filter((pool) => isAsked(pool) && pool.liquidity_usd !== null).sort(byLiquidity);
        expect(expected.length).toBeGreaterThan(5);
        expect(await pools(`sort=liquidity${query}`, 3)).toEqual(expected);
      },
    );

    test.each([
      `token0=${CAT}`,
      `token1=${CAT}`,
      `token=${CAT}&token0=${CAT}&token1=${DOG}`,
      `token0=${CAT}&token1=${DOG}&protocol=uniswap_v2`,
      'sort=liquidity&protocol=uniswap_v2',
      'sort=volume',
    ])('%s is refused', async (query) => {
      expect((await chain.get(`/dex/pools?${query}`)).statusCode).toBe(400);
    });
  });

  describe('a search of tokens', () => {
    const found = async (search: string, limit = 50) => {
      const { statusCode, json, body } = await chain.get(
        `/tokens?search=${encodeURIComponent(search)}&limit=${limit}`,
      );
      checkContract('listTokens', {
        status: statusCode,
        contentType: 'application/json',
        body: String(body),
      });
      expect(json.next_cursor).toBeUndefined();
      return json.data.map(({ address: token }) => token);
    };

    test('finds symbols and names that begin with it, in any case: the very symbol first, then what most hold', async () => {
      expect(await found('cat')).toEqual([CAT, COW, DOG]);
      expect(await found('KATZ')).toEqual([CAT]);
      expect(await found('cat', 2)).toEqual([CAT, COW]);
      expect(await found('at')).toEqual([]);
    });

    test('takes every character for itself', async () => {
      const fox = address('c3');
      for (const search of ['🦊', '🦊 FÜ', '100%', '100%_\\'])
        expect([search, await found(search)]).toEqual([search, [fox]]);
      for (const search of ['%', '_', "' OR true --", '10_%']) expect(await found(search)).toEqual([]);
    });

    test('finds addresses that begin with it', async () => {
      expect(await found('0x00000000000000000000000000000000000000c')).toEqual([
        COW,
        DOG,
        CAT,
        address('c3'),
      ]);
      expect(await found(CAT.toUpperCase().replace('X', 'x'))).toEqual([CAT]);
      expect(await found('0X0E', 500)).toEqual(await found('0x0e', 500));
      expect((await found('0x0e', 500)).length).toBeGreaterThan(100);
    });

    test('finds what many hold among more tokens that begin alike than it looks at', async () => {
      const last = `0x0e${(SAME - 1).toString(16).padStart(38, '0')}`;
      expect((await found('zed', 5))[0]).toBe(last);
      expect(await found(`zed0${SAME - 1}`)).toEqual([last]);
    });

    test.each([
      'search=',
      'search=a&symbol=a',
      'search=a&standard=erc20',
      'search=a&cursor=abc',
      `search=${'a'.repeat(65)}`,
    ])('%s is refused', async (query) => {
      expect((await chain.get(`/tokens?${query}`)).statusCode).toBe(400);
    });
  });
});

describe('logs that are included', () => {
  const LONG_DATA_BYTES = 16_384;
  const MANY = 501;
  const LONG = 33;

  let chain: SeededChain;

  beforeAll(async () => {
    chain = await startSeededChain();
  });

  afterAll(() => chain?.close());

  const hashOf = (block: number) => `0x${block.toString(16).padStart(64, '0')}`;

  /** A transaction, alone in its block, with logs of so many bytes of data. */
  async function transactionWith(block: number, logs: number, bytes: number): Promise<string> {
    const hash = `'\\x${hashOf(block).slice(2)}'::bytea`;
    const address = `decode(repeat('05', 20), 'hex')`;
    await chain.insert(`INSERT INTO {schema}.transactions
      (block_number, tx_index, hash, block_hash, block_time, type, from_address, nonce, value, gas, gas_used,
       cumulative_gas_used, log_count, input, input_size)
    VALUES (${block}, 0, ${hash}, ${hash}, now(), 2, ${address}, 0, 0, 0, 0, 0, ${logs}, '\\x', 0)`);
    await chain.insert(`INSERT INTO {schema}.logs
        (block_number, log_index, tx_index, tx_hash, block_time, address, topic0, topic1, topic2, topic3, data, data_size)
    SELECT ${block}, n, 0, ${hash}, now(), ${address}, NULL, NULL, NULL, NULL, decode(repeat('ff', ${bytes}), 'hex'), ${bytes}
    FROM generate_series(0, ${logs - 1}) AS n`);
    return hashOf(block);
  }

  interface WithLogs {
    readonly logs: readonly { readonly log_index: number }[];
    readonly logs_truncated: boolean;
  }

  async function included(hash: string): Promise<WithLogs> {
    const { statusCode, json } = await chain.get(`/transactions/${hash}?include_logs=true`);
    expect({ statusCode, error: json.error }).toEqual({ statusCode: 200, error: undefined });
    return json.data as unknown as WithLogs;
  }

  const indexes = ({ logs }: WithLogs) => logs.map(({ log_index }) => log_index);
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

  test('all logs come along with their transaction, and the answer says so', async () => {
    const found = await included(await transactionWith(100, MANY - 1, 32));
    expect(found.logs_truncated).toBe(false);
    expect(indexes(found)).toEqual(upTo(MANY - 1));
    const without = await included(await transactionWith(101, 0, 0));
    expect(without).toMatchObject({ logs: [], logs_truncated: false });
  });

  test('of more than 500 logs the first 500 come along, and the answer says that others do not', async () => {
    const found = await included(await transactionWith(110, MANY, 32));
    expect(found.logs_truncated).toBe(true);
    expect(indexes(found)).toEqual(upTo(MANY - 1));
  });

  test('of long logs as many come along as an answer has room for', async () => {
    const hash = await transactionWith(120, LONG, LONG_DATA_BYTES);
    const found = await included(hash);
    expect(found.logs_truncated).toBe(true);
    expect(indexes(found)).toEqual(upTo(found.logs.length));
    expect(found.logs.length).toBeGreaterThan(10);
    const all = await chain.get(`/transactions/${hash}/logs`);
    expect(all.json.data[0]).toEqual(found.logs[0]);
  });

  test('a transaction without its logs says nothing of them', async () => {
    const { json } = await chain.get(`/transactions/${await transactionWith(130, 1, 32)}`);
    expect(json.data).not.toHaveProperty('logs');
    expect(json.data).not.toHaveProperty('logs_truncated');
  });
});

describe('tokens that are included', () => {
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
});

describe('digests that values share', () => {
  const [ALICE, MALLORY, CAROL] = [address('a1'), address('b2'), address('c3')];
  const ROWS = 24;
  const hashOf = (n: number) => `0x${n.toString(16).padStart(64, '7')}`;
  const bytes = (hex: string) => `decode('${hex.slice(2)}', 'hex')`;

  let chain: SeededChain;

  /** A chain in whose indexes all addresses are the same 8 bytes, and all hashes are. Its rows are those of two addresses by turns. */
  beforeAll(async () => {
    chain = await startSeededChain();
    await chain.database.admin.query(`CREATE OR REPLACE FUNCTION "${CHAIN}".index_key(value bytea) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN octet_length(value)`);
    // A session that has used a table before keeps the expressions of its indexes, until they are made anew.
    await chain.database.admin.query(`REINDEX SCHEMA "${CHAIN}"`);
    const rows = `generate_series(0, ${ROWS - 1}) AS n`;
    const hash = `decode(lpad(to_hex(n), 64, '7'), 'hex')`;
    const time = `'2026-01-01T00:00:00Z'::timestamptz + (100 + n / 4) * interval '10 seconds'`;
    const turn = `CASE WHEN n % 2 = 0 THEN ${bytes(ALICE)} ELSE ${bytes(MALLORY)} END`;
    await chain.insert(`INSERT INTO {schema}.transactions (block_number, tx_index, hash, block_hash, block_time, type, from_address,
      to_address, nonce, value, gas, gas_used, cumulative_gas_used, status, log_count, input, input_size)
    SELECT 100 + n / 4, n % 4, ${hash}, ${hash}, ${time}, 2, ${turn}, ${turn}, n, 1, 0, 0, 0, 1, 1, '\\x', 0 FROM ${rows}`);
    await chain.insert(`INSERT INTO {schema}.logs (block_number, log_index, tx_index, tx_hash, block_time, address, topic0, data, data_size)
    SELECT 100 + n / 4, n % 4, n % 4, ${hash}, ${time}, ${turn}, ${hash}, '\\x', 0 FROM ${rows}`);
    await chain.insert(`INSERT INTO {schema}.erc20_transfers (block_number, log_index, tx_index, tx_hash, block_time, token, from_address,
      to_address, amount, kind)
    SELECT 100 + n / 4, n % 4, n % 4, ${hash}, ${time}, ${turn}, ${turn}, ${turn}, n, 'transfer' FROM ${rows}`);
    await chain.insert(`INSERT INTO {schema}.traces (block_number, tx_index, trace_index, tx_hash, block_time, trace_address, type,
      from_address, to_address, value, gas, gas_used, input, input_size, output, output_size, subcalls, reverted_by_parent)
    SELECT 100 + n / 4, n % 4, 1, ${hash}, ${time}, '0', 'CALL', ${turn}, ${turn}, 1, 1, 1, '\\x', 0, '\\x', 0, 0, false FROM ${rows}`);
  });
  afterAll(() => chain?.close());

  /** Places of all rows of a list, page by page. */
  async function placesOf(path: string, limit: number): Promise<string[]> {
    const places: string[] = [];
    let cursor = '';
    do {
      const { json, statusCode } = await chain.get(`${path}&limit=${limit}${cursor}`);
      expect({ path, statusCode }).toEqual({ path, statusCode: 200 });
      for (const { block_number, transaction_index } of json.data)
        places.push(`${block_number}/${transaction_index}`);
      cursor = json.next_cursor === undefined ? '' : `&cursor=${json.next_cursor}`;
    } while (cursor !== '');
    return places;
  }

  /** Places of every second row, newest first. */
  const everySecond = (first: number) =>
    Array.from({ length: ROWS / 2 }, (_, index) => first + 2 * index)
      .map((n) => `${100 + Math.floor(n / 4)}/${n % 4}`)
      .reverse();

  /** Lists of an owner, whose address stands for the word. */
  const LISTS = [
    '/addresses/OWNER/transactions?clamp=true',
    '/addresses/OWNER/native-transfers?clamp=true',
    '/addresses/OWNER/internal-transfers?clamp=true',
    '/addresses/OWNER/traces?clamp=true',
    '/addresses/OWNER/transfers?clamp=true',
    '/tokens/OWNER/transfers?clamp=true',
    '/logs?clamp=true&address=OWNER',
  ];

  test.each(LISTS)('%s tells the rows of its own address, page by page', async (list) => {
    for (const [owner, first] of [
      [ALICE, 0],
      [MALLORY, 1],
    ] as const)
      for (const limit of [1, 5, 100])
        expect(await placesOf(list.replace('OWNER', owner), limit)).toEqual(everySecond(first));
  });

  test.each(LISTS.filter((list) => !list.startsWith('/tokens')))(
    '%s has nothing of an address without rows',
    async (list) => {
      expect(await placesOf(list.replace('OWNER', CAROL), 5)).toEqual([]);
    },
  );

  test('a topic, a hash and the counts of an overview are those of one value', async () => {
    expect(await placesOf(`/logs?clamp=true&topic0=${hashOf(6)}`, 5)).toEqual(['101/2']);
    const { json } = await chain.get(`/transactions/${hashOf(9)}`);
    expect(json.data).toMatchObject({ hash: hashOf(9), block_number: 102, transaction_index: 1 });
    expect((await chain.get(`/transactions/${hashOf(ROWS)}`)).statusCode).toBe(404);
    const overview = (await chain.get(`/addresses/${MALLORY}`)).json.data;
    expect(overview).toMatchObject({
      first_seen: { block_number: 100 },
      transactions_sent: { count: ROWS / 2, exact: true },
      erc20_transfers_received: { count: ROWS / 2, exact: true },
    });
    expect((await chain.get(`/tokens/${ALICE}`)).json.data).toMatchObject({ transfer_count: 0 });
  });
});
