import type { Address } from 'viem';
import { ConcentratedPool } from './concentrated-pool.ts';
import { BAND_TICKS } from './market.ts';
import { nearestTick, Q96 } from './tick-price.ts';

const MAX_TICK = 887_272;

/** Ticks between which a position has its liquidity. */
interface Range {
  readonly lower: number;
  readonly upper: number;
}

/** First state of a V3 or V4 pool. */
export interface Opening {
  readonly pool: ConcentratedPool;
  readonly startSqrtPrice: bigint;
  /** Liquidity of the first position, which spans all prices. */
  readonly firstLiquidity: bigint;
  /** The range of a provider: all prices for the issuer, a band around the first price for all others. */
  readonly rangeOf: (provider: Address) => Range;
}

/** Opens a pool at the price that two amounts, in raw units, have to each other. */
export function openPool(options: {
  readonly version: 3 | 4;
  readonly feePips: number;
  readonly tickSpacing: number;
  readonly amount0: bigint;
  readonly amount1: bigint;
  readonly issuer: Address;
}): Opening {
  const { version, feePips, tickSpacing, amount0, amount1, issuer } = options;
  const startTick = nearestTick(Number(amount1) / Number(amount0), tickSpacing);
  const pool = new ConcentratedPool(version, feePips, startTick);
  const widest = Math.floor(MAX_TICK / tickSpacing) * tickSpacing;
  const band = { lower: startTick - BAND_TICKS, upper: startTick + BAND_TICKS };
  return {
    pool,
    startSqrtPrice: pool.sqrtPrice,
    firstLiquidity: (amount1 * Q96) / pool.sqrtPrice,
    rangeOf: (provider) => (provider === issuer ? { lower: -widest, upper: widest } : band),
  };
}
