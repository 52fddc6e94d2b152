import { EXCHANGES } from '../chain-data/decode/exchanges.ts';
import type { MarketPool } from './market.ts';
import { firstBetween, secondBetween } from './ticks/position-amounts.ts';
import { LOG_BITS, rootAtTick } from './ticks/tick-prices.ts';

/** Scale of the factors below. */
const ONE = 10n ** 12n;
/** Square roots of 1.02 and 0.98: a trade that moves the price that far is what the depth of a pool is measured by. */
const RISE = 1_009_950_493_836n;
const FALL = 989_949_493_661n;
/** Millionths: a trade that pays a higher fee never gets a price within these 2 %. */
const MAX_FEE_PIPS = 20_000;
/** Flags in the address of a V4 hook: it is called before or after a swap, and can refuse it or change its amounts. */
const SWAP_FLAGS = 0b1100_0000n;

/** What stands behind a pool's price, in raw units of one of its tokens. */
interface PoolDepth {
  /**
   * What a trade moves the price by 2 % with, up or down, whichever takes less. Liquidity in ranges is known up to the
   * ends of the current tick spacing, so nothing beyond them counts.
   */
  readonly depth: bigint;
  /**
   * The same wherever in its spacing the price is: half of both directions. What stands on the side of the token may be asks
   * that nobody ever takes, so it only counts for a pool that is known for its depth.
   */
  readonly standing: bigint;
  /** What the pool holds of the token; no more than the active liquidity would hold of it if it reached over all prices. */
  readonly liquidity: bigint;
}

const NOTHING: PoolDepth = { depth: 0n, standing: 0n, liquidity: 0n };

/**
 * How deep a pool is in its first or second token. A pool that nobody can trade in has no depth: one without active
 * liquidity, or where it is not known, with a fee above 2 %, or with a hook that swaps depend on.
 */
export function poolDepth(pool: MarketPool, inFirst: boolean): PoolDepth {
  const reserve = inFirst ? pool.amount0 : pool.amount1;
  if (reserve <= 0n || !isOpen(pool)) return NOTHING;
  if (EXCHANGES[pool.protocol].pricing === 'reserves') {
    const depth = (reserve * (RISE - ONE)) / ONE;
    return { depth, standing: depth, liquidity: reserve };
  }
  const { sqrtPriceX96: price, tick, tickSpacing, liquidity } = pool;
  if (price === null || price <= 0n || tick === null || liquidity === null || liquidity <= 0n) return NOTHING;
  if (tickSpacing === null || tickSpacing <= 0) return NOTHING;
  const lower = Math.floor(tick / tickSpacing) * tickSpacing;
  const [low, high] = inFirst
    ? [(price * ONE) / RISE, (price * ONE) / FALL]
    : [(price * FALL) / ONE, (price * RISE) / ONE];
  const between = inFirst ? firstBetween : secondBetween;
  const below = between(liquidity, larger(low, rootAtTick(lower)), price);
  const above = between(liquidity, price, smaller(high, rootAtTick(lower + tickSpacing)));
  const everywhere = inFirst ? (liquidity << LOG_BITS) / price : (liquidity * price) >> LOG_BITS;
  return {
    depth: larger(smaller(smaller(below, above), reserve), 0n),
    standing: larger(smaller((below + above) / 2n, reserve), 0n),
    liquidity: smaller(reserve, everywhere),
  };
}

function isOpen({ feePips, hooks }: MarketPool): boolean {
  return feePips !== null && feePips <= MAX_FEE_PIPS && (BigInt(hooks ?? 0) & SWAP_FLAGS) === 0n;
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
