import { hourOf } from './hour.ts';

const HOUR_MS = 3_600_000;
/** Time after the end of an hour in which usage of it still arrives as a rule, in milliseconds. */
export const SETTLEMENT_GRACE_MS = 10 * 60_000;
/** Full hours that stay open for late charges as a rule before lanes are pruned: the charge queue delivers for four. */
export const HOURS_KEPT_OPEN = 5;

const HOUR_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}$/;

/** Which hours a run settles. */
export interface SettlementScope {
  /** Only this hour, such as `2026-11-20T23`. @default every closed hour */
  readonly hour?: string;
  /** Also an hour whose grace is not over; together with `hour` also the running hour. @default false */
  readonly force?: boolean;
}

/** Whether a text is an hour such as `2026-11-20T23`. */
export function isHour(text: string): boolean {
  const startMs = hourStartMs(text);
  return HOUR_PATTERN.test(text) && Number.isFinite(startMs) && hourOf(startMs) === text;
}

/** Whether usage of an hour may be settled now. Usage that comes later still becomes a further revision. */
export function isSettleable(hour: string, nowMs: number, scope: SettlementScope = {}): boolean {
  if (scope.hour !== undefined && scope.hour !== hour) return false;
  if (scope.force !== true) return hourEndMs(hour) + SETTLEMENT_GRACE_MS <= nowMs;
  return scope.hour !== undefined || hourEndMs(hour) <= nowMs;
}

/** The youngest hour that is closed, grace included. */
export function lastClosedHour(nowMs: number): string {
  return hourOf(nowMs - SETTLEMENT_GRACE_MS - HOUR_MS);
}

/** The youngest hour after whose end so many full hours have passed, and its grace in any case. */
export function lastPrunableHour(nowMs: number, hoursKeptOpen: number): string {
  return hoursKeptOpen === 0 ? lastClosedHour(nowMs) : hourOf(nowMs - (hoursKeptOpen + 1) * HOUR_MS);
}

export function hourBefore(hour: string): string {
  return hourOf(hourStartMs(hour) - HOUR_MS);
}

/** End of an hour, in milliseconds since the epoch. */
export function hourEndMs(hour: string): number {
  return hourStartMs(hour) + HOUR_MS;
}

function hourStartMs(hour: string): number {
  return Date.parse(`${hour}:00:00.000Z`);
}
