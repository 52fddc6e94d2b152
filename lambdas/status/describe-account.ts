import type { KeyHolder, RefusalsDescription } from 'gateway-access';
import type { Account } from '../../clients/typescript/src/unmetered.ts';
import type { AccountStatement } from '../settlement/account-statement.ts';
import { type PlanLimits, planNamed } from '../shared/runtime/settings.ts';

/** Response of `GET /v1/account`. */
interface AccountDescription extends Account {
  /** The key that asks; with what its bounds refused in the last 24 hours, unless it has none or that could not be read. */
  readonly key: Account['key'] & { readonly refusals?: RefusalsDescription };
}

/** An account as its holder sees it. A plan that the stage no longer has is served as the default plan. */
export function describeAccount(
  statement: AccountStatement,
  settings: { readonly plans: Readonly<Record<string, PlanLimits>>; readonly defaultPlan: string },
  { bounds = {} }: Pick<KeyHolder, 'bounds'>,
  refusals?: RefusalsDescription,
): AccountDescription {
  const plan = Object.hasOwn(settings.plans, statement.plan) ? statement.plan : settings.defaultPlan;
  const limits = planNamed(settings, plan);
  return {
    account: statement.account,
    plan,
    balance_cu: statement.balance_cu,
    limits: {
      bucket_capacity_cu: limits.bucketCapacity,
      refill_cu_per_second: limits.refillPerSecond,
      ...(limits.requestsPerSecond !== undefined && { requests_per_second: limits.requestsPerSecond }),
    },
    key: { bounds, ...(refusals !== undefined && { refusals }) },
    usage: { charged_cu: statement.charged_cu, pending_cu: statement.pending_cu },
  };
}
