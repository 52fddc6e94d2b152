import fc from 'fast-check';
import { positionAmounts } from '../../../lambdas/rollups/ticks/position-amounts.ts';

const Q96 = 2n ** 96n;
const MAX_TICK = 887_272;
const E18 = 10n ** 18n;

/** Square root of the price at a tick with 96 binary places, in floating point. */
const rootAt = (tick: number) => BigInt(Math.round(1.0001 ** (tick / 2) * 2 ** 53)) * 2n ** 43n;

test('a position around a price of one holds the same of both tokens', () => {
  // L * (1 - 1 / 1.0001^5) and L * (1.0001^5 - 1) / 1.0001^5
  const { amount0, amount1 } = positionAmounts(10n ** 9n * E18, { tickLower: -10, tickUpper: 10 }, Q96);
  expect(amount0).toBe(amount1);
  expect(Number(amount0) / Number(E18)).toBeCloseTo(10 ** 9 * (1 - 1.0001 ** -5), 6);
});

test('below its range a position holds the first token alone, above it the second', () => {
  const range = { tickLower: 100, tickUpper: 200 };
  expect(positionAmounts(E18, range, rootAt(50)).amount1).toBe(0n);
  expect(positionAmounts(E18, range, rootAt(250)).amount0).toBe(0n);
  const all = positionAmounts(E18, range, rootAt(250)).amount1;
  expect(Number(all) / Number(E18)).toBeCloseTo(1.0001 ** 100 - 1.0001 ** 50, 12);
});

test('what is taken out is what was put in, and more liquidity holds more', () => {
  const ticks = fc
    .tuple(fc.integer({ min: -MAX_TICK, max: MAX_TICK - 1 }), fc.integer({ min: 1, max: 50_000 }))
    .map(([tickLower, width]) => ({ tickLower, tickUpper: Math.min(MAX_TICK, tickLower + width) }));
  const liquidity = fc.bigInt({ min: 1n, max: 2n ** 127n });
  const price = fc.integer({ min: -300_000, max: 300_000 }).map(rootAt);
  fc.assert(
    fc.property(ticks, liquidity, liquidity, price, (range, one, more, root) => {
      const held = positionAmounts(one, range, root);
      const taken = positionAmounts(-one, range, root);
      expect(taken).toEqual({ amount0: -held.amount0, amount1: -held.amount1 });
      const both = positionAmounts(one + more, range, root);
      expect(both.amount0 >= held.amount0 && both.amount1 >= held.amount1).toBe(true);
    }),
  );
});
