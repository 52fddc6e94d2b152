import { EXCHANGES } from '../../chain-data/decode/exchanges.ts';
import { LOAD_COLUMNS } from '../../chain-data/decode/load-columns.ts';
import { LOCK_COVERAGE } from '../../chain-data/store/coverage.ts';
import { SUMS } from '../../chain-data/store/sums.ts';
import { joinSql, type Sql, sql, sqlName, sqlText } from '../../shared/chain-database/sql.ts';

/** A step that derives rows from those of a partition. */
export interface DerivedTable {
  readonly step: string;
  /**
   * Blocks that one transaction derives: all of the partition, where only rows of the partition's own are written; else so
   * few that rows which the head wants too are held for seconds at most.
   */
  readonly at: 'once' | 'in slices';
  /** What is run for blocks `:from` to `:to`, in one transaction, once. @param partition the first block */
  readonly statements: (partition: number) => readonly Sql[];
}

/** SQL of a part of a partition that is not attached yet, or of its staged rows. */
const part = (name: string, partition: number): Sql => sql`{{schema}}.${sqlName(`${name}_b${partition}`)}`;

const FACTORY_PROTOCOLS = Object.entries(EXCHANGES).filter(([, { emitter }]) => emitter === 'factory');
/** Whether the contract that logged an event is the one that speaks for the pool. */
const IS_OF_POOL: Sql = sql`pool.protocol = event.protocol AND event.emitter = CASE
  WHEN pool.protocol IN (${joinSql([sqlText(''), ...FACTORY_PROTOCOLS.map(([name]) => sqlText(name))], ', ')})
  THEN pool.factory ELSE pool.pool_id END`;
/** What went into the pool was sold; if both tokens did, it is the first. */
const SELLS_0: Sql = sql`(event.amount0 > 0 OR (event.amount0 = 0 AND event.amount1 < 0))`;
/** Columns of a trade that its pool tells. */
const BY_POOL: Readonly<Record<string, Sql>> = {
  token_in: sql`CASE WHEN ${SELLS_0} THEN pool.token0 ELSE pool.token1 END`,
  token_out: sql`CASE WHEN ${SELLS_0} THEN pool.token1 ELSE pool.token0 END`,
  amount_in: sql`greatest(CASE WHEN ${SELLS_0} THEN event.amount0 ELSE event.amount1 END, 0)`,
  amount_out: sql`greatest(CASE WHEN ${SELLS_0} THEN -event.amount1 ELSE -event.amount0 END, 0)`,
  fee_pips: sql`coalesce(event.fee_pips, pool.fee_pips)`,
};

/**
 * Derived before the partition is attached, once the pools of its blocks are stored (`store-pools.ts`). Undone by being run again,
 * as it begins by taking out what it wrote, and with the partition.
 */
export const EVENTS_OF_POOLS: DerivedTable = {
  step: 'events of pools',
  at: 'once',
  statements: (partition) => [
    ...eventsOf(partition, 'dex_swaps', 'staged_swaps'),
    ...eventsOf(partition, 'dex_liquidity_events', 'staged_liquidity'),
    sql`DELETE FROM ${part('staged_used', partition)}`,
    sql`INSERT INTO ${part('staged_used', partition)} (pool_id, protocol, factory)
      SELECT pool_id, pool.protocol, pool.factory FROM {{schema}}.dex_pools AS pool
      WHERE pool_id IN (SELECT pool_id FROM ${part('staged_swaps', partition)}
                        UNION SELECT pool_id FROM ${part('staged_liquidity', partition)})`,
  ],
};

/**
 * Derived once the partition is attached, in this order, from its rows in their tables. Undone as what the other path stores
 * is: by the rewinding of a reorganisation.
 */
export const DERIVED_AFTER: readonly DerivedTable[] = [
  ...(['tokens', 'nfts', 'states of pools'] as const).map(
    (step): DerivedTable => ({
      step,
      at: 'in slices',
      statements: () => SUMS[step].flatMap(({ statements }) => statements),
    }),
  ),
  {
    step: 'multipliers',
    at: 'once',
    statements: (partition) => {
      const columns = joinSql(Object.keys(LOAD_COLUMNS.stock_multipliers).map(sqlName), ', ');
      return [
        sql`INSERT INTO {{schema}}.stock_multipliers (${columns})
          SELECT ${columns} FROM ${part('staged_multipliers', partition)} ON CONFLICT DO NOTHING`,
        LOCK_COVERAGE,
        ...SUMS.multipliers.flatMap(({ statements }) => statements),
      ];
    },
  },
];

function eventsOf(
  partition: number,
  table: 'dex_swaps' | 'dex_liquidity_events',
  staged: string,
): readonly Sql[] {
  const names = Object.keys(LOAD_COLUMNS[table]);
  const values = names.map((name) =>
    table === 'dex_swaps' && name in BY_POOL ? (BY_POOL[name] as Sql) : sql`event.${sqlName(name)}`,
  );
  return [
    sql`DELETE FROM ${part(table, partition)}`,
    sql`INSERT INTO ${part(table, partition)} (${joinSql(names.map(sqlName), ', ')})
      SELECT ${joinSql(values, ', ')} FROM ${part(staged, partition)} AS event
      JOIN {{schema}}.dex_pools AS pool ON pool.pool_id = event.pool_id WHERE ${IS_OF_POOL}`,
  ];
}
