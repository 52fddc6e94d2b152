import { LOG_BITS, rootAtTick } from './tick-prices.ts';

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
  const price = clamp(sqrtPriceX96, lower, upper);
  return { amount0: firstBetween(liquidity, price, upper), amount1: secondBetween(liquidity, lower, price) };
}

/** What liquidity holds of the first token, in raw units, between two square roots of prices (96 binary places). */
export function firstBetween(liquidity: bigint, lower: bigint, upper: bigint): bigint {
  return ((liquidity << LOG_BITS) * (upper - lower)) / (lower * upper);
}

/** What liquidity holds of the second token, in raw units, between two square roots of prices (96 binary places). */
export function secondBetween(liquidity: bigint, lower: bigint, upper: bigint): bigint {
  return (liquidity * (upper - lower)) / (1n << LOG_BITS);
}

function clamp(value: bigint, lower: bigint, upper: bigint): bigint {
  if (value < lower) return lower;
  return value > upper ? upper : value;
}
