import type { Bookkeeping } from '../access/account-work.ts';
import { endWant, wantedBalanceViews } from '../access/accounts/read-lanes.ts';
import { errorField } from '../shared/runtime/log.ts';
import type { StageSettings } from '../shared/runtime/settings.ts';
import { BalanceKeeper } from './keep-balance.ts';

/**
 * Length of a run, in milliseconds: one begins every minute, and takes the accounts of the one before over. The function
 * has some seconds more, for what is under way.
 */
export const RUN_MS = 70_000;
/** Time between two looks at the accounts whose views are wanted, in milliseconds. */
const LOOK_EVERY_MS = 1_000;
const MILLISECONDS_PER_SECOND = 1_000;

/** What a run works with. */
interface BalancesParts extends Bookkeeping {
  readonly settings: Pick<StageSettings, 'plans' | 'defaultPlan'>;
  /** @default NARROW_LANES */
  readonly narrowLanes?: number;
}

/**
 * One run of the function: keeps the balance views of all wide accounts, and ends once none is wanted: who wants the first
 * one starts the next run. Never rejects.
 */
export async function runBalances(parts: BalancesParts): Promise<void> {
  const { store, clock, pause, telemetry } = parts;
  const run = clock.now();
  const isOver = () => clock.now() >= run + RUN_MS || clock.now() < run;
  const keepers = new Map<string, Promise<void>>();
  let isTakenOver = false;
  let isWanted = true;
  let count = 0;
  let longestGapMs = 0;

  const keep = async (account: string): Promise<void> => {
    const keeper = new BalanceKeeper({ ...parts, run }, account);
    const until = await keeper.keep(() => isTakenOver || isOver());
    longestGapMs = Math.max(longestGapMs, keeper.longestGapMs);
    if (until === 'taken_over') isTakenOver = true;
    if (until === 'narrow' || until === 'gone') await endWant(store, account);
    keepers.delete(account);
  };

  while (isWanted && !isTakenOver && !isOver()) {
    try {
      const wanted = await wantedBalanceViews(store);
      isWanted = wanted.length + keepers.size > 0;
      for (const account of wanted) {
        if (keepers.has(account)) continue;
        count += 1;
        keepers.set(
          account,
          keep(account).catch((error) => {
            keepers.delete(account);
            telemetry.log('warn', 'balance_not_read', { account, error: errorField(error) });
          }),
        );
      }
    } catch (error) {
      telemetry.log('warn', 'balances_not_found', { error: errorField(error) });
    }
    if (isWanted) await pause(LOOK_EVERY_MS);
  }
  await Promise.all(keepers.values());
  const endedMs = clock.now();
  const age = longestGapMs / MILLISECONDS_PER_SECOND;
  telemetry.log('info', 'balances_run', { count, durationMs: endedMs - run });
  telemetry.emit({ values: { BalanceViews: count, BalanceViewAge: age } }, endedMs);
}
