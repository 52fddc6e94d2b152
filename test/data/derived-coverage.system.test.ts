import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { address, FINALIZED, HEAD, type SeededChain, startSeededChain } from './seeded-chain.ts';

const TOKEN = address('70');
/** Prices, and the figures made from them, are always some blocks behind the index. */
const DERIVED = HEAD - 5;
const at = (block: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + block * 10_000).toISOString();

let chain: SeededChain;

beforeAll(async () => {
  chain = await startSeededChain();
  await chain.insert(`INSERT INTO {schema}.token_prices
    SELECT decode(lpad('70', 40, '0'), 'hex'), n, '2026-01-01T00:00:00Z'::timestamptz + n * interval '10 seconds', n, 'peg',
      NULL, NULL, 1 FROM generate_series(100, ${DERIVED}, 100) AS n`);
  // A candle for each minute, which is six blocks.
  await chain.insert(`INSERT INTO {schema}.candles
    SELECT 'token', decode(lpad('70', 40, '0'), 'hex'), 60, '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 minute',
      1, 1, 1, 1, 1, NULL, 1, 1, n * 6, least(n * 6 + 5, ${DERIVED}) FROM generate_series(0, ${DERIVED} / 6) AS n`);
  await chain.insert(`INSERT INTO {schema}.stock_tokens (token, issuer, initial_multiplier, registered_block, updated_block)
    VALUES (decode(lpad('70', 40, '0'), 'hex'), 'x', 1, 0, 0)`);
  await chain.insert(`INSERT INTO {schema}.stock_daily (day, token, transfers, transfers_raw_amount, transfers_ui_amount,
      unique_senders, unique_receivers, mint_raw_amount, burn_raw_amount, net_supply_change, dex_swap_count, dex_raw_volume,
      ui_multiplier, first_block, last_block, refreshed_at)
    SELECT day, decode(lpad('70', 40, '0'), 'hex'), 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, now()
    FROM unnest(ARRAY['2026-01-01', '2025-12-31']::date[]) AS day`);
});

afterAll(() => chain?.close());

beforeEach(() => derivedUpTo(DERIVED));

async function derivedUpTo(block: number): Promise<void> {
  await chain.insert(`INSERT INTO {schema}.coverage (dataset, covered)
    SELECT name, int8multirange(int8range(0, ${block + 1})) FROM unnest(ARRAY['token_prices', 'candles', 'stock_daily']) AS name
    ON CONFLICT (dataset) DO UPDATE SET covered = EXCLUDED.covered`);
  await chain.insert(`INSERT INTO {schema}.cursors (name, block_number, block_hash, block_time)
    VALUES ('rollups', ${block}, '\\x00', '${at(block)}')
    ON CONFLICT (name) DO UPDATE SET block_number = EXCLUDED.block_number, block_time = EXCLUDED.block_time`);
}

async function coverageOf(path: string): Promise<unknown> {
  const { statusCode, json } = await chain.get(path);
  expect(statusCode).toBe(200);
  return json.meta.coverage;
}

const CANDLES = `/tokens/${TOKEN}/candles?interval=1m`;
const DERIVED_LISTS = [
  `/tokens/${TOKEN}/price`,
  `/prices?tokens=${TOKEN}`,
  CANDLES,
  `/stocks/${TOKEN}/candles`,
  '/stocks',
  '/stocks?day=2026-01-01',
  `/stocks/${TOKEN}/daily`,
];

test.each(DERIVED_LISTS)(
  '%s is complete once the finalized block is derived, and not before',
  async (path) => {
    expect(await coverageOf(path)).toBe('full');
    await derivedUpTo(FINALIZED);
    expect(await coverageOf(path)).toBe('full');
    await derivedUpTo(FINALIZED - 1);
    expect(await coverageOf(path)).toBe('partial');
    await chain.insert(
      `DELETE FROM {schema}.coverage WHERE dataset IN ('token_prices', 'candles', 'stock_daily')`,
    );
    expect(await coverageOf(path)).toBe('none');
  },
);

describe('times are judged by their blocks', () => {
  test('of a price', async () => {
    await derivedUpTo(200);
    const price = (block: number) => coverageOf(`/tokens/${TOKEN}/price?at=${at(block)}`);
    expect(await price(200)).toBe('full');
    expect(await price(200.5)).toBe('full');
    expect(await price(201)).toBe('partial');
    expect(await price(10 * HEAD)).toBe('partial');
  });

  test('of candles, up to the end of the last one', async () => {
    await derivedUpTo(203);
    const candles = (from: number, to: number) =>
      coverageOf(`${CANDLES}&from_time=${at(from)}&to_time=${at(to)}`);
    expect(await candles(60, 203)).toBe('full');
    expect(await candles(60, 204)).toBe('partial');
    expect(await candles(210, 240)).toBe('none');
    expect(await coverageOf(`${CANDLES}&from_time=${at(60)}`)).toBe('partial');
    expect(await coverageOf(`${CANDLES}&to_time=${at(60)}`)).toBe('full');
  });

  test('of candles above the finalized block, which are as far as they are derived', async () => {
    expect(await coverageOf(`${CANDLES}&from_time=${at(FINALIZED + 10)}&to_time=${at(500)}`)).toBe('full');
    expect(await coverageOf(`${CANDLES}&from_time=${at(FINALIZED + 10)}`)).toBe('partial');
    expect(await coverageOf(`${CANDLES}&from_time=2027-01-01T00:00:00Z`)).toBe('none');
    expect(await coverageOf(`${CANDLES}&from_time=${at(100)}&to_time=${at(HEAD)}`)).toBe('full');
  });

  test('of a day', async () => {
    await derivedUpTo(200);
    expect(await coverageOf('/stocks?day=2026-01-01')).toBe('partial');
    expect(await coverageOf('/stocks?day=2025-12-31')).toBe('full');
    expect(await coverageOf('/stocks?day=2026-01-02')).toBe('none');
  });
});

describe('a candle is complete', () => {
  const complete = async () => {
    const { json } = await chain.get(`${CANDLES}&order=asc&limit=500`);
    return json.data.filter((candle) => candle.complete === true).at(-1)?.start;
  };
  /** The last minute that ends at or before a block. */
  const minuteBefore = (block: number) => at(Math.floor(block / 6) * 6 - 6).replace('.000', '');

  test('when the finalized block is past its end, and it is derived', async () => {
    expect(await complete()).toBe(minuteBefore(FINALIZED));
    await derivedUpTo(200);
    expect(await complete()).toBe(minuteBefore(200));
  });

  test('only where the finalized block is stored', async () => {
    await chain.insert(`DELETE FROM {schema}.blocks WHERE number = ${FINALIZED}`);
    const { json } = await chain.get(CANDLES);
    expect(new Set(json.data.map((candle) => candle.complete))).toEqual(new Set([false]));
  });
});

test.each([
  [`${CANDLES}&limit=1`, ['2026-99-99T00:00:00Z']],
  [`${CANDLES}&limit=1`, ['2026-02-30T00:00:00Z']],
  [`/stocks/${TOKEN}/daily?limit=1`, ['2026-99-99']],
  [`/stocks/${TOKEN}/daily?limit=1`, ['0000-01-01']],
  ['/blocks?limit=1', ['9999999999999999']],
])('a cursor of %s with the key %j is refused before the database sees it', async (path, keys) => {
  const { json } = await chain.get(path);
  const [seal, text] = [json.next_cursor?.slice(0, 32), json.next_cursor?.slice(32) ?? ''];
  const content = JSON.parse(Buffer.from(text, 'base64url').toString()) as object;
  const forged = `${seal}${Buffer.from(JSON.stringify({ ...content, k: keys })).toString('base64url')}`;
  const asked = chain.statements().length;
  const { statusCode, json: refused } = await chain.get(`${path}&cursor=${forged}`);
  expect([statusCode, refused.error?.code]).toEqual([400, 'bad_request']);
  expect(chain.statements()).toHaveLength(asked);
});
