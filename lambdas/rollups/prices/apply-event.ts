import { EXCHANGES } from '../../chain-data/decode/exchanges.ts';
import { type PositionAmounts, positionAmounts } from '../ticks/position-amounts.ts';
import { tickAtRoot } from '../ticks/tick-prices.ts';
import type { LiquidityChange, MarketEvent, MarketPool, MarketSwap } from './market.ts';

const PIPS = 1_000_000n;

/**
 * A pool after one of its events. Reserves are logged after every change; with ticks, what backs the price is summed
 * up from positions and trades, and the fees, which do not, are left out. The active liquidity is 0 at the first price,
 * each trade logs it, and positions around the tick change it.
 */
export function applyEvent(pool: MarketPool, event: MarketEvent): MarketPool {
  const { pricing } = EXCHANGES[pool.protocol];
  if (event.kind === 'swap') return pricing === 'reserves' ? pool : afterSwap(pool, event);
  switch (event.kind) {
    case 'sync':
      return { ...pool, amount0: event.amount0, amount1: event.amount1 };
    case 'initialize':
      return afterFirstPrice(pool, event.sqrtPriceX96);
    case 'mint':
    case 'burn':
      return pricing === 'reserves' ? pool : withPosition(pool, event, loggedAmounts(event));
    case 'modify':
      return withPosition(pool, event, modifiedAmounts(pool, event));
  }
}

function afterFirstPrice(pool: MarketPool, sqrtPriceX96: bigint | null): MarketPool {
  return {
    ...pool,
    sqrtPriceX96,
    tick: sqrtPriceX96 === null ? null : tickAtRoot(sqrtPriceX96),
    liquidity: 0n,
    isWhole: true,
  };
}

function afterSwap(pool: MarketPool, swap: MarketSwap): MarketPool {
  const fee = BigInt(swap.feePips ?? pool.feePips ?? 0);
  const withoutFee = (amount: bigint) => (amount > 0n ? (amount * (PIPS - fee)) / PIPS : amount);
  const moved = { amount0: withoutFee(swap.amount0), amount1: withoutFee(swap.amount1) };
  const { sqrtPriceX96, tick, liquidity } = swap;
  return { ...withAmounts(pool, moved), sqrtPriceX96: sqrtPriceX96 ?? pool.sqrtPriceX96, tick, liquidity };
}

/** A position counts for the active liquidity from its lower tick on, and no more at its upper one. */
function withPosition(
  pool: MarketPool,
  { liquidityDelta, tickLower, tickUpper }: LiquidityChange,
  amounts: PositionAmounts,
): MarketPool {
  const after = withAmounts(pool, amounts);
  if (liquidityDelta === null || tickLower === null || tickUpper === null) return after;
  const { tick, liquidity } = pool;
  const ticks = new Map(pool.ticks);
  ticks.set(tickLower, (ticks.get(tickLower) ?? 0n) + liquidityDelta);
  ticks.set(tickUpper, (ticks.get(tickUpper) ?? 0n) - liquidityDelta);
  if (tick === null || liquidity === null || tick < tickLower || tick >= tickUpper)
    return { ...after, ticks };
  return { ...after, ticks, liquidity: liquidity + liquidityDelta };
}

function loggedAmounts({ kind, amount0, amount1 }: LiquidityChange): PositionAmounts {
  const sign = kind === 'burn' ? -1n : 1n;
  return { amount0: sign * amount0, amount1: sign * amount1 };
}

/** The log of V4 has no amounts: they follow from the price. */
function modifiedAmounts(
  { sqrtPriceX96 }: MarketPool,
  { liquidityDelta, tickLower, tickUpper }: LiquidityChange,
): PositionAmounts {
  if (sqrtPriceX96 === null || liquidityDelta === null || tickLower === null || tickUpper === null)
    return { amount0: 0n, amount1: 0n };
  return positionAmounts(liquidityDelta, { tickLower, tickUpper }, sqrtPriceX96);
}

function withAmounts(pool: MarketPool, { amount0, amount1 }: PositionAmounts): MarketPool {
  return { ...pool, amount0: pool.amount0 + amount0, amount1: pool.amount1 + amount1 };
}
