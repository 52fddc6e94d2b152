import type { Hex } from '../chain-data/decode/raw-block.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { hexDigits } from '../shared/chain-database/hex.ts';
import { loadRows } from '../shared/chain-database/load-rows.ts';
import { readPages } from '../shared/chain-database/read-pages.ts';
import { sql } from '../shared/chain-database/sql.ts';
import type { MarketEvent, MarketPool } from './prices/market.ts';
import { tickAtRoot } from './ticks/tick-prices.ts';

/** Ticks beyond a price that its depth depends on: 2 % are 203 of them. */
const DEPTH_TICKS = 203;

/** Ticks of a pool that are read: those around all its prices. */
interface TickRange {
  readonly pool: Hex;
  readonly low: number;
  readonly high: number;
}

/** What events need to know of the ticks of pools, as they are before them. */
export function tickRanges(pools: Iterable<MarketPool>, events: readonly MarketEvent[]): TickRange[] {
  const ranges = new Map<Hex, readonly [number, number]>();
  const note = (pool: Hex, tick: number | null) => {
    if (tick === null) return;
    const [low, high] = ranges.get(pool) ?? [tick, tick];
    ranges.set(pool, [Math.min(low, tick), Math.max(high, tick)]);
  };
  for (const { id, tick } of pools) note(id, tick);
  for (const event of events)
    if (event.kind === 'swap') note(event.poolId, event.tick);
    else if (event.sqrtPriceX96 !== null) note(event.poolId, tickAtRoot(event.sqrtPriceX96));
  return Array.from(ranges, ([pool, [low, high]]) => ({
    pool,
    low: low - DEPTH_TICKS,
    high: high + DEPTH_TICKS,
  }));
}

/** Reads the ticks of pools with positions in these ranges. */
export async function readTicks(
  chain: ChainQueries,
  ranges: readonly TickRange[],
): Promise<Map<Hex, Map<number, bigint>>> {
  const found = new Map(ranges.map(({ pool }) => [pool, new Map<number, bigint>()]));
  if (ranges.length === 0) return found;
  const column = (of: (range: TickRange) => string | number) => `{${ranges.map(of).join(',')}}`;
  const named = {
    pools: column(({ pool }) => hexDigits(pool)),
    lows: column(({ low }) => low),
    highs: column(({ high }) => high),
  };
  const pages = readPages(
    chain,
    sql`SELECT encode(pool_id, 'hex') AS pool, tick, net::text
     FROM unnest(:pools::text::text[], :lows::text::integer[], :highs::text::integer[]) AS wanted (id, low, high)
     JOIN {{schema}}.dex_pool_ticks ON pool_id = decode(id, 'hex') AND tick BETWEEN low AND high
     WHERE (pool_id, tick) > (decode(:pool, 'hex'), :tick) ORDER BY pool_id, tick`,
    { parameters: named, start: { pool: '', tick: 0 } },
  );
  for await (const rows of pages)
    for (const { pool, tick, net } of rows) found.get(`0x${pool}`)?.set(Number(tick), BigInt(String(net)));
  return found;
}

/** Adds what the mints and burns of blocks change at the ends of their positions. */
export async function addTicks(chain: ChainQueries, events: readonly MarketEvent[]): Promise<void> {
  const sums = new Map<string, { readonly pool: Hex; readonly tick: number; readonly net: bigint }>();
  for (const event of events) {
    if (event.kind === 'swap' || event.liquidityDelta === null) continue;
    const { poolId: pool, tickLower, tickUpper, liquidityDelta } = event;
    for (const [tick, change] of [
      [tickLower, liquidityDelta],
      [tickUpper, -liquidityDelta],
    ] as const) {
      if (tick === null) continue;
      const net = (sums.get(`${pool} ${tick}`)?.net ?? 0n) + change;
      sums.set(`${pool} ${tick}`, { pool, tick, net });
    }
  }
  await loadRows(chain, {
    table: sql`{{schema}}.dex_pool_ticks AS known`,
    columns: { pool_id: 'bytea', tick: 'integer', net: 'numeric' },
    rows: [...sums.values()].map(({ pool, tick, net }) => [pool, tick, net]),
    onConflict: sql`(pool_id, tick) DO UPDATE SET net = known.net + EXCLUDED.net`,
  });
  await chain.query(sql`DELETE FROM {{schema}}.dex_pool_ticks WHERE net = 0`);
}

/** Takes back what the derived blocks above one added. */
export async function rewindTicks(chain: ChainQueries, block: number): Promise<void> {
  await chain.query(
    sql`INSERT INTO {{schema}}.dex_pool_ticks AS known (pool_id, tick, net)
     SELECT pool_id, tick, -sum(net) FROM {{schema}}.dex_liquidity_events
     CROSS JOIN LATERAL (VALUES (tick_lower, liquidity_delta), (tick_upper, -liquidity_delta)) AS ends (tick, net)
     WHERE block_number > :block
       AND block_number <= (SELECT block_number FROM {{schema}}.cursors WHERE name = 'rollups')
       AND net IS NOT NULL AND tick IS NOT NULL AND pool_id IN (SELECT pool_id FROM {{schema}}.pricing_pools)
     GROUP BY pool_id, tick
     ON CONFLICT (pool_id, tick) DO UPDATE SET net = known.net + EXCLUDED.net`,
    { block },
  );
  await chain.query(sql`DELETE FROM {{schema}}.dex_pool_ticks WHERE net = 0`);
}
