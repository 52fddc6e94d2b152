/** Ticks reach as far to either side of zero. */
const MAX_TICK = 887_272;
/** Binary places of a square root of a price in a log. */
export const LOG_BITS = 96n;
/** Binary places that the contracts compute with, and that the factors below are computed with. */
const CONTRACT_BITS = 128n;
const FINE_BITS = 512n;
/** Square roots of 1 / 1.0001 ^ (2 ^ n), rounded to the nearest as in the contracts. */
const FACTORS = factorsOfTicks();

/**
 * Square root of the price at a tick (96 binary places), with the rounding of Uniswap V3 and V4: a pool whose price is
 * exactly there is inside the ranges that begin at the tick. Ticks beyond the last one count as the last one.
 */
export function rootAtTick(tick: number): bigint {
  const bounded = Math.min(Math.abs(tick), MAX_TICK);
  let root = 1n << CONTRACT_BITS;
  for (const [place, factor] of FACTORS.entries())
    if ((bounded & (1 << place)) !== 0) root = (root * factor) >> CONTRACT_BITS;
  if (tick > 0) root = ((1n << (2n * CONTRACT_BITS)) - 1n) / root;
  const rest = CONTRACT_BITS - LOG_BITS;
  return (root + (1n << rest) - 1n) >> rest;
}

/** The last tick whose price is not above the one with this square root (96 binary places). */
export function tickAtRoot(sqrtPriceX96: bigint): number {
  let [lower, upper] = [-MAX_TICK, MAX_TICK];
  while (lower < upper) {
    const middle = Math.ceil((lower + upper) / 2);
    if (rootAtTick(middle) <= sqrtPriceX96) lower = middle;
    else upper = middle - 1;
  }
  return lower;
}

function factorsOfTicks(): readonly bigint[] {
  const factors: bigint[] = [];
  let fine = squareRoot((10_000n << (2n * FINE_BITS)) / 10_001n);
  for (let places = MAX_TICK; places > 0; places >>= 1) {
    const rest = FINE_BITS - CONTRACT_BITS;
    factors.push((fine + (1n << (rest - 1n))) >> rest);
    fine = (fine * fine) >> FINE_BITS;
  }
  return factors;
}

/** The largest integer whose square is not more, by Newton's method from above. */
function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
