import fc from 'fast-check';
import { applyEvent } from '../../lambdas/rollups/prices/apply-event.ts';
import type { LiquidityChange, MarketPool, MarketSwap } from '../../lambdas/rollups/prices/market.ts';
import { poolDepth } from '../../lambdas/rollups/prices/pool-depth.ts';
import { rootAtTick } from '../../lambdas/rollups/ticks/tick-prices.ts';

const SITE = { blockNumber: 1, logIndex: 0, time: 0, poolId: '0x01' } as const;
const POOL: MarketPool = {
  id: '0x01',
  protocol: 'uniswap_v3',
  token0: '0x02',
  token1: '0x03',
  feePips: 500,
  tickSpacing: 10,
  hooks: null,
  amount0: 0n,
  amount1: 0n,
  sqrtPriceX96: null,
  tick: null,
  liquidity: null,
  ticks: new Map(),
  isWhole: false,
};

interface Position {
  readonly lower: number;
  readonly upper: number;
  readonly liquidity: bigint;
}

const spaced = fc.integer({ min: -30, max: 30 }).map((place) => place * 10);
const position = fc
  .tuple(spaced, fc.integer({ min: 1, max: 20 }), fc.bigInt({ min: 1n, max: 10n ** 20n }))
  .map(([lower, width, liquidity]): Position => ({ lower, upper: lower + width * 10, liquidity }));
const step = fc.oneof(
  fc.record({ kind: fc.constant('mint' as const), position }),
  fc.record({ kind: fc.constant('burn' as const), place: fc.nat(30) }),
  fc.record({
    kind: fc.constant('swap' as const),
    // Ticks of positions too, where the price after a fall is exactly that of the next tick.
    tick: fc.oneof(spaced, fc.integer({ min: -320, max: 320 })),
    falls: fc.boolean(),
  }),
);

const nothing = { amount0: 0n, amount1: 0n, sqrtPriceX96: null };
const E18 = 10n ** 18n;
const none = { tickLower: null, tickUpper: null, liquidityDelta: null, sqrtPriceX96: null };
const change = (
  kind: 'mint' | 'burn' | 'modify',
  { lower, upper, liquidity }: Position,
): LiquidityChange => ({
  ...SITE,
  ...nothing,
  kind,
  tickLower: lower,
  tickUpper: upper,
  liquidityDelta: kind === 'mint' ? liquidity : -liquidity,
});

/** Liquidity of the positions around a tick, as the contract has it. */
const active = (positions: readonly Position[], tick: number) =>
  positions
    .filter(({ lower, upper }) => lower <= tick && tick < upper)
    .reduce((sum, { liquidity }) => sum + liquidity, 0n);

test('active liquidity is that of the positions around the tick, after any mints, burns and swaps', () => {
  fc.assert(
    fc.property(spaced, fc.array(step, { maxLength: 40 }), (first, steps) => {
      let tick = first;
      let positions: readonly Position[] = [];
      let pool = applyEvent(POOL, {
        ...change('modify', { lower: 0, upper: 0, liquidity: 0n }),
        kind: 'initialize',
        sqrtPriceX96: rootAtTick(first),
      });
      for (const one of steps) {
        if (one.kind === 'mint') {
          positions = [...positions, one.position];
          pool = applyEvent(pool, change('mint', one.position));
        } else if (one.kind === 'burn') {
          const gone = positions[one.place];
          if (gone === undefined) continue;
          positions = positions.filter((other) => other !== gone);
          pool = applyEvent(pool, change('burn', gone));
        } else {
          tick = one.falls ? one.tick - 1 : one.tick;
          const swap: MarketSwap = {
            ...SITE,
            ...nothing,
            kind: 'swap',
            feePips: null,
            sqrtPriceX96: rootAtTick(one.tick),
            tick,
            liquidity: active(positions, tick),
          };
          pool = applyEvent(pool, swap);
        }
        expect([pool.tick, pool.liquidity]).toEqual([tick, active(positions, tick)]);
      }
    }),
    { seed: 34, numRuns: 500 },
  );
});

test('active liquidity is not known of a pool whose beginning is not, until a trade tells it', () => {
  const mint = change('mint', { lower: -10, upper: 10, liquidity: 5n });
  expect(applyEvent(POOL, mint).liquidity).toBeNull();
  const swap = { ...SITE, ...nothing, kind: 'swap', feePips: null, tick: 3, liquidity: 7n } as const;
  expect(applyEvent(applyEvent(POOL, swap), mint).liquidity).toBe(12n);
});

test('positions of a pool whose first price is not known hold nothing that is known', () => {
  const pool = { ...POOL, protocol: 'uniswap_v4' } as const;
  const after = applyEvent(pool, change('modify', { lower: -10, upper: 10, liquidity: -E18 }));
  expect(after).toMatchObject({ amount0: 0n, amount1: 0n, liquidity: null });
  const traded = {
    ...after,
    amount0: E18,
    amount1: E18,
    sqrtPriceX96: rootAtTick(0),
    tick: 0,
    liquidity: E18,
  };
  expect(poolDepth(traded, false).depth).toBe(0n);
  expect(poolDepth({ ...traded, isWhole: true }, false).depth).toBeGreaterThan(0n);
});

test('a pair has the reserves that it says, whatever is minted and burnt', () => {
  const pair = { ...POOL, protocol: 'uniswap_v2' } as const;
  const said = applyEvent(pair, { ...SITE, ...none, kind: 'sync', amount0: 7n, amount1: 8n });
  for (const kind of ['mint', 'burn'] as const)
    expect(applyEvent(said, { ...SITE, ...none, kind, amount0: 5n, amount1: 5n })).toEqual(said);
});

test('depth is what all positions hold within 2 % of the price, on the side with less', () => {
  const near = fc
    .tuple(
      fc.integer({ min: -40, max: 40 }),
      fc.integer({ min: 1, max: 60 }),
      fc.bigInt({ min: 1n, max: 10n ** 20n }),
    )
    .map(
      ([lower, width, liquidity]): Position => ({
        lower: lower * 10,
        upper: (lower + width) * 10,
        liquidity,
      }),
    );
  fc.assert(
    fc.property(fc.integer({ min: -300, max: 300 }), fc.array(near, { maxLength: 8 }), (tick, positions) => {
      const price = rootAtTick(tick);
      const begun = applyEvent(
        { ...POOL, amount0: 10n ** 40n, amount1: 10n ** 40n },
        {
          ...change('modify', { lower: 0, upper: 0, liquidity: 0n }),
          kind: 'initialize',
          sqrtPriceX96: price,
        },
      );
      const pool = positions.reduce((before, one) => applyEvent(before, change('mint', one)), begun);
      const held = (from: bigint, to: bigint) =>
        positions.reduce((sum, { lower, upper, liquidity }) => {
          const [low, high] = [rootAtTick(lower), rootAtTick(upper)];
          const [start, end] = [low > from ? low : from, high < to ? high : to];
          return end > start ? sum + (liquidity * (end - start)) / 2n ** 96n : sum;
        }, 0n);
      const [low, high] = [
        (price * 989_949_493_661n) / 10n ** 12n,
        (price * 1_009_950_493_836n) / 10n ** 12n,
      ];
      const [below, above] = [held(low, price), held(price, high)];
      const expected = pool.liquidity === 0n ? 0n : below < above ? below : above;
      const difference = poolDepth(pool, false).depth - expected;
      expect(difference < 50n && difference > -50n).toBe(true);
    }),
    { seed: 35, numRuns: 500 },
  );
});
