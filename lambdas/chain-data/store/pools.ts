import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import type { DatabaseRow } from '../../shared/chain-database/decode-row.ts';
import { hexList } from '../../shared/chain-database/hex.ts';
import { joinSql, type Sql, sql, sqlName, sqlText } from '../../shared/chain-database/sql.ts';
import { RESERVE_PROTOCOLS } from '../decode/exchanges.ts';
import { LOAD_COLUMNS } from '../decode/load-columns.ts';
import type { Hex } from '../decode/raw-block.ts';
import type { PoolRow } from '../decode/rows.ts';

/** Pools that one answer of the RDS Data API has room for by far. */
const POOLS_PER_QUERY = 1_000;
/** The protocols whose events tell reserves. Those of all others tell a price and liquidity, each of their swaps both. */
const RESERVES = sql`(${joinSql(RESERVE_PROTOCOLS.map(sqlText), ', ')})`;

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

/** Pools with events in a range. */
const NAMED_IN_RANGE = sql`pool_id IN (
    SELECT pool_id FROM {{schema}}.dex_swaps WHERE block_number BETWEEN :from AND :to
    UNION SELECT pool_id FROM {{schema}}.dex_liquidity_events WHERE block_number BETWEEN :from AND :to)`;

/**
 * Makes pools with events in a range what all of their events up to a block say, in whatever order these were stored. Others
 * that change these pools wait from the first statement on, always in one order: a second statement that itself waited for a
 * pool would set it to what the events were before, as it sees none that was stored meanwhile.
 */
function statesAt(block: Sql): readonly Sql[] {
  const last = (table: 'dex_swaps' | 'dex_liquidity_events', condition: Sql) =>
    sql`SELECT event.* FROM {{schema}}.${sqlName(table)} AS event
      WHERE event.pool_id = named.pool_id AND event.block_number <= ${block} AND ${condition}
      ORDER BY event.block_number DESC, event.log_index DESC LIMIT 1`;
  // A pool is only asked for what its protocol has: what is never there would be looked for in its whole history.
  const sync = last('dex_liquidity_events', sql`named.protocol IN ${RESERVES} AND event.kind = 'sync'`);
  const initial = last(
    'dex_liquidity_events',
    sql`named.protocol NOT IN ${RESERVES} AND event.kind = 'initialize'`,
  );
  return [
    sql`SELECT count(*) AS locked FROM (
      SELECT FROM {{schema}}.dex_pools WHERE ${NAMED_IN_RANGE} ORDER BY pool_id FOR UPDATE) AS pool`,
    sql`UPDATE {{schema}}.dex_pools AS pool
      SET reserve0 = sync.amount0, reserve1 = sync.amount1, tick = swap.tick,
          sqrt_price_x96 = coalesce(swap.sqrt_price_x96, (SELECT sqrt_price_x96 FROM (${initial}) AS initial)),
          liquidity = CASE WHEN swap.liquidity IS NOT NULL
            THEN least(greatest(swap.liquidity + ${liquiditySince(block)}, 0), 2::numeric ^ 128 - 1) END,
          updated_block = greatest(named.created_block, swap.block_number, event.block_number)
      FROM {{schema}}.dex_pools AS named
      LEFT JOIN LATERAL (${last('dex_swaps', sql`true`)}) AS swap ON true
      LEFT JOIN LATERAL (${sync}) AS sync ON true
      LEFT JOIN LATERAL (${last('dex_liquidity_events', sql`true`)}) AS event ON true
      WHERE pool.pool_id = named.pool_id AND named.${NAMED_IN_RANGE}`,
  ];
}

/**
 * SQL of what was added to the liquidity of a concentrated pool since its last swap, which tells it, in ranges around the price.
 * Before its first swap nothing tells where a pool's price is among its ranges.
 */
function liquiditySince(block: Sql): Sql {
  return sql`coalesce((
    SELECT sum(event.liquidity_delta) FROM {{schema}}.dex_liquidity_events AS event
    WHERE event.pool_id = swap.pool_id AND (event.block_number, event.log_index) > (swap.block_number, swap.log_index)
      AND event.tick_lower <= swap.tick AND swap.tick < event.tick_upper AND event.block_number <= ${block}), 0)`;
}

/** Makes pools with events in a range what all of their stored events say. */
export const RESTORE_POOLS = statesAt(sql`${Number.MAX_SAFE_INTEGER}`);

/** Makes pools again what they were below a range whose events are about to be deleted. */
export const REWIND_POOLS: readonly Sql[] = [
  sql`DELETE FROM {{schema}}.dex_pools WHERE created_block BETWEEN :from AND :to`,
  ...statesAt(sql`:from - 1`),
];
