import type { Hex } from '../../chain-data/decode/raw-block.ts';
import { type Moment, STANDING_SECONDS } from './block-times.ts';
import {
  decidePrice,
  isOffPeg,
  type PriceBefore,
  type PriceReason,
  partedTokens,
  type Source,
} from './decide-price.ts';
import { compare, type Decimal, decimal, multiply, ZERO } from './decimal.ts';
import { spokenAt } from './feeds.ts';
import type { Market, MarketPool, PriceMethod, TokenPrice, Told } from './market.ts';
import { evidenceOf, medianOf, windowAt } from './observations.ts';
import { poolDepth } from './pool-depth.ts';
import { isQuote, type Quotes } from './quotes.ts';

/** A price that is older prices nothing else. */
const MAX_PRICE_AGE_SECONDS = 24 * 60 * 60;
/** A jump is one from the median of the prices of so many seconds; those of a slot are one. */
export const REFERENCE_SECONDS = 3 * STANDING_SECONDS;
export const REFERENCE_SLOT_SECONDS = 60;

/** The price of a token that may be used at a time in seconds since the epoch. */
export function priceAt({ prices }: Market, token: Hex, time: number): TokenPrice | undefined {
  const price = prices.get(token);
  if (price === undefined || price.method === 'peg') return price;
  if (compare(price.depthUsd ?? ZERO, ZERO) === 0) return undefined;
  return time - price.time <= MAX_PRICE_AGE_SECONDS ? price : undefined;
}

/**
 * Prices tokens at the end of a block whose events the market's pools have seen. What has a fresh oracle costs what that says.
 * Stable tokens have their peg, the native token what is decided from its pools against them, every other token what is decided from its
 * pools against either. A price that no pool has depth behind any more stays as it was, with a depth of 0, and is not used.
 * @param tokens those whose pools the block changed, or whose pools have stood since, or whose oracles spoke or fell silent
 * @returns the prices that are other than before, which the market then has
 */
export function priceTokens(
  market: Market,
  quotes: Quotes,
  tokens: ReadonlySet<Hex>,
  now: Moment,
): Map<Hex, TokenPrice> {
  const changed = new Map<Hex, TokenPrice>();
  const set = (token: Hex, price: TokenPrice | undefined) => {
    if (price === undefined || isSame(market.prices.get(token), price)) return;
    market.prices.set(token, price);
    market.told.set(token, withTold(market.told.get(token) ?? [], { time: now.time, usd: price.usd }));
    changed.set(token, price);
  };
  const setPeg = (token: Hex, usd: Decimal, isParted: boolean) =>
    set(
      token,
      pegPrice(usd, { isParted, isOff: isOffPeg(spokenAt(market.feeds.get(token), now), usd) }, now),
    );
  for (const [token, usd] of quotes.pegs) {
    const { reasons = [] } = market.prices.get(token) ?? {};
    if (tokens.has(token)) setPeg(token, usd, reasons.includes('peg') && !reasons.includes('oracle'));
  }
  const [native] = quotes.natives;
  if (native !== undefined && [...quotes.natives].some((token) => tokens.has(token))) {
    const wanted = { token: native, tokens: quotes.natives, quotes: (token: Hex) => quotes.pegs.has(token) };
    const sources = sourcesOf(market, wanted, now);
    const parted = new Set(partedTokens(sources.map(({ source }) => source)));
    for (const { source } of sources) {
      const peg = quotes.pegs.get(source.quote.token);
      if (peg !== undefined) setPeg(source.quote.token, peg, parted.has(source.quote.token));
    }
    const price = decided(market, wanted, now);
    // Every form of the native token costs the same: pools of one form can price in the other.
    for (const token of quotes.natives) set(token, price);
  }
  for (const token of tokens)
    if (!isQuote(quotes, token))
      set(
        token,
        decided(market, { token, tokens: new Set([token]), quotes: (other) => isQuote(quotes, other) }, now),
      );
  return changed;
}

/** Adds the newest price: one of a slot takes the place of the earlier of the same slot. */
function withTold(told: readonly Told[], added: Told): readonly Told[] {
  const slotOf = ({ time }: Told) => Math.floor(time / REFERENCE_SLOT_SECONDS);
  const previous = told.at(-1);
  const kept = previous !== undefined && slotOf(previous) === slotOf(added) ? told.slice(0, -1) : told;
  const start = added.time - REFERENCE_SECONDS;
  return [...kept.filter((_, index) => (kept[index + 1] ?? added).time > start), added];
}

function pegPrice(
  usd: Decimal,
  { isParted, isOff }: { readonly isParted: boolean; readonly isOff: boolean },
  { block, time }: Moment,
): TokenPrice {
  const holds = !isParted && !isOff;
  return {
    usd,
    method: 'peg',
    poolId: null,
    liquidityUsd: null,
    depthUsd: null,
    costToMoveUsd: null,
    pendingUsd: null,
    confidence: holds ? 'high' : 'low',
    reasons: [...(holds ? [] : ['peg' as const]), ...(isOff ? ['oracle' as const] : [])],
    sources: [],
    time,
    since: { block, time },
  };
}

/** Whose price is looked for, against which tokens. */
interface Wanted {
  readonly token: Hex;
  /** It and its other forms. */
  readonly tokens: ReadonlySet<Hex>;
  readonly quotes: (token: Hex) => boolean;
}

interface FoundSource {
  readonly source: Source;
  readonly method: PriceMethod;
  readonly liquidityUsd: Decimal;
}

function decided(market: Market, wanted: Wanted, now: Moment): TokenPrice | undefined {
  const { token } = wanted;
  const last = market.prices.get(token);
  const found = sourcesOf(market, wanted, now);
  const decision = decidePrice(
    found.map(({ source }) => source),
    last && priceBefore(market.told.get(token) ?? [], last, now),
    spokenAt(market.feeds.get(token), now),
  );
  const since = last?.since ?? now;
  const { time } = now;
  if (market.unsettled.has(token)) return last && withdrawn(last, 'decimals', time);
  if (decision === undefined) {
    if (last === undefined || !found.some(({ source }) => source.poolId === last.poolId)) return undefined;
    return withdrawn(last, 'no_depth', time);
  }
  const { sources, ...price } = decision;
  const main = found.find(({ source }) => source === sources[0]);
  const isSpoken = price.costToMoveUsd === null;
  return {
    ...price,
    method: isSpoken ? 'oracle' : (main?.method ?? 'stable_pool'),
    poolId: main?.source.poolId ?? null,
    liquidityUsd: main?.liquidityUsd ?? ZERO,
    sources: sources.map(({ poolId }) => poolId),
    time,
    since,
  };
}

/** The last price, with nothing behind it: it is used for no value. */
function withdrawn(last: TokenPrice, reason: PriceReason, time: number): TokenPrice {
  const gone = { liquidityUsd: ZERO, depthUsd: ZERO, costToMoveUsd: ZERO, sources: [] };
  return { ...last, ...gone, confidence: 'low', reasons: [reason], pendingUsd: null, time };
}

/** What is known of a price when the next one is decided. */
function priceBefore(told: readonly Told[], last: TokenPrice, now: Moment): PriceBefore {
  const window = windowAt(now);
  if (last.since.time > window.time || last.since.block > window.block)
    return { usd: last.usd, sources: last.sources, reference: undefined };
  const start = now.time - REFERENCE_SECONDS;
  const weighted = told.map(({ time, usd }, index) => {
    const until = told[index + 1]?.time ?? now.time;
    return { value: usd, weight: Math.max(0, until - Math.max(time, start)) };
  });
  const sorted = weighted.sort((one, other) => compare(one.value, other.value));
  return { usd: last.usd, sources: last.sources, reference: medianOf(sorted) ?? last.usd };
}

/** What the pools of a token say, as far as that stood for as long as the token has had a price. */
function sourcesOf(market: Market, { token, tokens, quotes }: Wanted, now: Moment): readonly FoundSource[] {
  const since = market.prices.get(token)?.since ?? now;
  const window = windowAt(now);
  const start = { block: Math.max(window.block, since.block), time: Math.max(window.time, since.time) };
  const found: FoundSource[] = [];
  for (const pool of market.pools.values()) {
    const isFirst = tokens.has(pool.token0) && quotes(pool.token1);
    if (!isFirst && !(tokens.has(pool.token1) && quotes(pool.token0))) continue;
    const source = sourceOf(market, pool, { isFirst, start, now });
    if (source !== undefined) found.push(source);
  }
  return found;
}

function sourceOf(
  market: Market,
  pool: MarketPool,
  { isFirst, start, now }: { readonly isFirst: boolean; readonly start: Moment; readonly now: Moment },
): FoundSource | undefined {
  const token = isFirst ? pool.token1 : pool.token0;
  const quote = priceAt(market, token, now.time);
  const evidence = quote && evidenceOf(market.observations.get(pool.id) ?? [], { isFirst, start, now });
  if (quote === undefined || evidence === undefined) return undefined;
  const inUsd = (amount: bigint) => multiply(decimal(amount), quote.usd);
  const { confidence, reasons } = quote;
  return {
    method: quote.method === 'peg' ? 'stable_pool' : 'native_pool',
    liquidityUsd: inUsd(poolDepth(pool, !isFirst).liquidity),
    source: {
      poolId: pool.id,
      usd: multiply(evidence.median, quote.usd),
      lowest: multiply(evidence.lowest, quote.usd),
      highest: multiply(evidence.highest, quote.usd),
      last: multiply(evidence.last, quote.usd),
      depthUsd: inUsd(evidence.depth),
      quote: { token, confidence, reasons },
    },
  };
}

/** A price that would soon be too old to use is written again. */
function isSame(before: TokenPrice | undefined, price: TokenPrice): boolean {
  if (before === undefined || before.method !== price.method || before.poolId !== price.poolId) return false;
  if (before.confidence !== price.confidence || String(before.reasons) !== String(price.reasons))
    return false;
  if (String(before.sources) !== String(price.sources)) return false;
  if (price.method !== 'peg' && price.time - before.time > MAX_PRICE_AGE_SECONDS / 2) return false;
  return [
    [before.usd, price.usd],
    [before.liquidityUsd, price.liquidityUsd],
    [before.depthUsd, price.depthUsd],
    [before.costToMoveUsd, price.costToMoveUsd],
    [before.pendingUsd, price.pendingUsd],
  ].every(([one, other]) => (one && other ? compare(one, other) === 0 : one === other));
}
