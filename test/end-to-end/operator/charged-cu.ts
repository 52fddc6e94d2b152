import { untilTrue } from '../../support/until-true.ts';
import type { RunningGateway } from '../running-gateway.ts';

const WITHIN_MS = 120_000;
/** Charges come within it, one after the other. */
const NEXT_CHARGE_MS = 1_000;

/** What an account is charged by now. */
export async function chargedSoFar(gateway: RunningGateway, account: string): Promise<number> {
  const { stdout } = await gateway.operator(['account', 'show', account, '--json']);
  return JSON.parse(stdout).charged_cu;
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
