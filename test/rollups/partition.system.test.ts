import fc from 'fast-check';
import { NATIVE, toQuotes } from '../../lambdas/rollups/prices/quotes.ts';
import { rootAtTick } from '../../lambdas/rollups/ticks/tick-prices.ts';
import { emptySchema } from '../database/empty-schemas.ts';
import { MADE_CHAINS, type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';
import { repetitions } from '../support/at-length.ts';
import { testAtLength } from '../support/at-length-tests.ts';
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
const DAY = 86_400;
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
const price = fc.bigInt({ min: Q96 / 100n, max: Q96 * 100n });
const signed = fc
  .tuple(amount, amount, fc.boolean())
  .map(([one, other, sells]) => (sells ? ([one, -other] as const) : ([-one, other] as const)));
const liquidity = fc.bigInt({ min: 0n, max: 10n ** 24n });
const ticks = fc.tuple(fc.integer({ min: -2_000, max: -1 }), fc.integer({ min: 0, max: 2_000 }));
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

test('the chains of these tests have everything that is derived', async () => {
  const [sample = []] = fc.sample(blocks(60, 60, START), { numRuns: 1, seed: 7 });
  const dump = await derivedAtOnce(sample);
  for (const rows of Object.values(dump)) expect(rows.length).toBeGreaterThan(0);
  expect(dump.candles?.join('\n')).toContain('"token"');
  expect(dump.token_prices?.join('\n')).toContain('"oracle"');
  expect(dump.dex_swaps?.join('\n')).toContain('token_price');
  expect(dump.dex_pool_states?.join('\n')).toMatch(/"liquidity": [1-9]/);
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

testAtLength('what has no room in one answer of the database is read whole', async () => {
  const noon = START + DAY / 2;
  const tokens = Array.from({ length: 1_200 }, (_, index) => address(0x20_0000 + index));
  const pools = tokens.map((token, index) => pool(0x1000 + index, 'uniswap_v2', token, DOLLAR));
  const positions = V3_POOLS[1];
  if (positions === undefined) throw new Error('no pool with ticks');
  const answer = (block: number) =>
    ({ kind: 'answer', aggregator: AGGREGATOR, current: BigInt(block + 1) * 10n ** 8n }) as const;
  const swap = (tick: number): Happening => {
    const after = { sqrtPriceX96: rootAtTick(tick), tick, liquidity: 10n ** 20n };
    return { kind: 'swap', pool: positions, amounts: [E18, -E18], ...after };
  };
  const mint = (tick: number): Happening => {
    const made = { liquidity: 10n ** 18n, ticks: [-tick, tick] } as const;
    return { kind: 'mint', pool: positions, amounts: [E18, E18], ...made };
  };
  // In each block a quarter of the pools say their reserves; in the first ones positions come whose ticks are of no other.
  const busy = Array.from(
    { length: 28 },
    (_, block): TestBlock => ({
      time: noon + 90 * block,
      happenings: [
        ...pools.slice((block % 4) * 300, ((block % 4) + 1) * 300).map(
          (one, index): Happening => ({
            kind: 'sync',
            pool: one,
            reserves: [1_000n * E18, (10_000n + BigInt(100 * block + index)) * E6],
          }),
        ),
        ...Array.from({ length: block < 7 ? 288 : 0 }, (_, index) => mint(288 * block + index + 1)),
      ],
    }),
  );
  const crossing = [-2_000, 0, 2_000].map((tick, index) => ({
    time: noon + 2_500 + index,
    happenings: [swap(tick)],
  }));
  const quiet = Array.from({ length: 1_010 }, (_, index) => ({
    time: noon + 2_510 + index,
    happenings: [answer(index)],
  }));
  const birth = { time: noon, happenings: pools.map((one) => ({ kind: 'pool', pool: one }) as const) };
  const all: TestBlock[] = [birth, ...busy, ...crossing, ...quiet];
  const chain = await newChain(STEP_BY_STEP);
  for (const [place, block] of [birth, ...busy, ...crossing].entries()) {
    await chain.append([block]);
    if (place > 0) await derive(chain);
  }
  for (let place = 0; place < quiet.length; place += 500) {
    await chain.append(quiet.slice(place, place + 500));
    await derive(chain);
  }
  const dump = await dumpDerived(database.writer, chain.schema);
  expect(dump.dex_pool_states?.length).toBeGreaterThan(8_000);
  expect(dump).toEqual(await derivedAtOnce(all));
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
