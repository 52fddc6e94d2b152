import type { MethodUsage } from '../../../lambdas/access/contract/metering.ts';
import { untilTrue } from '../../support/until-true.ts';
import type { RunningGateway } from '../running-gateway.ts';
import { operate } from './account.ts';

const WITHIN_MS = 120_000;
/** Charges come within it, one after the other. */
const NEXT_CHARGE_MS = 1_000;
const LOOK_INTERVAL_MS = 200;

/** What an account is charged by now. */
export async function chargedSoFar(gateway: RunningGateway, account: string): Promise<number> {
  return (await operate(gateway, 'account', 'show', account)).charged_cu;
}

/** A line of what an account used. */
interface UsageLine extends MethodUsage {
  readonly hour: string;
}

/** Usage by the operator once it adds up to so many compute units: the last charge is stored after its answer. */
export async function usageOf(
  gateway: RunningGateway,
  account: string,
  cu: number,
): Promise<readonly UsageLine[]> {
  let usage: readonly UsageLine[] = [];
  const sum = () => usage.reduce((total, line) => total + line.cu, 0);
  await untilTrue(
    async () => {
      ({ usage } = await operate(gateway, 'usage', account));
      return sum() === cu;
    },
    {
      withinMs: WITHIN_MS,
      everyMs: LOOK_INTERVAL_MS,
      failure: () => `${sum()} of ${cu} CU of ${account} are stored`,
    },
  );
  return usage;
}

/** Calls, compute units, cached and errors by chain and method: an hour may end during a test. */
export function sumByMethod(lines: readonly Omit<UsageLine, 'hour'>[]): Record<string, number[]> {
  const sums: Record<string, number[]> = {};
  for (const { chain, method, calls, cu, cached, errors } of lines) {
    const name = `${chain} ${method}`;
    sums[name] = [calls, cu, cached, errors].map((value, index) => value + (sums[name]?.[index] ?? 0));
  }
  return sums;
}

/** What an account is charged once it is so much, and nothing more comes: a charge may come after its response. */
export async function chargedCu(gateway: RunningGateway, account: string, least = 0): Promise<number> {
  let charged: number | undefined;
  await untilTrue(
    async () => {
      const before = charged;
      charged = await chargedSoFar(gateway, account);
      return charged >= least && charged === before;
    },
    {
      withinMs: WITHIN_MS,
      everyMs: NEXT_CHARGE_MS,
      failure: () => `${account} is charged ${charged} CU: not yet ${least}, or not yet all`,
    },
  );
  return Number(charged);
}
