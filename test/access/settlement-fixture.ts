import { createAccount } from '../../lambdas/access/accounts.ts';
import { applyCharge } from '../../lambdas/access/charge-update.ts';
import { hourOf } from '../../lambdas/access/hour.ts';
import type { Store } from '../../lambdas/access/store.ts';
import type { Clock } from '../../lambdas/clock.ts';

/** Compute units that {@link openAccount} grants. */
export const OPENING_CU = 1_000_000;

/** A clock that a test sets. */
export interface SetClock extends Clock {
  time: number;
}

/** A clock that stands at a time such as `2026-11-20T10:15:00Z`. */
export function clockAt(time: string): SetClock {
  const clock = { time: Date.parse(time), now: () => clock.time };
  return clock;
}

/** Creates an account with an opening credit. */
export async function openAccount(store: Store, clock: Clock, account: string): Promise<void> {
  await createAccount(store, clock, {
    account,
    plan: 'standard',
    credit: { cu: OPENING_CU, reference: 'opening' },
  });
}

/** Charges an account at a time, on a lane of its own unless one is named. */
export async function chargeAt(
  store: Store,
  account: string,
  time: string,
  cu: number,
  lane = `lane-${time}`,
): Promise<void> {
  const timeMs = Date.parse(time);
  const verdict = await applyCharge(store, {
    account,
    lane,
    cu: BigInt(cu),
    hour: hourOf(timeMs),
    seq: BigInt(timeMs) * 1_000n,
    used: '',
  });
  if (verdict.state !== 'applied') throw new Error(`the charge is ${verdict.state}`);
}

/** Says `true` after so many questions. */
export function trueAfter(questions: number): () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    return asked > questions;
  };
}
