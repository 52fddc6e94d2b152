import type { Clock } from '../clock.ts';
import { errorField, log } from '../log.ts';
import { emitMetrics } from '../metrics.ts';
import { type AccountMemory, balanceOf } from './account-memory.ts';
import { applyCharge, type Charge, type ChargeVerdict } from './charge-update.ts';
import { hourOf } from './hour.ts';
import type { LanePool } from './lane-pool.ts';
import type { ChargeOutcome, MethodUsage } from './metering.ts';
import type { Store } from './store.ts';
import { encodeUsage } from './usage-text.ts';

const CHARGE_ATTEMPTS = 3;
/** No attempt begins later than this after the first. The store bounds each attempt. */
const CHARGE_BUDGET_MS = 2_000;
const CHARGE_PAUSE_MS = 50;
const QUEUE_ATTEMPTS = 2;

/** Waits for a number of milliseconds. */
export type Pause = (durationMs: number) => Promise<void>;

/** Takes charges that are not certain; its consumer applies each of them, as often as it is delivered. */
export interface ChargeQueue {
  /** Rejects if it is not certain that the charge was taken. */
  send(charge: Charge): Promise<void>;
}

/** What charging works on. */
export interface Charging {
  readonly store: Store;
  readonly queue: ChargeQueue;
  readonly clock: Clock;
  readonly pause: Pause;
  readonly lanes: LanePool;
  readonly accounts: AccountMemory;
}

/** Charges compute units to an account, once. A lane whose charge did not become certain is never used again. */
export async function chargeAccount(
  parts: Charging,
  account: string,
  cu: number,
  usage: readonly MethodUsage[],
): Promise<ChargeOutcome> {
  const now = parts.clock.now();
  const lane = parts.lanes.acquire();
  const charge = {
    account,
    cu: BigInt(cu),
    hour: hourOf(now),
    lane: lane.id,
    seq: lane.nextSequence(now),
    used: encodeUsage(usage),
  };
  const verdict = await applyWithRetries(parts, charge, now + CHARGE_BUDGET_MS);
  if (verdict === undefined) return (await enqueue(parts.queue, charge)) ? { state: 'queued' } : lost(charge);
  parts.lanes.release(lane);
  if (verdict.state !== 'applied') return lost(charge, verdict.state);
  parts.accounts.see(account, verdict.item, now);
  return { state: 'charged', balanceCu: balanceOf(verdict.item) };
}

/** Undefined: not certain. */
async function applyWithRetries(
  parts: Charging,
  charge: Charge,
  deadline: number,
): Promise<ChargeVerdict | undefined> {
  for (let attempt = 1; attempt <= CHARGE_ATTEMPTS; attempt++) {
    if (attempt > 1) {
      await parts.pause(CHARGE_PAUSE_MS);
      if (parts.clock.now() >= deadline) return undefined;
      emitMetrics({ values: { ChargeRetries: 1 } }, parts.clock.now());
    }
    try {
      return await applyCharge(parts.store, charge);
    } catch (error) {
      log('warn', 'charge_attempt_failed', {
        account: charge.account,
        count: attempt,
        error: errorField(error),
      });
    }
  }
  return undefined;
}

/** Whether the queue took the charge. Sending it twice is harmless. */
async function enqueue(queue: ChargeQueue, charge: Charge): Promise<boolean> {
  for (let attempt = 1; attempt <= QUEUE_ATTEMPTS; attempt++) {
    try {
      await queue.send(charge);
      return true;
    } catch (error) {
      log('warn', 'charge_queue_failed', {
        account: charge.account,
        count: attempt,
        error: errorField(error),
      });
    }
  }
  return false;
}

function lost(charge: Charge, reason = 'not_taken'): ChargeOutcome {
  log('error', 'charge_lost', {
    account: charge.account,
    hour: charge.hour,
    cu: Number(charge.cu),
    reason,
  });
  return { state: 'lost' };
}
