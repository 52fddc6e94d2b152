import { wantedBalanceViews } from '../../../lambdas/access/accounts/read-lanes.ts';
import { RUN_MS, runBalances } from '../../../lambdas/account-balances/handler.ts';
import { systemTelemetry } from '../../../lambdas/shared/runtime/telemetry.ts';
import { DEFAULT_PLAN, PLANS } from '../plans.ts';
import type { OpenedProcess, World } from '../world.ts';

const MINUTE_MS = 60_000;
/** Chance that no run begins for a while, each minute; and how long it lasts at most. */
const ABSENCE_RATE = 0.02;
const MAX_ABSENCE_MS = 60 * MINUTE_MS;
/** Chance that a run cannot be started by who wants a view. */
const LOST_START_RATE = 0.2;

/** Starts the function that keeps balance views every minute, and for the first who wants one, as long as any is wanted. */
export function startBalanceViews(world: World, isOver: () => boolean): void {
  const { time, random, tally } = world.machine;
  let awayUntilMs = 0;
  const fire = async (): Promise<void> => {
    if (isOver()) return;
    time.after(MINUTE_MS, fire);
    if (random.chance(ABSENCE_RATE)) awayUntilMs = time.nowMs + random.magnitude(MINUTE_MS, MAX_ABSENCE_MS);
    if (time.nowMs < awayUntilMs || (await wantedBalanceViews(world.store)).length === 0) return;
    tally.add('balances runs');
    await run(world, world.open('balances'));
  };
  world.startBalances = async () => {
    if (isOver() || time.nowMs < awayUntilMs || random.chance(LOST_START_RATE))
      throw new Error('not started');
    tally.add('balances runs');
    void run(world, world.open('balances'));
  };
  time.after(random.integer(0, MINUTE_MS), fire);
}

/** One more run, to which nothing happens: no account is wide any more. */
export async function endBalanceViews(world: World): Promise<void> {
  const opened = world.openSound('balances');
  void run(world, opened);
  await opened.process.pause(2 * RUN_MS);
}

function run({ narrowLanes, witness }: World, { process, store }: OpenedProcess): Promise<void> {
  return runBalances({
    store,
    clock: process.clock,
    pause: process.pause,
    telemetry: systemTelemetry,
    settings: { plans: PLANS, defaultPlan: DEFAULT_PLAN },
    ...(narrowLanes !== undefined && { narrowLanes }),
  }).catch((error) => witness.blameDefect(error));
}
