import type { Hex } from '../../chain-data/decode/raw-block.ts';
import { applyEvent } from './apply-event.ts';
import { type BlockTimes, type Moment, standsAt } from './block-times.ts';
import type { Decimal } from './decimal.ts';
import { feedMoments } from './feeds.ts';
import type { Market, MarketEvent, MarketPool, MarketSwap, TokenPrice } from './market.ts';
import { observe, withObservation } from './observations.ts';
import { poolDepth } from './pool-depth.ts';
import { priceTokens } from './price-tokens.ts';
import type { Quotes } from './quotes.ts';
import { isTrade, type TradeValue, valuePool, valueTrade } from './value-trade.ts';

/** A pool at the end of a block. */
export interface PoolStateRow {
  readonly blockNumber: number;
  readonly time: number;
  readonly pool: MarketPool;
  /** In raw units of both tokens. */
  readonly depths: readonly [bigint, bigint];
  /** Undefined where neither token has a price. */
  readonly liquidityUsd: Decimal | undefined;
}

/** A price at the end of a block in which it changed. */
export interface PriceRow {
  readonly blockNumber: number;
  readonly token: Hex;
  readonly price: TokenPrice;
  /** Trades of the block in the pool that the price comes from. */
  readonly sampleTrades: number;
}

/** A trade that has a value. */
export interface ValueRow {
  readonly blockNumber: number;
  readonly logIndex: number;
  readonly tokens: readonly [Hex, Hex];
  readonly value: TradeValue;
}

/** What follows from the events of some blocks. */
export interface DerivedPrices {
  readonly states: PoolStateRow[];
  readonly prices: PriceRow[];
  readonly values: ValueRow[];
}

/**
 * Derives states, prices and values block by block; the market is then that after the last of them. Tokens are priced where
 * their pools change, where they have stood since, and where their oracles speak or fall silent. However the blocks are parted into runs, the result is the same.
 * @param events in the order of the chain, of whole blocks, all of pools of the market
 */
export function derivePrices(
  market: Market,
  quotes: Quotes,
  { events, times }: { readonly events: readonly MarketEvent[]; readonly times: BlockTimes },
): DerivedPrices {
  const blocks = [...Map.groupBy(events, ({ blockNumber }) => blockNumber).values()];
  const standing = standingPools(market, times);
  const speaking = [...feedMoments(market.feeds, times)];
  const derived: DerivedPrices = { states: [], prices: [], values: [] };
  for (let next = blocks.shift(); next !== undefined || standing.length > 0 || speaking.length > 0; ) {
    const [event] = next ?? [];
    const waiting = earlier(standing[0]?.at, speaking[0]?.at);
    const now = earlier(event && { block: event.blockNumber, time: event.time }, waiting);
    if (now === undefined) break;
    const settled: Hex[] = [];
    while (standing[0]?.at.block === now.block) {
      const { pool, since } = standing.shift() ?? {};
      if (pool !== undefined && market.observations.get(pool)?.at(-1)?.last.block === since)
        settled.push(pool);
    }
    const spoken: Hex[] = [];
    while (speaking[0]?.at.block === now.block)
      spoken.push(...speaking.splice(0, 1).map(({ token }) => token));
    const hasEvents = event?.blockNumber === now.block;
    const { states, prices, values } = deriveBlock(market, quotes, {
      now,
      settled,
      spoken,
      events: (hasEvents && next) || [],
    });
    for (const { pool } of states) {
      const at = standsAt(times, now);
      if (at !== undefined) standing.push({ pool: pool.id, since: now.block, at });
    }
    derived.states.push(...states);
    derived.prices.push(...prices);
    derived.values.push(...values);
    if (hasEvents) next = blocks.shift();
  }
  return derived;
}

/** A pool that will have stood since a block, if nothing changes it. */
interface StandingPool {
  readonly pool: Hex;
  readonly since: number;
  readonly at: Moment;
}

/** Pools that have stood at a block of the step since one before it, in the order of these blocks. */
function standingPools({ observations }: Market, times: BlockTimes): StandingPool[] {
  const found = [...observations].flatMap(([pool, seen]) => {
    const last = seen.at(-1)?.last;
    const at = last && standsAt(times, last);
    return last === undefined || at === undefined ? [] : [{ pool, since: last.block, at }];
  });
  return found.sort((one, other) => one.at.block - other.at.block);
}

function earlier(one: Moment | undefined, other: Moment | undefined): Moment | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.block <= other.block ? one : other;
}

/** What happens at a block: events, pools that have stood until it, and tokens whose oracles speak or fall silent. */
interface BlockMatter {
  readonly now: Moment;
  readonly events: readonly MarketEvent[];
  readonly settled: readonly Hex[];
  readonly spoken: readonly Hex[];
}

function deriveBlock(
  market: Market,
  quotes: Quotes,
  { now, events, settled, spoken }: BlockMatter,
): DerivedPrices {
  const { block: blockNumber, time } = now;
  for (const event of events) market.pools.set(event.poolId, applyEvent(poolOf(market, event), event));
  const changed = [...new Set(events.map(({ poolId }) => poolId))].map((id) =>
    poolOf(market, { poolId: id }),
  );
  const states = changed.map((pool) => {
    const depths = [poolDepth(pool, true).depth, poolDepth(pool, false).depth] as const;
    const seen = market.observations.get(pool.id) ?? [];
    market.observations.set(pool.id, withObservation(seen, observe(pool, now, depths)));
    return { pool, depths };
  });
  const moved = [...changed, ...settled.map((poolId) => poolOf(market, { poolId }))];
  const tokens = new Set([...moved.flatMap(({ token0, token1 }) => [token0, token1]), ...spoken]);
  const swaps = events.filter((event): event is MarketSwap => event.kind === 'swap');
  const trades = Map.groupBy(swaps.filter(isTrade), ({ poolId }) => poolId);
  const prices = Array.from(priceTokens(market, quotes, tokens, now), ([token, price]) => {
    const sampleTrades = price.poolId === null ? 0 : (trades.get(price.poolId)?.length ?? 0);
    return { blockNumber, token, price, sampleTrades };
  });
  return {
    prices,
    states: states.map(({ pool, depths }) => {
      return { blockNumber, time, pool, depths, liquidityUsd: valuePool(market, pool, time) };
    }),
    values: swaps.flatMap((swap) => {
      const pool = poolOf(market, swap);
      const value = valueTrade(market, quotes, pool, swap);
      const tokens = [pool.token0, pool.token1] as const;
      return value === undefined ? [] : [{ blockNumber, logIndex: swap.logIndex, tokens, value }];
    }),
  };
}

function poolOf({ pools }: Market, { poolId }: Pick<MarketEvent, 'poolId'>): MarketPool {
  const pool = pools.get(poolId);
  if (pool === undefined) throw new Error('an event of a pool that is not in the market');
  return pool;
}
