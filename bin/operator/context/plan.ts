import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { Context } from './command.ts';

/** The plan, if the gateway has it; throws {@link InputError} otherwise. */
export function requirePlan({ plans }: Context, plan: string): string {
  if (plans.includes(plan)) return plan;
  throw new InputError(`unknown plan ${plan} (plans: ${plans.join(', ')})`);
}

/** Partitions of the lanes of the accounts of a plan. */
export function shardsOfPlan({ shards }: Context, plan: string): number {
  return shards[plan] ?? 1;
}
