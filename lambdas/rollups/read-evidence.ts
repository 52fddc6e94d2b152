import type { Hex } from '../chain-data/decode/raw-block.ts';
import type { BlockRange } from '../chain-data/store/block-range.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { bigintOrNull, type DatabaseRow } from '../shared/chain-database/decode-row.ts';
import { hexList } from '../shared/chain-database/hex.ts';
import { readPages } from '../shared/chain-database/read-pages.ts';
import { sql } from '../shared/chain-database/sql.ts';
import { type BlockTimes, type Moment, STANDING_BLOCKS, STANDING_SECONDS } from './prices/block-times.ts';
import { parseDecimal, shift } from './prices/decimal.ts';
import type { Market } from './prices/market.ts';
import { type Observation, observe, SLOT_SECONDS, windowAt } from './prices/observations.ts';
import { REFERENCE_SECONDS, REFERENCE_SLOT_SECONDS } from './prices/price-tokens.ts';

/** Times that one row of an answer of the RDS Data API has room for. */
const TIMES_PER_ROW = 2_000;

/** Reads the times of the blocks of a step, all of which are stored. */
export async function readTimes(chain: ChainQueries, { from, to }: BlockRange): Promise<BlockTimes> {
  const { rows } = await chain.query(
    sql`SELECT string_agg(extract(epoch FROM time)::bigint::text, ',' ORDER BY number) AS times FROM {{schema}}.blocks
     WHERE number BETWEEN :before AND :to GROUP BY number / ${TIMES_PER_ROW} ORDER BY number / ${TIMES_PER_ROW}`,
    { before: from - 1, to },
  );
  const times = rows.flatMap((row) => String(row.times).split(',').map(Number));
  const [first] = times;
  const hasBefore = times.length > to - from + 1 && first !== undefined;
  return {
    before: hasBefore ? { block: from - 1, time: first } : undefined,
    from,
    times: hasBefore ? times.slice(1) : times,
  };
}

/** Pools that nothing changes from before the step until they have stood, at a block of the step. */
export async function readStandingPools(chain: ChainQueries, times: BlockTimes): Promise<Hex[]> {
  const { before, from, times: all } = times;
  const end = all.at(-1);
  if (before === undefined || end === undefined) return [];
  const settled = windowAt(before);
  const { rows } = await chain.query(
    sql`SELECT DISTINCT encode(pool_id, 'hex') AS pool FROM {{schema}}.dex_pool_states AS state
     WHERE block_number > least(:settled_block, (
         SELECT number FROM {{schema}}.blocks WHERE time <= to_timestamp(:settled_time) ORDER BY time DESC, number DESC LIMIT 1
       )) AND block_number <= :before AND block_number <= :last_block AND block_time <= to_timestamp(:last_time)
       AND pool_id IN (SELECT pool_id FROM {{schema}}.pricing_pools)`,
    {
      settled_block: settled.block,
      settled_time: settled.time,
      before: before.block,
      last_block: from + all.length - 1 - STANDING_BLOCKS,
      last_time: end - STANDING_SECONDS,
    },
  );
  return rows.map(({ pool }) => `0x${pool}` as const);
}

/** Reads what the pools of a market were as far back as evidence reaches. */
export async function readObservations(chain: ChainQueries, market: Market, before: Moment): Promise<void> {
  const pools = hexList([...market.pools.keys()]);
  const first = await firstObserved(chain, before);
  const pages = readPages(
    chain,
    sql`SELECT DISTINCT ON (pool_id, slot) encode(pool_id, 'hex') AS pool, slot, block_number, seconds, amount0::text,
              amount1::text, sqrt_price_x96::text, depth0::text, depth1::text,
              (min(depth0) OVER same_slot)::text AS least0, (min(depth1) OVER same_slot)::text AS least1,
              min(block_number) OVER same_slot AS first_block, min(seconds) OVER same_slot AS first_seconds
       FROM (
         SELECT state.*, extract(epoch FROM block_time)::bigint AS seconds,
                extract(epoch FROM block_time)::bigint / ${SLOT_SECONDS} AS slot
         FROM unnest(:pools::text::text[]) AS wanted (id) CROSS JOIN LATERAL (
           SELECT * FROM {{schema}}.dex_pool_states AS inside
           WHERE inside.pool_id = decode(id, 'hex') AND inside.block_number BETWEEN :first AND :before
           UNION ALL
           (SELECT * FROM {{schema}}.dex_pool_states AS earlier
            WHERE earlier.pool_id = decode(id, 'hex') AND earlier.block_number < :first
            ORDER BY earlier.block_number DESC LIMIT 1)
         ) AS state
       ) AS seen
       WHERE (pool_id, slot) > (decode(:pool, 'hex'), :slot)
       WINDOW same_slot AS (PARTITION BY pool_id, slot)
       ORDER BY pool_id, slot, block_number DESC`,
    { parameters: { pools, first, before: before.block }, start: { pool: '', slot: 0 } },
  );
  for await (const rows of pages) for (const row of rows) addObservation(market, row);
}

/** The first block of the slot of time that evidence reaches back to. */
async function firstObserved(chain: ChainQueries, before: Moment): Promise<number> {
  const start = windowAt(before);
  const { rows } = await chain.query(
    sql`SELECT min(number) AS first FROM {{schema}}.blocks WHERE time >= to_timestamp(${SLOT_SECONDS} * (least(:time, coalesce((
         SELECT extract(epoch FROM time)::bigint FROM {{schema}}.blocks WHERE number = :block
       ), 0)) / ${SLOT_SECONDS}))`,
    { block: start.block, time: start.time },
  );
  return Number(rows[0]?.first ?? 0);
}

function addObservation(market: Market, row: DatabaseRow): void {
  const pool = market.pools.get(`0x${row.pool}`);
  if (pool === undefined) return;
  const { protocol } = pool;
  const [amount0, amount1] = [BigInt(String(row.amount0)), BigInt(String(row.amount1))];
  const sqrtPriceX96 = bigintOrNull(row.sqrt_price_x96);
  const last = { block: Number(row.block_number), time: Number(row.seconds) };
  const depths = [BigInt(String(row.depth0)), BigInt(String(row.depth1))] as const;
  const seen: Observation = {
    ...observe({ protocol, amount0, amount1, sqrtPriceX96 }, last, depths),
    first: { block: Number(row.first_block), time: Number(row.first_seconds) },
    least: [BigInt(String(row.least0)), BigInt(String(row.least1))],
  };
  market.observations.set(pool.id, [...(market.observations.get(pool.id) ?? []), seen]);
}

/** Reads what was said of the tokens that have a price, as far back as jumps are measured. */
export async function readTold(chain: ChainQueries, market: Market, before: Moment): Promise<void> {
  const start =
    Math.floor((before.time - REFERENCE_SECONDS) / REFERENCE_SLOT_SECONDS) * REFERENCE_SLOT_SECONDS;
  const tokens = hexList([...market.prices.keys()]);
  const pages = readPages(
    chain,
    sql`SELECT DISTINCT ON (told.token, slot) encode(told.token, 'hex') AS token, slot, seconds, price_usd::text, decimals
       FROM (
         SELECT price.*, extract(epoch FROM block_time)::bigint AS seconds,
                extract(epoch FROM block_time)::bigint / ${REFERENCE_SLOT_SECONDS} AS slot
         FROM unnest(:tokens::text::text[]) AS wanted (id) CROSS JOIN LATERAL (
           SELECT * FROM {{schema}}.token_prices AS inside
           WHERE inside.token = decode(id, 'hex') AND inside.block_number <= :before AND inside.block_time >= to_timestamp(:start)
             AND inside.block_number >= (SELECT min(number) FROM {{schema}}.blocks WHERE time >= to_timestamp(:start))
           UNION ALL
           (SELECT * FROM {{schema}}.token_prices AS earlier
            WHERE earlier.token = decode(id, 'hex') AND earlier.block_number <= :before AND earlier.block_time < to_timestamp(:start)
            ORDER BY earlier.block_number DESC LIMIT 1)
         ) AS price
       ) AS told JOIN {{schema}}.price_scales AS scale ON scale.token = told.token
       WHERE (told.token, slot) > (decode(:token, 'hex'), :slot)
       ORDER BY told.token, slot, block_number DESC`,
    { parameters: { tokens, start, before: before.block }, start: { token: '', slot: 0 } },
  );
  for await (const rows of pages)
    for (const row of rows) {
      const usd = shift(parseDecimal(String(row.price_usd)), -Number(row.decimals));
      const told = market.told.get(`0x${row.token}`) ?? [];
      market.told.set(`0x${row.token}`, [...told, { time: Number(row.seconds), usd }]);
    }
}
