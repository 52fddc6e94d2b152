import type { BlockRange } from '../chain-data/store/block-range.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { bigintOrNull, type DatabaseRow, numberOrNull } from '../shared/chain-database/decode-row.ts';
import { readPages } from '../shared/chain-database/read-pages.ts';
import { sql } from '../shared/chain-database/sql.ts';
import type { LiquidityChange, MarketEvent } from './prices/market.ts';

/** A step is cut to fewer blocks as soon as it has that many events. */
const MAX_EVENTS = 6_000;

/** The events of blocks that follow each other. */
interface EventPage {
  readonly events: readonly MarketEvent[];
  /** The last block that is complete. */
  readonly to: number;
}

/**
 * Reads the events of a range in the order of the chain, of its first block at least, and no more than a step
 * can hold. What happens in pools that price nothing is left out.
 */
export async function readEvents(chain: ChainQueries, range: BlockRange): Promise<EventPage> {
  const events: MarketEvent[] = [];
  const pages = readPages(
    chain,
    sql`SELECT 'swap' AS kind, block_number AS block, log_index AS log, extract(epoch FROM block_time)::bigint AS time,
            encode(pool_id, 'hex') AS pool_id, amount0::text, amount1::text, sqrt_price_x96::text, fee_pips, tick, liquidity::text,
            NULL::integer AS tick_lower, NULL::integer AS tick_upper, NULL::text AS liquidity_delta
     FROM {{schema}}.dex_swaps
     WHERE block_number BETWEEN :from AND :to AND (block_number, log_index) > (:block, :log)
       AND pool_id IN (SELECT pool_id FROM {{schema}}.pricing_pools)
     UNION ALL
     SELECT kind, block_number, log_index, extract(epoch FROM block_time)::bigint, encode(pool_id, 'hex'),
            amount0::text, amount1::text, sqrt_price_x96::text, NULL, NULL, NULL, tick_lower, tick_upper,
              liquidity_delta::text
     FROM {{schema}}.dex_liquidity_events
     WHERE block_number BETWEEN :from AND :to AND (block_number, log_index) > (:block, :log)
       AND kind NOT IN ('collect', 'donate') AND pool_id IN (SELECT pool_id FROM {{schema}}.pricing_pools)
     ORDER BY block, log`,
    { parameters: { ...range }, start: { block: range.from, log: -1 } },
  );
  for await (const rows of pages) {
    events.push(...rows.map(toEvent));
    const newest = events.at(-1)?.blockNumber ?? range.to;
    if (events.length >= MAX_EVENTS && newest > (events[0]?.blockNumber ?? newest))
      return { events: events.filter(({ blockNumber }) => blockNumber < newest), to: newest - 1 };
  }
  return { events, to: range.to };
}

function toEvent(row: DatabaseRow): MarketEvent {
  const site = {
    blockNumber: Number(row.block),
    logIndex: Number(row.log),
    time: Number(row.time),
    poolId: `0x${row.pool_id}`,
    sqrtPriceX96: bigintOrNull(row.sqrt_price_x96),
  } as const;
  if (row.kind === 'swap') {
    const amounts = { amount0: BigInt(String(row.amount0)), amount1: BigInt(String(row.amount1)) };
    const after = { tick: numberOrNull(row.tick), liquidity: bigintOrNull(row.liquidity) };
    return { ...site, ...amounts, ...after, kind: 'swap', feePips: numberOrNull(row.fee_pips) };
  }
  return {
    ...site,
    kind: row.kind as LiquidityChange['kind'],
    amount0: bigintOrNull(row.amount0) ?? 0n,
    amount1: bigintOrNull(row.amount1) ?? 0n,
    tickLower: numberOrNull(row.tick_lower),
    tickUpper: numberOrNull(row.tick_upper),
    liquidityDelta: bigintOrNull(row.liquidity_delta),
  };
}
