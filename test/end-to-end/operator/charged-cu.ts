import { setTimeout as sleep } from 'node:timers/promises';
import { untilTrue } from '../../support/until-true.ts';
import type { RunningGateway } from '../running-gateway.ts';

const WITHIN_MS = 120_000;
const LOOK_MS = 100;
/** Charges come within it, one after the other. */
const NEXT_CHARGE_MS = 1_000;

/** What an account is charged once it is so much, and nothing more comes: a charge may come after its response. */
export async function chargedCu(gateway: RunningGateway, account: string, least = 0): Promise<number> {
  const shownCu = async (): Promise<number> => {
    const { stdout } = await gateway.operator(['account', 'show', account, '--json']);
    return JSON.parse(stdout).charged_cu;
  };
  await untilTrue(async () => (await shownCu()) >= least, {
    withinMs: WITHIN_MS,
    everyMs: LOOK_MS,
    failure: () => `${account} was not charged ${least} CU in time`,
  });
  for (;;) {
    const shown = await shownCu();
    await sleep(NEXT_CHARGE_MS);
    if ((await shownCu()) === shown) return shown;
  }
}
