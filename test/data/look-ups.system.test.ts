import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkContract } from '../api/contract.ts';
import { address, FINALIZED, type SeededChain, startSeededChain } from './seeded-chain.ts';

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
      index % 5 === 4 ? address((0xff00 + index).toString(16)) : String(TOKENS[(index * 7) % TOKENS.length]),
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
      { token: PRICED[3], error: null, price: single.json.data },
      { token: TOKENS.at(-1), error: 'not_found', price: null },
      { token: UNKNOWN, error: 'not_found', price: null },
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
    checkContract('listTokens', { status: statusCode, contentType: 'application/json', body: String(body) });
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
    expect(await found('0x00000000000000000000000000000000000000c')).toEqual([COW, DOG, CAT, address('c3')]);
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
