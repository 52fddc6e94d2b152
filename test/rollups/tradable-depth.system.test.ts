/** What can be traded at which price, and prices that oracles tell. */

import { encodeEventTopics, numberToHex, parseAbiItem } from 'viem';
import type { Hex } from '../../lambdas/chain-data/decode/raw-block.ts';
import { TOPICS } from '../../lambdas/chain-data/decode/topics.ts';
import { handleData } from '../../lambdas/data/handle-data.ts';
import { createSeal } from '../../lambdas/data/plan/seal.ts';
import { linkStocks } from '../../lambdas/indexer/describe/read-stock-answers.ts';
import { toQuotes } from '../../lambdas/rollups/prices/quotes.ts';
import { firstBetween, secondBetween } from '../../lambdas/rollups/ticks/position-amounts.ts';
import { rootAtTick } from '../../lambdas/rollups/ticks/tick-prices.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { newSchema } from '../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';
import { admittingMeter } from '../support/admitting-meter.ts';
import { UNLIMITED } from '../support/data-limits.ts';
import {
  address,
  EXCHANGES,
  type Happening,
  type TestPool,
  TradingChain,
  ZERO_ADDRESS,
} from './trading-chain.ts';

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

describe('depth that can be traded', () => {
  const STOCK = address(0x57);
  const DOLLAR = address(0xd0);
  const SCAM = address(0xff);
  const QUOTES = toQuotes(
    { stables: [{ token: DOLLAR, decimals: 6, usd: '1' }], wrappedNative: address(0xe0) },
    [],
    EXCHANGES,
  );
  const E6 = 10n ** 6n;
  const E18 = 10n ** 18n;
  const START = Date.parse('2026-11-18T00:00:00Z') / 1_000;
  /** Ticks of a million dollars for a stock, of 180 dollars and of a cent: 10^-12 of it for raw units. */
  const [MILLION, FAIR, CENT] = [-138_163, -224_388, -322_379];

  /** Ten minutes and thirty blocks. */
  const STOOD: readonly (readonly Happening[])[] = Array.from({ length: 31 }, () => []);

  /** The market that is there: 175 dollars, and 1.83 million of them. */
  const MARKET: TestPool = { id: address(0x1001), protocol: 'uniswap_v2', token0: STOCK, token1: DOLLAR };
  const OPENING: readonly Happening[] = [
    { kind: 'pool', pool: MARKET },
    { kind: 'sync', pool: MARKET, reserves: [10_457n * E18, 1_829_975n * E6] },
  ];
  const V3: TestPool = {
    ...MARKET,
    id: address(0x1003),
    protocol: 'uniswap_v3',
    feePips: 10_000,
    tickSpacing: 200,
  };
  const V3_NARROW: TestPool = { ...V3, feePips: 500, tickSpacing: 10 };
  const RIVAL: TestPool = { ...V3_NARROW, id: address(0x1008) };
  const V4: TestPool = { ...V3, id: `0x${'4'.repeat(64)}`, protocol: 'uniswap_v4' };

  /** A chain of a block for each list of happenings, with all that is derived of it. */
  async function derived(...blocks: readonly (readonly Happening[])[]): Promise<TradingChain> {
    const chain = new TradingChain(database.writer, await newSchema(database));
    for (const [token, decimals] of [
      [STOCK, 18],
      [DOLLAR, 6],
      [SCAM, 0],
    ] as const)
      await chain.knowToken(token, decimals);
    await chain.append(blocks.map((happenings, index) => ({ time: START + 20 * index, happenings })));
    await chain.derive(QUOTES);
    return chain;
  }

  const rows = (chain: TradingChain, sql: string) => chain.rows(sql);

  /** Prices of a token in the order of their blocks, in whole dollars; one that stays is there once. */
  async function pricesOf(chain: TradingChain, token: Hex): Promise<readonly unknown[]> {
    const found = await rows(
      chain,
      `SELECT round(price_usd)::text AS usd FROM $token_prices
     WHERE token = decode('${token.slice(2)}', 'hex') ORDER BY block_number`,
    );
    return found.map(({ usd }) => usd).filter((usd, index, all) => usd !== all[index - 1]);
  }

  const initialize = (pool: TestPool, tick: number, off = 0n): Happening[] => [
    { kind: 'pool', pool },
    { kind: 'initialize', pool, sqrtPriceX96: rootAtTick(tick) + off },
  ];

  /** A position that holds so many dollars if its range is below the price, with the stocks that are above it. */
  function position(
    pool: TestPool,
    dollars: bigint,
    ticks: readonly [number, number],
    price: number,
  ): Happening {
    const [lower, upper] = [rootAtTick(ticks[0]), rootAtTick(ticks[1])];
    const liquidity = (dollars * E6 * E18) / secondBetween(E18, lower, upper);
    const at = [lower, rootAtTick(price), upper].sort((one, other) => (one < other ? -1 : 1))[1] ?? lower;
    if (pool.protocol === 'uniswap_v4') return { kind: 'modify', pool, liquidity, ticks };
    const amounts = [firstBetween(liquidity, at, upper), secondBetween(liquidity, lower, at)] as const;
    return { kind: 'mint', pool, amounts, liquidity, ticks };
  }

  const below = (tick: number, spacing: number) => Math.floor(tick / spacing) * spacing;
  const FAR: readonly [number, number] = [-420_000, -400_000];

  /** The position that is never traded, beside one around the price that is worth little. */
  const withDust = (pool: TestPool): Happening[] => {
    const lower = below(MILLION, 200);
    return [
      ...initialize(pool, MILLION),
      position(pool, 1_956_244n, FAR, MILLION),
      position(pool, 5n, [lower, lower + 200], MILLION),
    ];
  };

  describe('a price that nobody can trade at is not taken', () => {
    const narrow = below(MILLION, 10);
    const hooked = { ...V4, hooks: `0x${'0'.repeat(37)}080` as const };
    const dear = { ...V4, feePips: 999_900 };
    const wide: readonly [number, number] = [below(MILLION, 200) - 2_000, below(MILLION, 200) + 2_000];
    const attempts: Readonly<Record<string, readonly Happening[]>> = {
      'a V3 position far out of range': [...initialize(V3, MILLION), position(V3, 1_956_244n, FAR, MILLION)],
      'a V4 position far out of range': [...initialize(V4, MILLION), position(V4, 1_956_244n, FAR, MILLION)],
      'a V3 position far out of range, and dust around the price': withDust(V3),
      'a V4 position far out of range, and dust around the price': withDust(V4),
      'a V3 position of one spacing around the price, which would count 40 times': [
        ...initialize(V3_NARROW, MILLION),
        position(V3_NARROW, 2_000_000n, FAR, MILLION),
        position(V3_NARROW, 4_000n, [narrow, narrow + 10], MILLION),
      ],
      'bids alone: nobody can buy at a cent': [
        ...initialize(V3_NARROW, below(CENT, 10) + 10, -1n),
        position(V3_NARROW, 2_000_000n, [below(CENT, 10), below(CENT, 10) + 10], below(CENT, 10) + 10),
      ],
      'a swap that ends where there is no liquidity': [
        ...initialize(V3, FAIR),
        position(V3, 1_956_244n, FAR, FAIR),
        {
          kind: 'swap',
          pool: V3,
          amounts: [-1n, 1n],
          sqrtPriceX96: rootAtTick(MILLION),
          liquidity: 0n,
        },
      ],
      'a V4 pool whose hook can refuse every swap': [
        ...initialize(hooked, MILLION),
        position(hooked, 20_000_000n, wide, MILLION),
      ],
      'a V4 pool whose fee is nearly all': [
        ...initialize(dear, MILLION),
        position(dear, 20_000_000n, wide, MILLION),
      ],
    };
    test.each(Object.entries(attempts))('%s', async (_, attempt) => {
      expect(await pricesOf(await derived(OPENING, ...STOOD, attempt, ...STOOD, ...STOOD), STOCK)).toEqual([
        '175',
      ]);
    });
  });

  test('a price asked at a block inside of an attack is the one before, whatever comes after', async () => {
    const moved: Happening[] = [{ kind: 'sync', pool: MARKET, reserves: [104n * E18, 183_997_500n * E6] }];
    const quiet = Array.from({ length: 300 }, () => []);
    const begun = [OPENING, ...STOOD, moved, []];
    const [ended, goesOn] = [
      await derived(...begun, OPENING.slice(1), ...quiet),
      await derived(...begun, ...quiet),
    ];
    for (const block of [begun.length - 2, begun.length - 1]) {
      const price = await priceAt(ended, START + 20 * block);
      expect(price).toMatchObject({
        price_usd: '175',
        confidence: 'low',
        reasons: expect.arrayContaining(['jump']),
      });
      expect(Number(price.pending_price_usd)).toBeGreaterThan(1_000_000);
      expect(await priceAt(goesOn, START + 20 * block)).toEqual(price);
    }
  });

  /** What the Data API says at a moment, in seconds. */
  async function priceAt(
    { name: chain }: TradingChain,
    at: number,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { body } = await handleData(
      {
        ...{ holder: { keyId: 'k', account: 'a' }, chain, requestId: 'r', ifNoneMatch: undefined },
        path: `/tokens/${STOCK}/price`,
        query: { at: [new Date(at * 1_000).toISOString()] },
      },
      {
        ...{ meter: admittingMeter(), clock: { now: Date.now }, seal: createSeal('key'), ...UNLIMITED },
        chains: [{ chain, chainId: 1, isDefault: true }],
        database: database.reader,
      },
    );
    return JSON.parse(String(body)).data;
  }

  describe('the price of the pool that trades meet the most in', () => {
    const wide: readonly [number, number] = [below(FAIR, 200) - 10_000, below(FAIR, 200) + 10_000];
    /** Trades bring the other pool to the same price: 180 dollars. */
    const follows: Happening = { kind: 'sync', pool: MARKET, reserves: [10_310n * E18, 1_855_800n * E6] };

    test.each([V3, V4])('is taken: $protocol', async (pool) => {
      const chain = await derived(
        OPENING,
        [...initialize(pool, FAIR), position(pool, 40_000_000n, wide, FAIR), follows],
        ...STOOD,
      );
      expect(await pricesOf(chain, STOCK)).toEqual(['175', '180']);
      // 0.995 % of what the liquidity would hold over all prices, 38.4 million dollars, and of the other pool's 1.9.
      const [depth] = await rows(
        chain,
        `SELECT round(depth_usd / 10000)::integer AS myriads, liquidity_usd < 40000000 AS held FROM $token_prices WHERE pool_id = decode('${pool.id.slice(2)}', 'hex')`,
      );
      expect(depth).toEqual({ myriads: 40, held: true });
    });

    test('stays while a swap has left it at the end of a spacing, against a pool of a few dollars', async () => {
      const range = position(V3, 40_000_000n, wide, FAIR);
      const [end, trap] = [below(FAIR, 200), below(MILLION, 10)];
      const { liquidity } = { liquidity: 0n, ...range };
      const chain = await derived(
        [...initialize(V3, FAIR), range],
        [
          {
            kind: 'swap',
            pool: V3,
            amounts: [E18, -1n],
            sqrtPriceX96: rootAtTick(end),
            tick: end,
            liquidity,
          },
          ...initialize(RIVAL, MILLION),
          position(RIVAL, 4_000n, [trap, trap + 10], MILLION),
        ],
      );
      expect(
        await rows(
          chain,
          `SELECT round(price_usd)::text AS usd, depth_usd > 0 AS deep FROM $token_prices
         WHERE token = decode('${STOCK.slice(2)}', 'hex') ORDER BY block_number`,
        ),
      ).toEqual([
        { usd: '180', deep: true },
        { usd: '180', deep: true },
      ]);
    });

    test('is no more taken once its liquidity is removed, though far positions stay', async () => {
      const inRange = position(V3, 40_000_000n, wide, FAIR);
      const chain = await derived(
        OPENING,
        [...initialize(V3, FAIR), position(V3, 9_000_000n, FAR, FAIR), inRange, follows],
        ...STOOD,
        [{ ...inRange, kind: 'burn' } as Happening, ...OPENING.slice(1)],
        ...STOOD,
      );
      expect(await pricesOf(chain, STOCK)).toEqual(['175', '180', '175']);
    });

    test('is used for nothing once it was the only one and its liquidity is gone', async () => {
      const inRange = position(V3, 40_000_000n, wide, FAIR);
      const barter: TestPool = { ...MARKET, id: address(0x1005), token1: SCAM };
      const chain = await derived(
        [...initialize(V3, FAIR), position(V3, 9_000_000n, FAR, FAIR), inRange],
        [{ ...inRange, kind: 'burn' } as Happening],
        [
          { kind: 'pool', pool: barter },
          { kind: 'swap', pool: barter, amounts: [E18, -1_000n] },
        ],
      );
      expect(
        await rows(
          chain,
          `SELECT round(price_usd)::text AS usd, depth_usd > 0 AS deep, liquidity_usd > 0 AS liquid FROM $token_prices
         WHERE token = decode('${STOCK.slice(2)}', 'hex') ORDER BY block_number`,
        ),
      ).toEqual([
        { usd: '180', deep: true, liquid: true },
        { usd: '180', deep: false, liquid: false },
      ]);
      expect(await rows(chain, `SELECT amount_usd FROM $dex_swaps`)).toEqual([{ amount_usd: null }]);
    });
  });

  test('a pool of 6,000 dollars gives a price with the depth that it has, and no value to what it could never pay', async () => {
    const pool: TestPool = { ...MARKET, id: address(0x1006), token0: DOLLAR, token1: SCAM };
    const barter: TestPool = { ...MARKET, id: address(0x1007), token0: STOCK, token1: SCAM };
    const chain = await derived([
      { kind: 'pool', pool },
      { kind: 'sync', pool, reserves: [6_000n * E6, 1_000n] },
      { kind: 'pool', pool: barter },
      { kind: 'sync', pool: barter, reserves: [1n, 10n ** 12n] },
      { kind: 'swap', pool: barter, amounts: [-1n, 10n ** 12n] },
    ]);
    expect(
      await rows(
        chain,
        `SELECT price_usd::text AS usd, liquidity_usd::text AS liquidity, round(depth_usd, 6)::text AS depth
       FROM $token_prices WHERE token = decode('${SCAM.slice(2)}', 'hex')`,
      ),
    ).toEqual([{ usd: '6', liquidity: '6000', depth: '59.702963' }]);
    expect(await rows(chain, 'SELECT amount_usd FROM $dex_swaps')).toEqual([{ amount_usd: null }]);
    expect(
      await rows(
        chain,
        `SELECT liquidity_usd::text AS usd FROM $dex_pools WHERE pool_id = decode('${barter.id.slice(2)}', 'hex')`,
      ),
    ).toEqual([{ usd: null }]);
  });

  describe('a flash swap', () => {
    const flash: readonly Happening[] = [
      { kind: 'swap', pool: MARKET, amounts: [0n, 40_000_001n] },
      { kind: 'sync', pool: MARKET, reserves: [10_457n * E18, 1_830_015n * E6] },
    ];
    const trade: Happening = { kind: 'swap', pool: MARKET, amounts: [-E18, 176n * E6] };

    test('makes no candle and no value', async () => {
      const chain = await derived(OPENING, flash);
      expect(await rows(chain, 'SELECT subject_kind, low::text FROM $candles')).toEqual([]);
      expect(await rows(chain, 'SELECT amount_usd FROM $dex_swaps')).toEqual([{ amount_usd: null }]);
      expect(await rows(chain, 'SELECT sum(sample_trades)::integer AS trades FROM $token_prices')).toEqual([
        { trades: 0 },
      ]);
    });

    test('is in no candle of a minute that has trades, nor in its volumes', async () => {
      const chain = await derived(OPENING, [trade, ...flash]);
      const candles = await rows(
        chain,
        `SELECT DISTINCT subject_kind, encode(subject, 'hex') AS subject, volume_base::text AS base, trades, low > 0 AS priced
       FROM $candles ORDER BY subject_kind, subject`,
      );
      expect(candles).toEqual([
        { subject_kind: 'pool', subject: MARKET.id.slice(2), base: String(E18), trades: 1, priced: true },
        { subject_kind: 'token', subject: STOCK.slice(2), base: String(E18), trades: 1, priced: true },
        { subject_kind: 'token', subject: DOLLAR.slice(2), base: String(176n * E6), trades: 1, priced: true },
      ]);
    });
  });
});

describe('prices of oracles', () => {
  const STOCK = address(0x57);
  const HOLDER = address(0xbeef);
  const AGGREGATOR = address(0xfeed);
  const FACTORY = address(0xfac);
  const START = Date.parse('2026-11-18T00:00:00Z') / 1_000;
  const DAY = 86_400;
  const ANSWERED = parseAbiItem(
    'event AnswerUpdated(int256 indexed current, uint256 indexed round, uint256 updatedAt)',
  );
  const QUOTES = toQuotes(undefined, [
    { token: STOCK, aggregator: AGGREGATOR, decimals: 8, heartbeatSeconds: 86_400 },
  ]);

  const transfer = { kind: 'transfer', token: STOCK, from: ZERO_ADDRESS, to: HOLDER, amount: 5n } as const;

  /** A chain with a stock token that moves in every block, a block a day, in which this is logged too. */
  async function newChain(...days: readonly (readonly Happening[])[]): Promise<TradingChain> {
    const chain = new TradingChain(database.writer, await newSchema(database));
    await chain.listStock(STOCK);
    await chain.append(
      days.map((logged, index) => ({ time: START + index * DAY, happenings: [transfer, ...logged] })),
    );
    return chain;
  }

  function answer(current: bigint, updatedAt = 1_800_000_000n, emitter = AGGREGATOR) {
    const topics = encodeEventTopics({ abi: [ANSWERED], args: { current, round: 1n } }) as unknown as Hex[];
    return { kind: 'log', emitter, topics, data: numberToHex(updatedAt, { size: 32 }) } as const;
  }

  const derive = (chain: TradingChain) => chain.derive(QUOTES);

  async function prices(chain: TradingChain): Promise<unknown[]> {
    const rows = await chain.rows(
      `SELECT block_number, price_usd::text AS price, extract(epoch FROM oracle_time)::bigint AS at
     FROM $stock_oracle_prices ORDER BY block_number, log_index`,
    );
    return rows.map(({ block_number, price, at }) => [block_number, price, at]);
  }

  async function days(chain: TradingChain): Promise<unknown[]> {
    const rows = await chain.rows(
      'SELECT oracle_price_usd::text AS price, premium_bps FROM $stock_daily ORDER BY day',
    );
    // Nothing was traded, so there is no price to compare.
    expect(rows.map(({ premium_bps }) => premium_bps)).toEqual(rows.map(() => null));
    return rows.map(({ price }) => price);
  }

  test('answers of the feed are prices, and each day has the last one until its end', async () => {
    const twice = [answer(2n ** 200n, 1_800_000_001n), answer(1n, 1_800_000_002n)];
    const chain = await newChain([], [answer(123_45000000n)], twice, []);
    await derive(chain);
    expect(await prices(chain)).toEqual([
      [1, '123.45', 1_800_000_000],
      [2, `${2n ** 200n / 10n ** 8n}.${(2n ** 200n % 10n ** 8n).toString().padStart(8, '0')}`, 1_800_000_001],
      [2, '0.00000001', 1_800_000_002],
    ]);
    expect(await days(chain)).toEqual([null, '123.45', '0.00000001', '0.00000001']);
  });

  test('what is no price is none: another emitter, zero, less, no time, no words', async () => {
    const absent = [answer(5n, undefined, FACTORY), answer(0n), answer(-5n), answer(5n, 2n ** 63n)];
    const chain = await newChain([], [...absent, { ...answer(5n), data: '0x' }]);
    await derive(chain);
    expect(await prices(chain)).toEqual([]);
  });

  test('a token with decimals has the price of the last answer of a block, until a reorganisation takes that', async () => {
    const said = async (chain: TradingChain) => {
      const rows = await chain.rows(
        'SELECT block_number, price_usd::text AS price, method, reasons FROM $token_prices ORDER BY block_number',
      );
      return rows.map(({ block_number, price, method, reasons }) => [block_number, price, method, reasons]);
    };
    const at = BigInt(START + DAY);
    const chain = await newChain([], [answer(999n, at), answer(175_00000000n, at)], []);
    await chain.knowToken(STOCK, 18);
    await derive(chain);
    expect(await said(chain)).toEqual([[1, '175', 'oracle', 'no_depth']]);
    await chain.rollBack(0);
    expect(await said(chain)).toEqual([]);
  });

  test('a reorganisation takes prices with it', async () => {
    const chain = await newChain([], [answer(100n)], [answer(200n)]);
    await derive(chain);
    await chain.rollBack(1);
    expect(await prices(chain)).toEqual([[1, '0.000001', 1_800_000_000]]);
  });

  describe('an answer after the last transfer of a day', () => {
    const answered = (current: bigint) => ({ kind: 'answer', aggregator: AGGREGATOR, current }) as const;
    const blocks = [
      { time: START, happenings: [answered(100n)] },
      { time: START + 10, happenings: [transfer] },
      { time: START + 20, happenings: [] },
      { time: START + 30, happenings: [answered(200n)] },
    ];

    test('is the price of that day, whether it was derived with the transfer or later', async () => {
      const [live, atOnce] = [await newChain(), await newChain()];
      for (const block of blocks) {
        await live.append([block]);
        await derive(live);
      }
      await atOnce.append(blocks);
      await derive(atOnce);
      expect(await days(live)).toEqual(['0.000002']);
      expect(await days(atOnce)).toEqual(['0.000002']);
    });

    test('goes with its block, and the answer before it counts again', async () => {
      const chain = await newChain();
      await chain.append(blocks);
      await derive(chain);
      await chain.rollBack(2);
      expect(await days(chain)).toEqual(['0.000001']);
      await chain.append([{ time: START + 25, happenings: [] }]);
      await derive(chain);
      expect(await days(chain)).toEqual(['0.000001']);
    });
  });

  test('the stage file names the issuer by its factory, and the feed', async () => {
    const deployed = (emitter: Hex): Happening => ({
      ...{ kind: 'log', emitter, topics: [TOPICS.stockDeployed, `0x${'1'.repeat(64)}`] },
      data: `0x${STOCK.slice(2).padStart(64, '0')}${'0'.repeat(128)}`,
    });
    const chain = await newChain([], [deployed(HOLDER)]);
    const settings = {
      issuers: [{ factory: FACTORY.toUpperCase().replace('0X', '0x'), name: 'Issuer\'s, "Ltd"' }],
      priceFeeds: [{ token: STOCK, aggregator: AGGREGATOR, decimals: 8, heartbeatSeconds: 86_400 }],
    };
    const linked = async () => {
      await linkStocks(connectionTo(database.writer, chain.name), settings);
      const [row] = await chain.rows(
        `SELECT issuer, encode(factory, 'hex') AS factory, encode(price_feed, 'hex') AS feed FROM $stock_tokens`,
      );
      return row;
    };
    const feed = AGGREGATOR.slice(2);
    expect(await linked()).toEqual({ issuer: 'unknown', factory: null, feed });
    await chain.append([{ time: START + 2 * DAY, happenings: [deployed(FACTORY)] }]);
    expect(await linked()).toEqual({ issuer: 'Issuer\'s, "Ltd"', factory: FACTORY.slice(2), feed });
  });
});
