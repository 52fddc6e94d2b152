import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import type { DatabaseRow } from '../../shared/chain-database/decode-row.ts';
import { hexList } from '../../shared/chain-database/hex.ts';
import { type LoadType, runOnRows } from '../../shared/chain-database/load-rows.ts';
import { joinSql, type Sql, sql, sqlName, sqlText } from '../../shared/chain-database/sql.ts';
import { RESERVE_PROTOCOLS } from '../decode/exchanges.ts';
import { LOAD_COLUMNS, valuesOf } from '../decode/load-columns.ts';
import type { PoolState } from '../decode/pool-states.ts';
import type { Hex } from '../decode/raw-block.ts';
import type { PoolRow } from '../decode/rows.ts';

/** Pools that one answer of the RDS Data API has room for by far. */
const POOLS_PER_QUERY = 1_000;
/** The protocols whose events tell reserves. Those of all others tell a price and liquidity, each of their swaps both. */
const RESERVES = sql`(${joinSql(RESERVE_PROTOCOLS.map(sqlText), ', ')})`;

const STATE_COLUMNS = {
  pool_id: 'bytea',
  updated_block: 'bigint',
  reserve0: 'numeric',
  reserve1: 'numeric',
  sqrt_price_x96: 'numeric',
  tick: 'integer',
  liquidity: 'numeric',
} as const satisfies Readonly<Record<keyof PoolState, LoadType>>;

/** SQL of what is loaded of a pool, for {@link toPool}. */
export const POOL_COLUMNS: Sql = joinSql(
  Object.entries(LOAD_COLUMNS.dex_pools).map(([name, type]) => {
    const column = sqlName(name);
    if (type === 'bytea') return sql`encode(${column}, 'hex') AS ${column}`;
    return type === 'timestamptz' ? sql`${column}::text AS ${column}` : column;
  }),
  ', ',
);

export function toPool(row: DatabaseRow): PoolRow {
  const entries = Object.entries(LOAD_COLUMNS.dex_pools).map(([name, type]) => {
    const value = row[name] ?? null;
    if (value === null) return [name, null];
    if (type === 'bytea') return [name, `0x${value}`];
    return [name, type === 'bigint' || type === 'integer' ? Number(value) : value];
  });
  return Object.fromEntries(entries) as PoolRow;
}

/** What is stored of pools, by their ids. */
export async function findPools(chain: ChainQueries, ids: readonly Hex[]): Promise<Map<Hex, PoolRow>> {
  const pools = new Map<Hex, PoolRow>();
  for (let start = 0; start < ids.length; start += POOLS_PER_QUERY) {
    const wanted = ids.slice(start, start + POOLS_PER_QUERY);
    const { rows } = await chain.query(
      sql`SELECT ${POOL_COLUMNS}
       FROM unnest(:wanted::text::text[]) AS wanted (id) JOIN {{schema}}.dex_pools ON pool_id = decode(id, 'hex')`,
      { wanted: hexList(wanted) },
    );
    for (const pool of rows.map(toPool)) pools.set(pool.pool_id, pool);
  }
  return pools;
}

/** Keeps what pools were left as, where nothing newer is known. */
export async function mergePoolStates(chain: ChainQueries, states: readonly PoolState[]): Promise<void> {
  if (states.length === 0) return;
  await runOnRows(
    chain,
    { columns: STATE_COLUMNS, rows: valuesOf(STATE_COLUMNS, states) },
    (rows) => sql`UPDATE {{schema}}.dex_pools AS pool
     SET reserve0 = coalesce(state.reserve0, pool.reserve0), reserve1 = coalesce(state.reserve1, pool.reserve1),
         sqrt_price_x96 = coalesce(state.sqrt_price_x96, pool.sqrt_price_x96),
         tick = coalesce(state.tick, pool.tick), liquidity = coalesce(state.liquidity, pool.liquidity),
         updated_block = state.updated_block
     FROM (${rows}) AS state WHERE pool.pool_id = state.pool_id AND pool.updated_block <= state.updated_block`,
  );
  const ids = states.map(({ pool_id }) => pool_id).sort();
  await chain.query(
    sql`${currentLiquidity(sql`true`)} AND pool.pool_id IN (SELECT decode(id, 'hex') FROM unnest(:ids::text::text[]) AS named (id))`,
    { ids: hexList(ids) },
  );
}

/**
 * Brings the liquidity of concentrated pools up to date: a swap tells it, and what was added or taken since in a range
 * around the price counts as well. Before its first swap nothing tells where a pool's price is among its ranges.
 */
function currentLiquidity(condition: Sql): Sql {
  return sql`UPDATE {{schema}}.dex_pools AS pool
    SET liquidity = least(greatest(swap.liquidity + coalesce((
      SELECT sum(event.liquidity_delta) FROM {{schema}}.dex_liquidity_events AS event
      WHERE event.pool_id = swap.pool_id AND (event.block_number, event.log_index) > (swap.block_number, swap.log_index)
        AND event.tick_lower <= swap.tick AND swap.tick < event.tick_upper AND ${condition}), 0), 0), 2::numeric ^ 128 - 1)
    FROM {{schema}}.dex_pools AS named CROSS JOIN LATERAL (
      SELECT event.* FROM {{schema}}.dex_swaps AS event
      WHERE event.pool_id = named.pool_id AND named.protocol NOT IN ${RESERVES} AND ${condition}
      ORDER BY event.block_number DESC, event.log_index DESC LIMIT 1
    ) AS swap
    WHERE pool.pool_id = named.pool_id`;
}

/** Makes pools again what they were at the end of a block, from the events that are left after it. */
export async function rewindPools(chain: ChainQueries, block: number): Promise<void> {
  await chain.query(sql`DELETE FROM {{schema}}.dex_pools WHERE created_block > :block`, { block });
  const touched = sql`pool.pool_id IN (
    SELECT pool_id FROM {{schema}}.dex_swaps WHERE block_number > :block
    UNION SELECT pool_id FROM {{schema}}.dex_liquidity_events WHERE block_number > :block)`;
  await chain.query(lockPools(touched), { block });
  await chain.query(sql`${statesAt(sql`:block`)} WHERE ${touched}`, { block });
  await chain.query(sql`${currentLiquidity(sql`event.block_number <= :block`)} AND ${touched}`, {
    block,
  });
}

/**
 * Keeps all others that change these pools waiting until the transaction ends, always in one order. A statement that itself
 * waited for the rows of a pool would set it to what the events were before: it sees none that was stored meanwhile.
 */
function lockPools(which: Sql): Sql {
  return sql`SELECT count(*) AS locked FROM (
    SELECT FROM {{schema}}.dex_pools AS pool WHERE ${which} ORDER BY pool.pool_id FOR UPDATE) AS pool`;
}

/** Pools with events in a range. */
const NAMED_IN_RANGE = sql`pool.pool_id IN (
    SELECT pool_id FROM {{schema}}.dex_swaps WHERE block_number BETWEEN :from AND :to
    UNION SELECT pool_id FROM {{schema}}.dex_liquidity_events WHERE block_number BETWEEN :from AND :to)`;

/**
 * Sets pools to what their events up to a block say. A pool is only asked for what its protocol has: what is never there
 * would be looked for in its whole history.
 */
function statesAt(block: Sql): Sql {
  const reserve = sql`pool.protocol IN ${RESERVES} AND event.kind = 'sync'`;
  const initial = sql`pool.protocol NOT IN ${RESERVES} AND event.kind = 'initialize'`;
  const priced = sql`pool.protocol NOT IN ${RESERVES}`;
  const lastOf = (table: string) => (column: string, condition: Sql) =>
    sql`SELECT event.${sqlName(column)} FROM {{schema}}.${sqlName(table)} AS event
    WHERE event.pool_id = pool.pool_id AND event.block_number <= ${block} AND ${condition}
    ORDER BY event.block_number DESC, event.log_index DESC LIMIT 1`;
  const lastSwap = lastOf('dex_swaps');
  const lastEvent = lastOf('dex_liquidity_events');
  return sql`UPDATE {{schema}}.dex_pools AS pool
    SET reserve0 = (${lastEvent('amount0', reserve)}), reserve1 = (${lastEvent('amount1', reserve)}),
        sqrt_price_x96 = coalesce((${lastSwap('sqrt_price_x96', priced)}),
                                  (${lastEvent('sqrt_price_x96', initial)})),
        tick = (${lastSwap('tick', priced)}), liquidity = (${lastSwap('liquidity', priced)}),
        updated_block = greatest(pool.created_block, (${lastSwap('block_number', sql`true`)}),
                                 (${lastEvent('block_number', sql`true`)}))`;
}

/** Makes pools with events in a range what all of their events say, in whatever order these were stored: one after the other. */
export const RESTORE_POOLS: readonly Sql[] = [
  lockPools(NAMED_IN_RANGE),
  sql`${statesAt(sql`${Number.MAX_SAFE_INTEGER}`)} WHERE ${NAMED_IN_RANGE}`,
  sql`${currentLiquidity(sql`true`)} AND ${NAMED_IN_RANGE}`,
];
