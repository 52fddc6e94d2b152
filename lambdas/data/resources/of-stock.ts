import type { Plan, Scope } from '../plan.ts';

/** What refuses a token that is no tokenised stock. */
export function ofStock({ schema, bind }: Scope, token: string): Pick<Plan, 'exists' | 'absent'> {
  return {
    exists: `EXISTS (SELECT 1 FROM ${schema}.stock_tokens WHERE token = ${bind.bytes(token)})`,
    absent: `${token} is no tokenised stock that has been seen`,
  };
}

/** What refuses a token that no transfer was seen of: what belongs to it is not there either. */
export function ofToken({ schema, bind }: Scope, token: string): Pick<Plan, 'exists' | 'absent'> {
  return {
    exists: `EXISTS (SELECT 1 FROM ${schema}.tokens WHERE address = ${bind.bytes(token)})`,
    absent: `${token} is no token that has been seen`,
  };
}
