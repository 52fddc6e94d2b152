import type { PlanSettings } from '../../../lambdas/shared/runtime/settings.ts';
import { type ScaleFigures, ScaleRun } from './scale-run.ts';

const SECOND_MS = 1_000;
const CALL_CU = 20;
/** Settlement of the hour before is not yet due. */
export const START_MS = Date.UTC(2026, 10, 20, 9, 5);
/** Time for which an account has been busy already when a run counts. */
const BEFORE_MS = 15 * SECOND_MS;

/** An account near its end: its balance is twice what the run asks for. */
export interface NearRow {
  readonly instances: number;
  readonly perSecond: number;
  readonly usageBytes: number;
  /** Of its lanes, and its keys. @default 1 */
  readonly shards?: number;
  readonly keys?: number;
}

/** An account whose settlement stands still: plan scale, 500 lanes an hour. */
export interface LateRow {
  readonly hours: number;
  readonly usageBytes: number;
  /** Compute units. */
  readonly balanceCu: number;
  /** @default 500 requests/s for one key */
  readonly plan?: { readonly requestsPerSecond: number; readonly keys: number };
}

export const NEAR_ROWS: readonly NearRow[] = [
  { instances: 30, perSecond: 280, usageBytes: 640 },
  { instances: 500, perSecond: 280, usageBytes: 640 },
  { instances: 1_200, perSecond: 10_000, usageBytes: 40, shards: 16, keys: 16 },
  { instances: 5_000, perSecond: 700, usageBytes: 550, keys: 2 },
];

export const LATE_ROWS: readonly LateRow[] = [
  { hours: 24, usageBytes: 400, balanceCu: 776_000_000 },
  { hours: 72, usageBytes: 640, balanceCu: 928_000_000, plan: { requestsPerSecond: 130, keys: 2 } },
];

/** A plan that sells so many requests a second. */
export function planOf(requestsPerSecond: number, shards = 1): PlanSettings {
  const refillPerSecond = requestsPerSecond * CALL_CU;
  return { bucketCapacity: 10 * refillPerSecond, refillPerSecond, drawAhead: false, shards };
}

export function nearRun(
  { instances, perSecond, usageBytes, shards = 1, keys = 1 }: NearRow,
  seconds: number,
): ScaleRun {
  return new ScaleRun({
    plan: planOf(Math.ceil((1.3 * perSecond) / keys), shards),
    keys,
    startMs: START_MS,
    usageBytes,
    balanceCu: 2 * perSecond * seconds * CALL_CU,
    open: { hours: 1, lanes: instances, cu: 1_000_000 },
  });
}

export function lateRun({ hours, usageBytes, balanceCu, plan }: LateRow): ScaleRun {
  const { requestsPerSecond, keys } = plan ?? { requestsPerSecond: 500, keys: 1 };
  return new ScaleRun({
    plan: planOf(requestsPerSecond),
    keys,
    startMs: START_MS,
    usageBytes,
    balanceCu,
    open: { hours, lanes: 500, cu: 1_000_000 },
  });
}

/** Requests for some seconds, of an account that has been busy before. The figures of reads are those of these seconds. */
export async function busySeconds(
  run: ScaleRun,
  seconds: number,
  traffic: { readonly perSecond: number; readonly instances: number },
): Promise<ScaleFigures> {
  await run.open();
  const fromMs = run.time.nowMs + BEFORE_MS;
  const durationMs = seconds * SECOND_MS;
  await run.wantView();
  run.keepBalances(fromMs + durationMs);
  run.send({ fromMs, durationMs, ...traffic });
  return run.figuresBetween(fromMs, fromMs + durationMs);
}
