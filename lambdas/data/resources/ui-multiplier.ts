import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';
import { digits } from '../plan/sql-text.ts';

/** The ERC-8056 contract scales raw amounts by this. */
const ONE = '1000000000000000000';

/** A place in the order of the chain, as SQL. */
export interface MultiplierPosition {
  /** Time of the block. */
  readonly time: string;
  readonly block: string;
  /** @default behind the last log of the block */
  readonly log?: string;
}

const BEHIND_ALL_LOGS = '2147483647';

/**
 * Joins the multiplier of a tokenised stock that its contract held at a place of the chain; `ui.multiplier` is null for
 * other tokens. `announced` is the last announcement before the place. If its time has not come, the former one is in
 * force that was not superseded.
 * @param token SQL of the token
 */
export function joinMultiplier(
  schema: ChainSchema,
  token: string,
  { time, block, log = BEHIND_ALL_LOGS }: MultiplierPosition,
): string {
  return `LEFT JOIN ${schema}.stock_tokens AS stock ON stock.token = ${token}
    LEFT JOIN LATERAL (
      SELECT block_number, log_index, new_multiplier, effective_at FROM ${schema}.stock_multipliers AS change
      WHERE stock.token IS NOT NULL AND change.token = stock.token
        AND (change.block_number, change.log_index) < (${block}, ${log})
      ORDER BY change.block_number DESC, change.log_index DESC LIMIT 1
    ) AS announced ON true
    LEFT JOIN LATERAL (
      SELECT CASE WHEN stock.token IS NULL THEN NULL WHEN announced.effective_at <= ${time} THEN announced.new_multiplier ELSE coalesce((
        SELECT new_multiplier FROM ${schema}.stock_multipliers AS former
        WHERE former.token = stock.token AND NOT former.superseded
          AND (former.block_number, former.log_index) < (announced.block_number, announced.log_index)
        ORDER BY former.block_number DESC, former.log_index DESC LIMIT 1
      ), stock.initial_multiplier) END AS multiplier
    ) AS ui ON true`;
}

/** The two fields with an amount in shares and its multiplier, null where the token is no stock. */
export function uiColumns(amount: string): string {
  return `${uiAmount(amount)} AS ui_amount, ${digits('ui.multiplier')} AS ui_multiplier`;
}

/** An amount in shares, cut off as the contract does. */
export function uiAmount(amount: string): string {
  return `div(${amount} * ui.multiplier, ${ONE})::text`;
}
