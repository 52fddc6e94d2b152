import fc from 'fast-check';
import type { Market } from '../../lambdas/rollups/prices/market.ts';
import { NATIVE, toQuotes } from '../../lambdas/rollups/prices/quotes.ts';
import { readTold } from '../../lambdas/rollups/read-evidence.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { sql } from '../../lambdas/shared/chain-database/sql.ts';
import { emptySchema } from '../database/empty-schemas.ts';
import { MADE_CHAINS, type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';
import { repetitions } from '../support/at-length.ts';
import { dumpDerived } from './derived-tables.ts';
import {
  address,
  EXCHANGES,
  type Happening,
  type TestBlock,
  type TestPool,
  TradingChain,
  ZERO_ADDRESS,
} from './trading-chain.ts';

/** Rows of a page in these tests, so that all that a step reads has several. */
const PAGE_ROWS = 2;
jest.mock('../../lambdas/shared/chain-database/read-pages.ts', () => {
  const { readPages } = jest.requireActual('../../lambdas/shared/chain-database/read-pages.ts');
  return {
    readPages: (chain: unknown, statement: unknown, read: object) =>
      readPages(chain, statement, { ...read, pageRows: PAGE_ROWS }),
  };
});

const DOLLAR = address(0xd0);
const WRAPPED = address(0xe0);
const GARNET = address(0xa1);
const STRAY = address(0xa2);
const STOCK = address(0x57);
const AGGREGATOR = address(0xfeed);
const DOLLAR_AGGREGATOR = address(0xfeee);
const QUOTES = toQuotes(
  { stables: [{ token: DOLLAR, decimals: 6, usd: '1' }], wrappedNative: WRAPPED },
  [
    { token: STOCK, aggregator: AGGREGATOR, decimals: 8, heartbeatSeconds: 300 },
    { token: DOLLAR, aggregator: DOLLAR_AGGREGATOR, decimals: 8, heartbeatSeconds: 300 },
  ],
  EXCHANGES,
);
const E6 = 10n ** 6n;
const E18 = 10n ** 18n;
const Q96 = 2n ** 96n;
/** Half an hour before the end of a UTC day, so that chains cross it. */
const START = Date.parse('2026-11-18T23:30:00Z') / 1_000;

const pool = (
  number: number,
  protocol: TestPool['protocol'],
  token0: TestPool['token0'],
  token1: TestPool['token1'],
): TestPool => ({ id: address(0x1000 + number), protocol, token0, token1 });
const V2_POOLS = [
  pool(1, 'uniswap_v2', DOLLAR, WRAPPED),
  pool(2, 'uniswap_v2', DOLLAR, GARNET),
  pool(3, 'uniswap_v2', GARNET, STRAY),
  pool(4, 'uniswap_v2', STOCK, DOLLAR),
];
const V3_POOLS = [pool(5, 'uniswap_v3', GARNET, WRAPPED), pool(6, 'uniswap_v3', STRAY, DOLLAR)];
const V4_POOLS = [{ ...pool(7, 'uniswap_v4', NATIVE, GARNET), id: `0x${'7'.repeat(64)}` as const }];
const POOLS = [...V2_POOLS, ...V3_POOLS, ...V4_POOLS];
const BIRTH: TestBlock = {
  time: START,
  happenings: [
    ...POOLS.map((one) => ({ kind: 'pool', pool: one }) as const),
    ...[...V3_POOLS, ...V4_POOLS].map(
      (one) => ({ kind: 'initialize', pool: one, sqrtPriceX96: Q96 }) as const,
    ),
  ],
};

const amount = fc.bigInt({ min: 1n, max: 1_000n }).map((units) => units * E18);
/** Any, and those whose depth positions around one end in. */
const price = fc.oneof(
  fc.bigInt({ min: Q96 / 100n, max: Q96 * 100n }),
  fc.bigInt({ min: (Q96 * 99n) / 100n, max: (Q96 * 101n) / 100n }),
);
const signed = fc
  .tuple(amount, amount, fc.boolean())
  .map(([one, other, sells]) => (sells ? ([one, -other] as const) : ([-one, other] as const)));
const liquidity = fc.bigInt({ min: 0n, max: 10n ** 24n });
const ticks = fc
  .constantFrom(200, 2_000)
  .chain((far) => fc.tuple(fc.integer({ min: -far, max: -1 }), fc.integer({ min: 0, max: far })));
const holder = fc.integer({ min: 1, max: 5 }).map(address);
const party = fc.oneof(holder, fc.constant(ZERO_ADDRESS));

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    kind: fc.constant('sync' as const),
    pool: fc.constantFrom(...V2_POOLS),
    reserves: fc.tuple(
      amount,
      fc.bigInt({ min: 1n, max: 10n ** 6n }).map((units) => units * E6),
    ),
  }),
  fc.record({
    kind: fc.constant('initialize' as const),
    pool: fc.constantFrom(...V3_POOLS, ...V4_POOLS),
    sqrtPriceX96: price,
  }),
  fc.record({
    kind: fc.constantFrom('mint' as const, 'burn' as const),
    pool: fc.constantFrom(...V3_POOLS),
    amounts: fc.tuple(amount, amount),
    liquidity,
    ticks,
  }),
  fc.record({
    kind: fc.constant('modify' as const),
    pool: fc.constantFrom(...V4_POOLS),
    liquidity: fc.bigInt({ min: -(10n ** 18n), max: 10n ** 20n }),
    ticks,
  }),
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('swap' as const),
      pool: fc.constantFrom(...V2_POOLS),
      amounts: signed,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('swap' as const),
      pool: fc.constantFrom(...V3_POOLS, ...V4_POOLS),
      amounts: signed,
      sqrtPriceX96: price,
      liquidity,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('transfer' as const),
      token: fc.constantFrom(STOCK, GARNET),
      from: party,
      to: party,
      amount,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      aggregator: fc.constantFrom(AGGREGATOR, DOLLAR_AGGREGATOR),
      current: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    }),
  },
  fc.record({
    kind: fc.constant('announce' as const),
    token: fc.constant(STOCK),
    old: fc.constant(E18),
    multiplier: fc.bigInt({ min: E18 / 2n, max: 5n * E18 }),
    effectiveAt: fc.integer({ min: START - 60, max: START + 5_000 }),
  }),
);

/** Blocks of which several may be of one time, after a block of another. */
const blocks = (minLength: number, maxLength: number, after: number) =>
  fc
    .array(
      fc.record({
        gap: fc.constantFrom(0, 1, 20, 70, 400),
        happenings: fc.array(happening, { maxLength: 5 }),
        // Blocks in which nothing happens, so that what is there has stood.
        quiet: fc.constantFrom(0, 0, 0, 31),
      }),
      { minLength, maxLength },
    )
    .map((found) => {
      let time = after;
      return found.flatMap(({ gap, happenings, quiet }): TestBlock[] => {
        time += gap;
        const still = Array.from({ length: quiet }, (_, index) => ({
          time: time + 20 * index,
          happenings: [],
        }));
        const block = { time, happenings };
        time += 20 * quiet;
        return [block, ...still];
      });
    });

/** Chains that are there at the same time: one that is derived step by step, and one at once. */
const [STEP_BY_STEP, AT_ONCE] = MADE_CHAINS;

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

/** Begins a chain anew. */
async function newChain(chain: string): Promise<TradingChain> {
  await emptySchema(database, chain);
  const trading = new TradingChain(database.writer, chain);
  await trading.append([BIRTH]);
  await trading.listStock(STOCK);
  for (const token of [STOCK, DOLLAR]) await trading.knowToken(token, 6);
  return trading;
}

const derive = (chain: TradingChain) => chain.derive(QUOTES);

/** What is derived of a chain whose blocks are all there from the start. */
async function derivedAtOnce(chain: readonly TestBlock[]) {
  const fresh = await newChain(AT_ONCE);
  await fresh.append(chain);
  await derive(fresh);
  return dumpDerived(database.writer, fresh.schema);
}

test('the chains of these tests have everything that is derived, and a long one step by step the same', async () => {
  const [sample = []] = fc.sample(blocks(60, 60, START), { numRuns: 1, seed: 2 });
  const dump = await derivedAtOnce(sample);
  for (const rows of Object.values(dump)) expect(rows.length).toBeGreaterThan(0);
  expect(dump.candles?.join('\n')).toContain('"token"');
  expect(dump.token_prices?.join('\n')).toContain('"oracle"');
  expect(dump.dex_swaps?.join('\n')).toContain('token_price');
  expect(dump.dex_pool_states?.join('\n')).toMatch(/"liquidity": [1-9]/);
  const chain = await newChain(STEP_BY_STEP);
  for (let place = 0; place < sample.length; place += 15) {
    await chain.append(sample.slice(place, place + 15));
    await derive(chain);
  }
  expect(await dumpDerived(database.writer, chain.schema)).toEqual(dump);
});

test('the last prices of all tokens are read, of however many', async () => {
  const [sample = []] = fc.sample(blocks(60, 60, START), { numRuns: 1, seed: 2 });
  await derivedAtOnce(sample);
  const chain = connectionTo(database.writer, AT_ONCE);
  const { rows } = await chain.query(
    sql`SELECT DISTINCT encode(token, 'hex') AS token FROM {{schema}}.token_prices`,
  );
  const prices = new Map(rows.map(({ token }) => [`0x${token}`, {}]));
  const market = { prices, told: new Map() } as unknown as Market;
  await readTold(chain, market, { block: sample.length, time: sample.at(-1)?.time ?? START });
  expect(prices.size).toBeGreaterThan(PAGE_ROWS);
  expect(market.told.size).toBe(prices.size);
});

test('blocks that come one by one or in any groups give the same as all at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      blocks(2, 14, START),
      fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 14 }),
      async (all, sizes) => {
        const chain = await newChain(STEP_BY_STEP);
        let place = 0;
        for (const size of [...sizes, all.length]) {
          await chain.append(all.slice(place, place + size));
          place += size;
          await derive(chain);
        }
        expect(await dumpDerived(database.writer, chain.schema)).toEqual(await derivedAtOnce(all));
      },
    ),
    { numRuns: repetitions(10), endOnFailure: true },
  );
});

test('a reorganisation in the middle of a jump that waits leaves what would be derived without it', async () => {
  const [dollars] = V2_POOLS;
  const garnet = V2_POOLS[1];
  if (dollars === undefined || garnet === undefined) throw new Error('no pools');
  const reserves = (price: bigint) => [price * 1_000_000n * E6, 1_000_000n * E18] as const;
  const sync = (pool: TestPool, price: bigint) =>
    ({ kind: 'sync', pool, reserves: reserves(price) }) as const;
  const still = (from: number, blocks: number) =>
    Array.from({ length: blocks }, (_, index) => ({ time: START + from + 20 * index, happenings: [] }));
  const stood: TestBlock[] = [
    { time: START + 1, happenings: [sync(dollars, 3_000n), sync(garnet, 5n)] },
    ...still(20, 100),
  ];
  const jump: TestBlock = { time: START + 2_100, happenings: [sync(garnet, 50n)] };
  const waiting = [...stood, jump, ...still(2_120, 15)];
  const pendingOf = (dump: Readonly<Record<string, readonly string[]>>) =>
    (dump.token_prices ?? []).filter((row) => /"pending_price_usd": [0-9]/.test(row)).length;
  const chain = await newChain(STEP_BY_STEP);
  await chain.append([...waiting, ...still(2_420, 40)]);
  await derive(chain);
  // Block 0 is the birth of the pools.
  for (const kept of [waiting.length, stood.length]) {
    await chain.rollBack(kept);
    const expected = await derivedAtOnce(waiting.slice(0, kept));
    expect(await dumpDerived(database.writer, chain.schema)).toEqual(expected);
    expect(pendingOf(expected)).toBe(kept === waiting.length ? 1 : 0);
  }
  await chain.append(still(2_100, 60));
  await derive(chain);
  expect(await dumpDerived(database.writer, chain.schema)).toEqual(
    await derivedAtOnce([...stood, ...still(2_100, 60)]),
  );
});

test('a reorganisation leaves what would be derived had the old blocks never been', async () => {
  const scenario = blocks(2, 10, START).chain((old) =>
    fc.nat(old.length - 1).chain((kept) =>
      fc.record({
        old: fc.constant(old),
        kept: fc.constant(kept),
        now: blocks(0, 8, old[kept - 1]?.time ?? START),
        derivedBetween: fc.boolean(),
      }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(scenario, async ({ old, kept, now, derivedBetween }) => {
      const chain = await newChain(STEP_BY_STEP);
      await chain.append(old.slice(0, kept));
      if (derivedBetween) await derive(chain);
      await chain.append(old.slice(kept));
      await derive(chain);
      // Block 0 is the birth of the pools.
      await chain.rollBack(kept);
      const rolledBack = await dumpDerived(database.writer, chain.schema);
      expect(rolledBack).toEqual(await derivedAtOnce(old.slice(0, kept)));
      await chain.append(now);
      await derive(chain);
      expect(await dumpDerived(database.writer, chain.schema)).toEqual(
        await derivedAtOnce([...old.slice(0, kept), ...now]),
      );
    }),
    { numRuns: repetitions(10), endOnFailure: true },
  );
});
