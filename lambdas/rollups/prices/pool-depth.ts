import { EXCHANGES } from '../../chain-data/decode/exchanges.ts';
import { firstBetween, secondBetween } from '../ticks/position-amounts.ts';
import { LOG_BITS, rootAtTick } from '../ticks/tick-prices.ts';
import type { MarketPool } from './market.ts';

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
  /** What a trade moves the price by 2 % with, up or down, whichever takes less. */
  readonly depth: bigint;
  /** What the pool holds of the token; no more than the active liquidity would hold of it if it reached over all prices. */
  readonly liquidity: bigint;
}

const NOTHING: PoolDepth = { depth: 0n, liquidity: 0n };

/**
 * How deep a pool is in its first or second token. A pool that nobody can trade in has no depth: one without active
 * liquidity, with a fee above 2 %, or with a hook that swaps depend on; nor has one whose positions are not all known.
 */
export function poolDepth(pool: MarketPool, inFirst: boolean): PoolDepth {
  const reserve = inFirst ? pool.amount0 : pool.amount1;
  if (reserve <= 0n || !isOpen(pool)) return NOTHING;
  if (EXCHANGES[pool.protocol].pricing === 'reserves')
    return { depth: (reserve * (RISE - ONE)) / ONE, liquidity: reserve };
  const { sqrtPriceX96: price, tick, liquidity, ticks, isWhole } = pool;
  if (!isWhole || price === null || price <= 0n || tick === null) return NOTHING;
  if (liquidity === null || liquidity <= 0n) return NOTHING;
  const [low, high] = inFirst
    ? [(price * ONE) / RISE, (price * ONE) / FALL]
    : [(price * FALL) / ONE, (price * RISE) / ONE];
  const between = inFirst ? firstBetween : secondBetween;
  let [below, above] = [0n, 0n];
  for (const part of liquidityAround({ price, tick, liquidity, ticks }, low, high)) {
    const amount = between(part.liquidity, part.lower, part.upper);
    if (part.lower < price) below += amount;
    else above += amount;
  }
  const everywhere = inFirst ? (liquidity << LOG_BITS) / price : (liquidity * price) >> LOG_BITS;
  return { depth: smaller(smaller(below, above), reserve), liquidity: smaller(reserve, everywhere) };
}

/** Liquidity between two square roots of prices. */
interface LiquidityPart {
  readonly liquidity: bigint;
  readonly lower: bigint;
  readonly upper: bigint;
}

interface TickedPool {
  readonly price: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
  readonly ticks: ReadonlyMap<number, bigint>;
}

/** What a trade meets from the price down to a lower and up to a higher square root: it changes at each tick with positions. */
function liquidityAround({ price, tick, liquidity, ticks }: TickedPool, low: bigint, high: bigint) {
  const parts: LiquidityPart[] = [];
  const places = [...ticks].sort(([one], [other]) => one - other);
  let [active, upper] = [liquidity, price];
  for (const [at, net] of places.filter(([at]) => at <= tick).reverse()) {
    const lower = larger(low, rootAtTick(at));
    if (lower < upper) parts.push({ liquidity: larger(active, 0n), lower, upper });
    [active, upper] = [active - net, smaller(upper, lower)];
    if (upper <= low) break;
  }
  if (upper > low) parts.push({ liquidity: larger(active, 0n), lower: low, upper });
  let lower = price;
  active = liquidity;
  for (const [at, net] of places.filter(([at]) => at > tick)) {
    upper = smaller(high, rootAtTick(at));
    if (lower < upper) parts.push({ liquidity: larger(active, 0n), lower, upper });
    [active, lower] = [active + net, larger(lower, upper)];
    if (lower >= high) break;
  }
  if (lower < high) parts.push({ liquidity: larger(active, 0n), lower, upper: high });
  return parts;
}

/** A fee that is not known is one of V2, which the exchange sets, or one that a hook sets. */
function isOpen({ protocol, feePips, hooks }: MarketPool): boolean {
  const isCheap = feePips === null ? protocol === 'uniswap_v2' : feePips <= MAX_FEE_PIPS;
  return isCheap && (BigInt(hooks ?? 0) & SWAP_FLAGS) === 0n;
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
