import type { Hex } from '../chain-data/decode/raw-block.ts';
import { applyEvent } from './apply-event.ts';
import type { Decimal } from './decimal.ts';
import type { Market, MarketEvent, MarketPool, MarketSwap, TokenPrice } from './market.ts';
import { priceTokens } from './price-tokens.ts';
import type { Quotes } from './quotes.ts';
import { isTrade, type TradeValue, valuePool, valueTrade } from './value-trade.ts';

/** A pool at the end of a block. */
export interface PoolStateRow {
  readonly blockNumber: number;
  readonly pool: MarketPool;
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
  readonly states: readonly PoolStateRow[];
  readonly prices: readonly PriceRow[];
  readonly values: readonly ValueRow[];
}

/**
 * Derives states, prices and values block by block; the market is then that after the last of them. However
 * the blocks are parted into runs, the result is the same.
 * @param events in the order of the chain, of whole blocks, all of pools of the market
 */
export function derivePrices(market: Market, quotes: Quotes, events: readonly MarketEvent[]): DerivedPrices {
  const blocks = Map.groupBy(events, ({ blockNumber }) => blockNumber);
  const derived = [...blocks.values()].map((ofBlock) => deriveBlock(market, quotes, ofBlock));
  return {
    states: derived.flatMap(({ states }) => states),
    prices: derived.flatMap(({ prices }) => prices),
    values: derived.flatMap(({ values }) => values),
  };
}

function deriveBlock(market: Market, quotes: Quotes, events: readonly MarketEvent[]): DerivedPrices {
  const [first] = events;
  if (first === undefined) return { states: [], prices: [], values: [] };
  const { blockNumber, time } = first;
  for (const event of events) market.pools.set(event.poolId, applyEvent(poolOf(market, event), event));
  const changed = [...new Set(events.map(({ poolId }) => poolId))].map((id) =>
    poolOf(market, { poolId: id }),
  );
  const tokens = new Set(changed.flatMap(({ token0, token1 }) => [token0, token1]));
  const swaps = events.filter((event): event is MarketSwap => event.kind === 'swap');
  const trades = Map.groupBy(swaps.filter(isTrade), ({ poolId }) => poolId);
  const prices = Array.from(priceTokens(market, quotes, tokens, time), ([token, price]) => {
    const sampleTrades = price.poolId === null ? 0 : (trades.get(price.poolId)?.length ?? 0);
    return { blockNumber, token, price, sampleTrades };
  });
  return {
    prices,
    states: changed.map((pool) => ({ blockNumber, pool, liquidityUsd: valuePool(market, pool, time) })),
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
