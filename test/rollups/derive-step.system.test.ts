import fc from 'fast-check';
import { deriveStep } from '../../lambdas/rollups/derive-step.ts';
import { NATIVE, toQuotes } from '../../lambdas/rollups/prices/quotes.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { disturbed } from '../database/disturbed.ts';
import { newSchema, untouchedSchema } from '../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';
import { multipliersOf } from '../local/demo-chain/expected-chain.ts';
import { isAtLength, repetitions } from '../support/at-length.ts';
import { dumpDerived } from './derived-tables.ts';
import { address, EXCHANGES, type TestPool, TradingChain, ZERO_ADDRESS } from './trading-chain.ts';

const DOLLAR = address(0xd0);
const WRAPPED = address(0xe0);
const GARNET = address(0xa1);
const STRAY = address(0xa2);
const STOCK = address(0x57);
const QUOTES = toQuotes(
  { stables: [{ token: DOLLAR, decimals: 6, usd: '1' }], wrappedNative: WRAPPED },
  [],
  EXCHANGES,
);

const E6 = 10n ** 6n;
const E18 = 10n ** 18n;
const Q96 = 2n ** 96n;
const DAY = 86_400;
const START = Date.parse('2026-11-18T00:00:00Z') / 1_000;

const DOLLAR_WRAPPED: TestPool = {
  id: address(0x1001),
  protocol: 'uniswap_v2',
  token0: DOLLAR,
  token1: WRAPPED,
};
const GARNET_WRAPPED: TestPool = {
  id: address(0x1002),
  protocol: 'uniswap_v3',
  token0: GARNET,
  token1: WRAPPED,
};
const NATIVE_STRAY: TestPool = {
  id: `0x${'4'.repeat(64)}`,
  protocol: 'uniswap_v4',
  token0: NATIVE,
  token1: STRAY,
};
const GARNET_STRAY: TestPool = { id: address(0x1003), protocol: 'uniswap_v2', token0: GARNET, token1: STRAY };
const STOCK_DOLLAR: TestPool = { id: address(0x1004), protocol: 'uniswap_v2', token0: STOCK, token1: DOLLAR };

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

async function newChain(): Promise<TradingChain> {
  return new TradingChain(database.writer, await newSchema(database));
}

const derive = (chain: TradingChain) => chain.derive(QUOTES);
const rows = (sql: string, chain: TradingChain) => chain.rows(sql);

describe('prices', () => {
  let chain: TradingChain;
  beforeAll(async () => {
    chain = new TradingChain(database.writer, await untouchedSchema(database));
    await chain.knowToken(DOLLAR, 6);
    await chain.knowToken(WRAPPED, 18);
    await chain.knowToken(GARNET, 18);
    await chain.append([
      {
        time: START,
        happenings: [
          { kind: 'pool', pool: DOLLAR_WRAPPED },
          { kind: 'pool', pool: GARNET_WRAPPED },
          { kind: 'pool', pool: GARNET_STRAY },
          { kind: 'pool', pool: NATIVE_STRAY },
          { kind: 'sync', pool: DOLLAR_WRAPPED, reserves: [300_000n * E6, 100n * E18] },
        ],
      },
      {
        time: START + 10,
        happenings: [
          // Four of the first for one of the second.
          { kind: 'initialize', pool: GARNET_WRAPPED, sqrtPriceX96: Q96 / 2n },
          { kind: 'mint', pool: GARNET_WRAPPED, amounts: [40n * E18, 10n * E18] },
          {
            kind: 'swap',
            pool: GARNET_WRAPPED,
            amounts: [4n * E18, -E18 + 3n * 10n ** 15n],
            sqrtPriceX96: Q96 / 2n,
            liquidity: 20n * E18,
          },
        ],
      },
      {
        time: START + 70,
        happenings: [
          { kind: 'swap', pool: GARNET_STRAY, amounts: [2n * E18, -77n] },
          { kind: 'initialize', pool: NATIVE_STRAY, sqrtPriceX96: (Q96 * 5n) / 4n },
          {
            kind: 'swap',
            pool: NATIVE_STRAY,
            amounts: [E18, -E18],
            sqrtPriceX96: (Q96 * 5n) / 4n,
            liquidity: (13n * E18) / 10n,
          },
        ],
      },
    ]);
    expect(await derive(chain)).toEqual(['derived']);
  });

  test('come from the peg, the deepest stable pool, and then from the deepest pool against either', async () => {
    const told = await chain.lines(
      `SELECT encode(token, 'hex') AS token, block_number, price_usd::text, method, liquidity_usd::text, sample_trades
       FROM $token_prices ORDER BY block_number, token`,
    );
    expect(told).toEqual([
      `${NATIVE.slice(2)} 0 3000 stable_pool 300000 0`,
      `${DOLLAR.slice(2)} 0 1 peg - 0`,
      `${WRAPPED.slice(2)} 0 3000 stable_pool 300000 0`,
      // 10 - 0.997 wrapped native are left on the other side.
      `${GARNET.slice(2)} 1 750 native_pool 27009 1`,
      // Its decimals are not known: it is the price of one raw unit.
      `${STRAY.slice(2)} 2 0.00000000000000192 native_pool 2991 1`,
    ]);
  });

  test('give each trade the value of its best founded side, and none where there is no price', async () => {
    expect(
      await chain.lines(
        'SELECT block_number, log_index, amount_usd::text, usd_method FROM $dex_swaps ORDER BY 1, 2',
      ),
    ).toEqual(['1 2 2991 native', '2 0 1500 token_price', '2 2 3000 native']);
  });

  test('say how much is in a pool', async () => {
    const pools = await chain.lines(
      `SELECT encode(pool_id, 'hex') AS id, liquidity_usd::text FROM $dex_pools ORDER BY pool_id`,
    );
    expect(pools.slice(0, 3)).toEqual([
      `${DOLLAR_WRAPPED.id.slice(2)} 600000`,
      // 40 + 4 less the fee of 0.3 %, at 750, and the other side.
      `${GARNET_WRAPPED.id.slice(2)} 60000`,
      `${GARNET_STRAY.id.slice(2)} 0`,
    ]);
  });

  test('make candles of every length', async () => {
    const candles = await chain.lines(
      `SELECT interval_seconds, open::text, close::text, volume_base::text, volume_usd::text, trades
       FROM $candles WHERE subject_kind = 'token' AND subject = decode('${GARNET.slice(2)}', 'hex')
       ORDER BY interval_seconds, start_time`,
    );
    expect(candles).toEqual([
      `60 747.75 747.75 ${4n * E18} 2991 1`,
      `60 750 750 ${2n * E18} 1500 1`,
      ...[300, 900, 3_600, 14_400, 86_400].map((seconds) => `${seconds} 747.75 750 ${6n * E18} 4491 2`),
    ]);
  });

  test('are noted as complete', async () => {
    const covered = await chain.lines(
      `SELECT dataset, covered::text FROM $coverage
       WHERE dataset IN ('candles', 'token_prices', 'stock_daily') ORDER BY 1`,
    );
    expect(covered).toEqual(['candles {[0,3)}', 'stock_daily {[0,3)}', 'token_prices {[0,3)}']);
  });
});

test('decimals that become known late change figures as if they had been known', async () => {
  const chain = await newChain();
  await chain.append([
    {
      time: START,
      happenings: [
        { kind: 'pool', pool: STOCK_DOLLAR },
        { kind: 'sync', pool: STOCK_DOLLAR, reserves: [30n * E18, 10_000n * E6] },
        { kind: 'swap', pool: STOCK_DOLLAR, amounts: [-(E18 / 3n), 100n * E6] },
      ],
    },
  ]);
  await derive(chain);
  const price = `SELECT price_usd::text AS price FROM $token_prices WHERE token = decode('${STOCK.slice(2)}',
    'hex')`;
  expect(await rows(price, chain)).toEqual([{ price: `0.${'0'.repeat(15)}${'3'.repeat(30)}` }]);
  await chain.knowToken(STOCK, 18);
  await derive(chain);
  expect(await rows(price, chain)).toEqual([{ price: `333.${'3'.repeat(27)}` }]);
});

test('a stock whose multiplier changes in the middle of a day', async () => {
  const chain = await newChain();
  const [alice, bob] = [address(0xa), address(0xb)];
  await chain.knowToken(STOCK, 18);
  await chain.listStock(STOCK);
  const transfer = (from: typeof alice, to: typeof alice, amount: bigint) =>
    ({ kind: 'transfer', token: STOCK, from, to, amount }) as const;
  await chain.append([
    { time: START, happenings: [transfer(ZERO_ADDRESS, alice, 1_001n)] },
    {
      time: START + 100,
      happenings: [
        { kind: 'announce', token: STOCK, old: E18, multiplier: (3n * E18) / 2n, effectiveAt: START + 500 },
      ],
    },
    { time: START + 499, happenings: [transfer(alice, bob, 11n)] },
    { time: START + 500, happenings: [transfer(alice, bob, 11n)] },
    { time: START + DAY - 1, happenings: [transfer(bob, ZERO_ADDRESS, 5n)] },
    { time: START + DAY, happenings: [transfer(alice, bob, 979n)] },
  ]);
  expect(await derive(chain)).toEqual(['derived', 'derived']);
  const days = await chain.lines(
    `SELECT day::text, transfers, transfers_raw_amount::text, transfers_ui_amount::text, unique_senders, unique_receivers,
       mint_raw_amount::text, burn_raw_amount::text, net_supply_change::text, holder_count, top10_holder_share_bps,
       ui_multiplier::text, first_block, last_block FROM $stock_daily ORDER BY day`,
  );
  const held = (3n * E18) / 2n;
  // By the multiplier: 1001 + 11 before, then 16.5 and 7.5 rounded down.
  const ui = 1_001 + 11 + 16 + 7;
  expect(days).toEqual([
    `2026-11-18 4 1028 ${ui} 2 2 1001 5 996 2 10000 ${held} 0 4`,
    `2026-11-19 1 979 1468 1 1 0 0 0 1 10000 ${held} 5 5`,
  ]);
});

test('transfers of a stock count by what its contract held then, whatever it announces', async () => {
  const announcement = fc.record({
    gap: fc.constantFrom(0, 1, 30, 100),
    after: fc.constantFrom(-50, 0, 1, 30, 130, 500),
    multiplier: fc.bigInt({ min: 1n, max: 10n * E18 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(announcement, { minLength: 1, maxLength: 8 }), async (found) => {
      const chain = await newChain();
      await chain.listStock(STOCK);
      const set: Parameters<typeof multipliersOf>[1][number][] = [];
      const inForce = (time: number) => multipliersOf(E18, set, time).multiplier;
      const moves = {
        kind: 'transfer',
        token: STOCK,
        from: ZERO_ADDRESS,
        to: address(1),
        amount: E18,
      } as const;
      let [time, sum] = [START, 0n];
      const blocks = found.map(({ gap, after, multiplier }, number) => {
        time += gap;
        const effectiveAt = time + after;
        const announced = { kind: 'announce', token: STOCK, old: inForce(time), multiplier } as const;
        sum += inForce(time);
        set.push({ blockNumber: number, setAt: time, effectiveAt, newMultiplier: multiplier });
        sum += inForce(time);
        return { time, happenings: [moves, { ...announced, effectiveAt }, moves] };
      });
      const later = [1, 30, 500, 2_000].map((after) => {
        sum += inForce(time + after);
        return { time: time + after, happenings: [moves] };
      });
      await chain.append([...blocks, ...later]);
      await derive(chain);
      expect(
        await rows(
          'SELECT transfers_ui_amount::text AS ui, ui_multiplier::text AS held FROM $stock_daily',
          chain,
        ),
      ).toEqual([{ ui: String(sum), held: String(inForce(START + DAY)) }]);
    }),
    { numRuns: repetitions(50), endOnFailure: true },
  );
});

test('a stock that becomes known late has the days that it would have had', async () => {
  const blocks = [0, 50, DAY, DAY + 50, 3 * DAY].map((after, index) => ({
    time: START + after,
    happenings: [
      { kind: 'transfer', token: STOCK, from: ZERO_ADDRESS, to: address(index + 1), amount: 10n } as const,
    ],
  }));
  // Days without a transfer are no steps of their own.
  const after = [4, 5].map((days) => ({ time: START + days * DAY, happenings: [] }));
  const [late, early] = [await newChain(), await newChain()];
  await early.listStock(STOCK);
  await early.append([...blocks, ...after]);
  await derive(early);
  await late.append([...blocks, ...after]);
  await derive(late);
  expect((await dumpDerived(database.writer, late.schema)).stock_daily).toEqual([]);
  await late.listStock(STOCK);
  expect(await derive(late)).toEqual(['late_stock', 'late_stock', 'late_stock', 'late_stock']);
  expect(await dumpDerived(database.writer, late.schema)).toEqual(
    await dumpDerived(database.writer, early.schema),
  );
});

test('a first multiplier that turns out to be another changes the days', async () => {
  const chain = await newChain();
  await chain.listStock(STOCK);
  await chain.append([
    {
      time: START,
      happenings: [{ kind: 'transfer', token: STOCK, from: ZERO_ADDRESS, to: address(1), amount: 10n }],
    },
  ]);
  const days = `SELECT transfers_ui_amount::text AS ui, holder_count FROM $stock_daily`;
  await derive(chain);
  expect(await rows(days, chain)).toEqual([{ ui: '10', holder_count: 1 }]);
  await database.writer.query(
    `UPDATE ${chain.schema}.stock_tokens SET initial_multiplier = 4 * initial_multiplier`,
  );
  await derive(chain);
  expect(await rows(days, chain)).toEqual([{ ui: '40', holder_count: 1 }]);
});

test('a trade far from the price of its token is in its candle without a price, and makes one of its pool', async () => {
  const chain = await newChain();
  await chain.knowToken(STOCK, 18);
  const trade = (time: number, dollars: bigint, reserve: bigint) => ({
    time: START + time,
    happenings: [
      { kind: 'sync', pool: STOCK_DOLLAR, reserves: [100n * E18, reserve * E6] } as const,
      { kind: 'swap', pool: STOCK_DOLLAR, amounts: [-E18, dollars * E6] } as const,
    ],
  });
  await chain.append([
    { time: START, happenings: [{ kind: 'pool', pool: STOCK_DOLLAR }] },
    trade(1, 100n, 10_000n),
    trade(2, 101n, 10_100n),
    trade(3, 99n, 9_900n),
    trade(60, 118n, 10_000n),
    trade(61, 121n, 10_000n),
    trade(120, 300n, 10_000n),
  ]);
  await derive(chain);
  const candles = (kind: string) =>
    rows(
      `SELECT high::text, trades FROM $candles WHERE subject_kind = '${kind}' AND interval_seconds = 60
         AND subject IN (decode('${STOCK.slice(2)}', 'hex'), decode('${STOCK_DOLLAR.id.slice(2)}', 'hex'))
       ORDER BY start_time`,
      chain,
    );
  // The price is 99 or 100; 121 and 300 are in volumes alone.
  expect(await candles('token')).toEqual([
    { high: '101', trades: 3 },
    { high: '118', trades: 2 },
    { high: null, trades: 1 },
  ]);
  expect((await candles('pool')).map(({ trades }) => trades)).toEqual([3, 2, 1]);
});

test('a token whose decimals have changed makes no price until they are certain', async () => {
  const chain = await newChain();
  await chain.knowToken(STOCK, 18);
  const trade = (time: number, reserve: bigint) => ({
    time: START + time,
    happenings: [{ kind: 'sync', pool: STOCK_DOLLAR, reserves: [100n * E18, reserve * E6] } as const],
  });
  const said = async () =>
    (
      await rows(
        `SELECT price_usd::text AS usd, depth_usd::integer AS depth, reasons LIKE '%decimals%' AS withheld FROM $token_prices
         WHERE token = decode('${STOCK.slice(2)}', 'hex') ORDER BY block_number DESC LIMIT 1`,
        chain,
      )
    )[0];
  const decimalsOf = (set: string) =>
    rows(`UPDATE $tokens SET ${set} WHERE address = decode('${STOCK.slice(2)}', 'hex')`, chain);
  await chain.append([
    { time: START, happenings: [{ kind: 'pool', pool: STOCK_DOLLAR }] },
    trade(1, 10_000n),
  ]);
  await derive(chain);
  expect(await said()).toEqual({ usd: '100', depth: 100, withheld: false });
  await decimalsOf('new_decimals = 20');
  await chain.append([trade(2, 10_100n)]);
  await derive(chain);
  expect(await said()).toEqual({ usd: '100', depth: 0, withheld: true });
  await decimalsOf('new_decimals = NULL, decimals = 20');
  await chain.append([trade(3, 10_000n)]);
  await derive(chain);
  expect(await said()).toEqual({ usd: '10000', depth: 100, withheld: false });
});

test('older blocks that are stored later are where all begins then', async () => {
  const chain = await newChain();
  const swap = { kind: 'swap', pool: STOCK_DOLLAR, amounts: [-E18, 100n * E6] } as const;
  await chain.append([
    { time: START, happenings: [{ kind: 'pool', pool: STOCK_DOLLAR }] },
    { time: START + 1, happenings: [swap] },
    { time: START + 2, happenings: [swap] },
  ]);
  const first = chain.schema;
  await database.writer.query(`UPDATE ${first}.coverage SET covered = '{[2,3)}' WHERE dataset = 'blocks'`);
  expect(await derive(chain)).toEqual(['derived']);
  const state = `SELECT (SELECT count(amount_usd) FROM $dex_swaps) AS valued,
    (SELECT first_block FROM $rollup_origin) AS origin,
    (SELECT count(*) FROM $coverage WHERE dataset = 'candles') AS covered`;
  expect(await rows(state, chain)).toEqual([{ valued: 1, origin: 2, covered: 0 }]);
  await database.writer.query(`UPDATE ${first}.coverage SET covered = '{[1,3)}' WHERE dataset = 'blocks'`);
  expect(await derive(chain)).toEqual([]);
  await database.writer.query(`UPDATE ${first}.coverage SET covered = '{[0,3)}' WHERE dataset = 'blocks'`);
  expect(await derive(chain)).toEqual(['taken_back', 'taken_back', 'derived']);
  expect(await rows(state, chain)).toEqual([{ valued: 2, origin: 0, covered: 1 }]);
});

test('a step that fails at any statement leaves nothing, and the next one all', async () => {
  const blocks = [
    {
      time: START,
      happenings: [
        { kind: 'pool', pool: STOCK_DOLLAR } as const,
        { kind: 'sync', pool: STOCK_DOLLAR, reserves: [30n * E18, 10_000n * E6] } as const,
        { kind: 'swap', pool: STOCK_DOLLAR, amounts: [-E18, 100n * E6] } as const,
        { kind: 'transfer', token: STOCK, from: ZERO_ADDRESS, to: address(1), amount: 10n } as const,
      ],
    },
  ];
  const [undisturbed, chain] = [await newChain(), await newChain()];
  for (const one of [undisturbed, chain]) {
    await one.listStock(STOCK);
    await one.append(blocks);
  }
  await derive(undisturbed);
  const before = await dumpDerived(database.writer, chain.schema);
  let failures = 0;
  for (;;) {
    const failing = disturbed(database.writer, (nth) => {
      if (nth > failures) throw new Error('cut off');
    });
    const step = deriveStep(connectionTo(failing, chain.name), QUOTES);
    if ((await step.catch(() => undefined)) !== undefined) break;
    expect(await dumpDerived(database.writer, chain.schema)).toEqual(before);
    failures += isAtLength ? 1 : 5;
  }
  expect(failures).toBeGreaterThan(20);
  expect(await dumpDerived(database.writer, chain.schema)).toEqual(
    await dumpDerived(database.writer, undisturbed.schema),
  );
});
