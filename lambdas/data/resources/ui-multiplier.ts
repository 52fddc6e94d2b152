import { digits } from '../sql-text.ts';

/** The ERC-8056 contract scales raw amounts by this. */
const ONE = '1000000000000000000';

/**
 * Joins the multiplier of a tokenised stock that is in force at a moment; `ui.multiplier` is null for other tokens. A
 * multiplier that was announced takes effect at its time, unless another took its place before.
 * @param token, time, block SQL of the token, the moment and its block
 */
export function joinMultiplier(schema: string, token: string, time: string, block: string): string {
  return `LEFT JOIN ${schema}.stock_tokens AS stock ON stock.token = ${token}
    LEFT JOIN LATERAL (
      SELECT coalesce((
        SELECT new_multiplier FROM ${schema}.stock_multipliers AS announced
        WHERE announced.token = stock.token AND announced.effective_at <= ${time}
          AND announced.block_number <= ${block} AND NOT announced.superseded
        ORDER BY announced.effective_at DESC, announced.block_number DESC, announced.log_index DESC LIMIT 1
      ), stock.initial_multiplier) AS multiplier
      WHERE stock.token IS NOT NULL
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
