/** Ticks reach as far to either side of zero. */
const MAX_TICK = 887_272;
/** Binary places of a square root of a price in a log, and of those that are computed here. */
const LOG_BITS = 96n;
const ROOT_BITS = 256n;
const ONE = 1n << ROOT_BITS;
/** Square root of 1.0001, the price of one tick. */
const ROOT_OF_TICK = squareRoot((10_001n << (2n * ROOT_BITS)) / 10_000n);

/** Amounts of a pool's two tokens. */
export interface PositionAmounts {
  readonly amount0: bigint;
  readonly amount1: bigint;
}

/**
 * What a position holds, rounded towards zero, in a pool whose price has this square root (96 binary places).
 * @param liquidity negative for one that is taken out
 */
export function positionAmounts(
  liquidity: bigint,
  { tickLower, tickUpper }: { readonly tickLower: number; readonly tickUpper: number },
  sqrtPriceX96: bigint,
): PositionAmounts {
  const [lower, upper] = [rootAtTick(tickLower), rootAtTick(tickUpper)];
  const price = clamp(sqrtPriceX96 << (ROOT_BITS - LOG_BITS), lower, upper);
  return {
    amount0: (liquidity * (upper - price) * ONE) / (price * upper),
    amount1: (liquidity * (price - lower)) / ONE,
  };
}

/** Square root of the price at a tick, with 256 binary places. */
function rootAtTick(tick: number): bigint {
  const bounded = Math.min(Math.abs(tick), MAX_TICK);
  let root = ONE;
  let power = ROOT_OF_TICK;
  for (let rest = bounded; rest > 0; rest >>= 1) {
    if ((rest & 1) === 1) root = (root * power) >> ROOT_BITS;
    power = (power * power) >> ROOT_BITS;
  }
  return tick < 0 ? (ONE * ONE) / root : root;
}

function clamp(value: bigint, lower: bigint, upper: bigint): bigint {
  if (value < lower) return lower;
  return value > upper ? upper : value;
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
