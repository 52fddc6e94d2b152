import fc from 'fast-check';
import { rootAtTick, tickAtRoot } from '../../../lambdas/rollups/ticks/tick-prices.ts';

const MAX_TICK = 887_272;
const Q96 = 2n ** 96n;

test('square roots of prices are those of the contracts, to the last digit', () => {
  expect(rootAtTick(0)).toBe(Q96);
  // The bounds that the contracts name: MIN_SQRT_RATIO and MAX_SQRT_RATIO.
  expect(rootAtTick(-MAX_TICK)).toBe(4_295_128_739n);
  expect(rootAtTick(MAX_TICK)).toBe(1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n);
  expect(rootAtTick(MAX_TICK + 60)).toBe(rootAtTick(MAX_TICK));
});

test('a price belongs to the tick that it has reached, and the one just below it to the tick before', () => {
  fc.assert(
    fc.property(fc.integer({ min: -MAX_TICK + 1, max: MAX_TICK }), (tick) => {
      const root = rootAtTick(tick);
      expect(tickAtRoot(root)).toBe(tick);
      expect(tickAtRoot(root - 1n)).toBe(tick - 1);
    }),
    { seed: 96, numRuns: 300 },
  );
});
