import { type Sql, sql } from './sql.ts';

/** A place in the order of the chain, as SQL. */
interface MultiplierPosition {
  /** Time of the block. */
  readonly time: Sql;
  readonly block: Sql;
  /** @default behind the last log of the block */
  readonly log?: Sql;
}

const BEHIND_ALL_LOGS = sql`2147483647`;

/**
 * Joins the multiplier of a tokenised stock that its contract held at a place of the chain; `ui.multiplier` is null for
 * other tokens. `announced` is the last announcement before the place. If its time has not come, the former one is in
 * force that was not superseded.
 * @param token SQL of the token
 */
export function joinMultiplier(token: Sql, { time, block, log = BEHIND_ALL_LOGS }: MultiplierPosition): Sql {
  return sql`LEFT JOIN {{schema}}.stock_tokens AS stock ON stock.token = ${token}
    LEFT JOIN LATERAL (
      SELECT block_number, log_index, new_multiplier, effective_at FROM {{schema}}.stock_multipliers AS change
      WHERE stock.token IS NOT NULL AND change.token = stock.token
        AND (change.block_number, change.log_index) < (${block}, ${log})
      ORDER BY change.block_number DESC, change.log_index DESC LIMIT 1
    ) AS announced ON true
    LEFT JOIN LATERAL (
      SELECT CASE WHEN stock.token IS NULL THEN NULL WHEN announced.effective_at <= ${time} THEN announced.new_multiplier ELSE coalesce((
        SELECT new_multiplier FROM {{schema}}.stock_multipliers AS former
        WHERE former.token = stock.token AND NOT former.superseded
          AND (former.block_number, former.log_index) < (announced.block_number, announced.log_index)
        ORDER BY former.block_number DESC, former.log_index DESC LIMIT 1
      ), stock.initial_multiplier) END AS multiplier
    ) AS ui ON true`;
}

/** SQL of an amount in shares at the joined multiplier, which has 18 decimals: cut off as the contract of ERC-8056 does. */
export function inShares(amount: Sql): Sql {
  return sql`div(${amount} * ui.multiplier, 1000000000000000000)`;
}
