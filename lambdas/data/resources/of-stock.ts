import type { Plan, Scope } from '../plan.ts';

/** What refuses a token that is no tokenised stock. */
export function ofStock({ schema, bind }: Scope, token: string): Pick<Plan, 'exists' | 'absent'> {
  return {
    exists: `EXISTS (SELECT 1 FROM ${schema}.stock_tokens WHERE token = ${bind.bytes(token)})`,
    absent: `${token} is no tokenised stock that has been seen`,
  };
}
