import type { KeyBounds, KeyHolder, RefusalsDescription } from 'gateway-access';
import type { AccountStatement } from '../settlement/account-statement.ts';
import { type PlanLimits, planNamed } from '../shared/runtime/settings.ts';

/** Response of `GET /v1/account`. Amounts are compute units. */
interface AccountDescription {
  readonly account: string;
  readonly plan: string;
  readonly balance_cu: number;
  readonly limits: {
    readonly bucket_capacity_cu: number;
    readonly refill_cu_per_second: number;
    /** Absent if the plan does not limit calls. */
    readonly requests_per_second?: number;
  };
  /** The key that asks. */
  readonly key: {
    /** What it may be used for; empty: everything. */
    readonly bounds: KeyBounds;
    /** What they refused in the last 24 hours. Absent: it has none, or that could not be read. */
    readonly refusals?: RefusalsDescription;
  };
  readonly usage: {
    readonly charged_cu: number;
    /** Charged and not yet settled, by hour (`2026-11-20T23`, UTC). */
    readonly pending_cu: Readonly<Record<string, number>>;
  };
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
