import { sql } from '../../shared/chain-database/sql.ts';
import { inShares } from '../../shared/chain-database/stock-multiplier.ts';
import type { Plan, Scope } from '../plan/plan.ts';
import { digits } from '../plan/sql-text.ts';

/** The two fields with the amount of a row in shares and its multiplier, null where the token is no stock. */
export const UI_COLUMNS = `${digits(inShares(sql`t.amount`))} AS ui_amount, ${digits('ui.multiplier')} AS ui_multiplier`;

/** What refuses a token that is no tokenised stock. */
export function ofStock({ schema, bind }: Scope, token: string): Pick<Plan, 'exists' | 'absent'> {
  return {
    exists: `EXISTS (SELECT 1 FROM ${schema}.stock_tokens WHERE token = ${bind.bytes(token)})`,
    absent: `unknown tokenised stock ${token}`,
  };
}

/** What refuses a token that no transfer was seen of: what belongs to it is not there either. */
export function ofToken({ schema, bind }: Scope, token: string): Pick<Plan, 'exists' | 'absent'> {
  return {
    exists: `EXISTS (SELECT 1 FROM ${schema}.tokens WHERE address = ${bind.bytes(token)})`,
    absent: `unknown token ${token}`,
  };
}
