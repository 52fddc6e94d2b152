import { EXCHANGES } from '../chain-data/decode/exchanges.ts';
import type { Hex } from '../chain-data/decode/raw-block.ts';
import { compare, type Decimal, decimal, multiply, ratio, ZERO } from './decimal.ts';
import type { Market, MarketPool, PriceMethod, TokenPrice } from './market.ts';
import { poolDepth } from './pool-depth.ts';
import { isQuote, type Quotes } from './quotes.ts';

/** A pool with less liquidity in its quoted token, in USD, makes no price. */
const MIN_QUOTE_USD: Decimal = decimal(50n);
/** A price that is older prices nothing else. */
const MAX_PRICE_AGE_SECONDS = 24 * 60 * 60;
/** Both sides of the square of a square root with 96 binary places. */
const SQUARE_BITS = 192n;

/** The price of a token that may be used at a time in seconds since the epoch. */
export function priceAt({ prices }: Market, token: Hex, time: number): TokenPrice | undefined {
  const price = prices.get(token);
  if (price === undefined || price.method === 'peg') return price;
  if (compare(price.liquidityUsd ?? ZERO, ZERO) === 0) return undefined;
  return time - price.time <= MAX_PRICE_AGE_SECONDS ? price : undefined;
}

/**
 * Prices tokens at the end of a block whose events the market's pools have seen. Stable tokens have their
 * peg, the native token the price of its deepest pool against one of them, every other token that of its
 * deepest pool against either; a pool counts by the USD value of its depth. A price whose pool has lost
 * its liquidity stays as it was, with a depth of 0, and is not used any more.
 * @param tokens those whose pools the block changed
 * @returns the prices that are other than before, which the market then has
 */
export function priceTokens(
  market: Market,
  quotes: Quotes,
  tokens: ReadonlySet<Hex>,
  time: number,
): Map<Hex, TokenPrice> {
  const changed = new Map<Hex, TokenPrice>();
  const set = (token: Hex, price: TokenPrice | undefined) => {
    if (price === undefined || isSame(market.prices.get(token), price)) return;
    market.prices.set(token, price);
    changed.set(token, price);
  };
  for (const [token, usd] of quotes.pegs)
    if (tokens.has(token))
      set(token, { usd, method: 'peg', poolId: null, liquidityUsd: null, depthUsd: null, time });
  const natives = [...quotes.natives].filter((token) => tokens.has(token));
  if (natives.length > 0) {
    const price = bestPrice(market, quotes.natives, (token) => quotes.pegs.has(token), time);
    for (const token of natives) set(token, price);
    // Every form of the native token costs the same: pools of one form can price in the other.
    if (price !== undefined) for (const token of quotes.natives) set(token, price);
  }
  for (const token of tokens)
    if (!isQuote(quotes, token))
      set(
        token,
        bestPrice(market, new Set([token]), (other) => isQuote(quotes, other), time),
      );
  return changed;
}

function bestPrice(
  market: Market,
  tokens: ReadonlySet<Hex>,
  quotes: (token: Hex) => boolean,
  time: number,
): TokenPrice | undefined {
  const [token] = tokens;
  const last = token === undefined ? undefined : market.prices.get(token);
  let best: PoolPrice | undefined;
  let isGone = false;
  for (const pool of market.pools.values()) {
    const found = poolPrice(market, pool, { tokens, quotes }, time);
    if (found === undefined) continue;
    const isThin = compare(found.price.liquidityUsd, MIN_QUOTE_USD) < 0;
    if (isThin && pool.id === last?.poolId) isGone = true;
    if (isThin || compare(found.weight, ZERO) <= 0) continue;
    if (best === undefined || isDeeper(found, best)) best = found;
  }
  if (best !== undefined || last === undefined || !isGone) return best?.price;
  return { ...last, liquidityUsd: ZERO, depthUsd: ZERO, time };
}

/** The price of a pool, and the depth in USD that it counts by. */
interface PoolPrice {
  readonly price: TokenPrice & { readonly liquidityUsd: Decimal };
  readonly weight: Decimal;
}

/** Whose price is looked for, against which tokens. */
interface Wanted {
  readonly tokens: ReadonlySet<Hex>;
  readonly quotes: (token: Hex) => boolean;
}

/** What a pool says that one of these tokens costs; undefined if it says nothing. */
function poolPrice(
  market: Market,
  pool: MarketPool,
  { tokens, quotes }: Wanted,
  time: number,
): PoolPrice | undefined {
  const isFirst = tokens.has(pool.token0) && quotes(pool.token1);
  if (!isFirst && !(tokens.has(pool.token1) && quotes(pool.token0))) return undefined;
  const quoteToken = isFirst ? pool.token1 : pool.token0;
  const quote = priceAt(market, quoteToken, time);
  const rate = quotePerUnit(pool, isFirst);
  if (quote === undefined || rate === undefined) return undefined;
  const inUsd = (amount: bigint) => multiply(decimal(amount), quote.usd);
  const { depth, liquidity } = poolDepth(pool, !isFirst);
  const method: PriceMethod = quote.method === 'peg' ? 'stable_pool' : 'native_pool';
  const behind = { liquidityUsd: inUsd(liquidity), depthUsd: inUsd(depth) };
  return {
    price: { usd: multiply(rate, quote.usd), method, poolId: pool.id, ...behind, time },
    weight: behind.depthUsd,
  };
}

/** Raw units of the other token for one raw unit of the first or the second; undefined without a price. */
function quotePerUnit(pool: MarketPool, ofFirst: boolean): Decimal | undefined {
  const [one, other] =
    EXCHANGES[pool.protocol].pricing === 'reserves'
      ? [pool.amount1, pool.amount0]
      : [(pool.sqrtPriceX96 ?? 0n) ** 2n, 1n << SQUARE_BITS];
  if (one <= 0n || other <= 0n) return undefined;
  return ofFirst ? ratio(one, other) : ratio(other, one);
}

/** Of two that are equally deep, the pool with the lower id counts. */
function isDeeper(one: PoolPrice, other: PoolPrice): boolean {
  const difference = compare(one.weight, other.weight);
  return difference === 0 ? (one.price.poolId ?? '') < (other.price.poolId ?? '') : difference > 0;
}

/** A price that would soon be too old to use is told again. */
function isSame(before: TokenPrice | undefined, price: TokenPrice): boolean {
  if (before === undefined || before.method !== price.method || before.poolId !== price.poolId) return false;
  if (price.method !== 'peg' && price.time - before.time > MAX_PRICE_AGE_SECONDS / 2) return false;
  return [
    [before.usd, price.usd],
    [before.liquidityUsd, price.liquidityUsd],
    [before.depthUsd, price.depthUsd],
  ].every(([one, other]) => (one && other ? compare(one, other) === 0 : one === other));
}
