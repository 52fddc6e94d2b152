import type { Hex } from '../../chain-data/decode/raw-block.ts';
import { MAX_VALUE_OF_LIQUIDITY } from '../../shared/chain-database/value-bound.ts';
import { add, compare, type Decimal, decimal, multiply, ZERO } from './decimal.ts';
import type { Market, MarketPool, MarketSwap, TokenPrice } from './market.ts';
import { priceAt } from './price-tokens.ts';
import type { Quotes } from './quotes.ts';

/**
 * Which side of a trade its value was taken from: a stable token, the native one, or another that has a
 * price.
 */
type UsdMethod = 'stable' | 'native' | 'token_price';

/** What a trade was worth. */
export interface TradeValue {
  readonly usd: Decimal;
  readonly method: UsdMethod;
}

const MAX_VALUE = decimal(BigInt(MAX_VALUE_OF_LIQUIDITY));
const RANKS: Readonly<Record<UsdMethod, number>> = { stable: 2, native: 1, token_price: 0 };

/**
 * The value of a trade at the end of its block: that of the side whose price is the best founded. Undefined
 * where neither has a price, or one of them did not move, as in a flash swap.
 */
export function valueTrade(
  market: Market,
  quotes: Quotes,
  pool: MarketPool,
  swap: MarketSwap,
): TradeValue | undefined {
  if (!isTrade(swap)) return undefined;
  const first = sideOf(market, quotes, { token: pool.token0, amount: swap.amount0 }, swap.time);
  const second = sideOf(market, quotes, { token: pool.token1, amount: swap.amount1 }, swap.time);
  const best = second !== undefined && (first === undefined || isBetter(second, first)) ? second : first;
  return best && { usd: best.usd, method: best.method };
}

/** Whether both sides moved something: a flash swap, for one, gives and takes the same token. */
export function isTrade({ amount0, amount1 }: MarketSwap): boolean {
  return amount0 !== 0n && amount1 !== 0n;
}

/** What the amounts of a pool are worth, as far as they have a price; undefined where neither has. */
export function valuePool(market: Market, pool: MarketPool, time: number): Decimal | undefined {
  const value = (token: Hex, amount: bigint) => {
    const price = priceAt(market, token, time);
    return price && worth(amount > 0n ? amount : 0n, price);
  };
  const first = value(pool.token0, pool.amount0);
  const second = value(pool.token1, pool.amount1);
  return first === undefined || second === undefined ? (first ?? second) : add(first, second);
}

interface Side extends TradeValue {
  readonly depthUsd: Decimal;
}

/** What an amount is worth; undefined where it is far more than could ever be paid for it. */
function worth(amount: bigint, { usd, liquidityUsd }: TokenPrice): Decimal | undefined {
  const value = multiply(decimal(amount), usd);
  if (liquidityUsd === null) return value;
  return compare(value, multiply(liquidityUsd, MAX_VALUE)) > 0 ? undefined : value;
}

function sideOf(
  market: Market,
  quotes: Quotes,
  { token, amount }: { readonly token: Hex; readonly amount: bigint },
  time: number,
): Side | undefined {
  const price = priceAt(market, token, time);
  const usd = price && worth(amount < 0n ? -amount : amount, price);
  return usd && { usd, method: methodOf(quotes, token), depthUsd: price.depthUsd ?? ZERO };
}

function methodOf({ pegs, natives }: Quotes, token: Hex): UsdMethod {
  if (pegs.has(token)) return 'stable';
  return natives.has(token) ? 'native' : 'token_price';
}

function isBetter(one: Side, other: Side): boolean {
  const rank = RANKS[one.method] - RANKS[other.method];
  return rank === 0 ? compare(one.depthUsd, other.depthUsd) > 0 : rank > 0;
}
