import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { type Sql, sql } from '../../shared/chain-database/sql.ts';

/**
 * Marks the announced multipliers of tokens that announced one in a range: one is superseded if the next was announced
 * before it took effect.
 */
export const MARK_SUPERSEDED: Sql = sql`UPDATE {{schema}}.stock_multipliers AS change
     SET superseded = ordered.superseded
     FROM (
       SELECT token, block_number, log_index,
              coalesce(lead(block_time) OVER (PARTITION BY token ORDER BY block_number, log_index) <= effective_at,
                       false) AS superseded
       FROM {{schema}}.stock_multipliers
       WHERE token IN (SELECT token FROM {{schema}}.stock_multipliers WHERE block_number BETWEEN :from AND :to)
     ) AS ordered
     WHERE change.token = ordered.token AND change.block_number = ordered.block_number
       AND change.log_index = ordered.log_index AND change.superseded <> ordered.superseded`;

/** Corrects the first multipliers of stocks, which make no event: the first announcement says what it replaced. */
function seedMultipliers(which: Sql): Sql {
  return sql`UPDATE {{schema}}.stock_tokens AS stock SET initial_multiplier = first.old_multiplier
     FROM (
       SELECT DISTINCT ON (token) token, old_multiplier FROM {{schema}}.stock_multipliers ${which}
       ORDER BY token, block_number, log_index
     ) AS first
     WHERE first.token = stock.token AND stock.initial_multiplier <> first.old_multiplier`;
}

/** The same of all stocks, and of those that announced one in a range. */
export const SEED_MULTIPLIERS = seedMultipliers(sql``);
export const SEED_STORED_MULTIPLIERS = seedMultipliers(
  sql`WHERE token IN (SELECT token FROM {{schema}}.stock_multipliers WHERE block_number BETWEEN :from AND :to)`,
);

/** Takes back what was announced above a block, and what that superseded. */
export async function rewindMultipliers(chain: ChainQueries, block: number): Promise<void> {
  await chain.query(
    sql`WITH gone AS (DELETE FROM {{schema}}.stock_multipliers WHERE block_number > :block RETURNING token),
          last AS (
            SELECT DISTINCT ON (token) token, block_number, log_index FROM {{schema}}.stock_multipliers
            WHERE block_number <= :block AND token IN (SELECT token FROM gone)
            ORDER BY token, block_number DESC, log_index DESC
          )
     UPDATE {{schema}}.stock_multipliers AS change SET superseded = false FROM last
     WHERE change.token = last.token AND change.block_number = last.block_number
       AND change.log_index = last.log_index`,
    { block },
  );
}
