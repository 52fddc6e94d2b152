import { HOUR_MS, hourEndMs, hourOf } from '../shared/runtime/hour.ts';

/** Time after the end of an hour in which usage of it still arrives as a rule, in milliseconds. */
export const SETTLEMENT_GRACE_MS = 10 * 60_000;

/** Which hours a run settles. */
export interface SettlementScope {
  /** Only this hour, such as `2026-11-20T23`. @default every closed hour */
  readonly hour?: string;
  /** Also an hour whose grace is not over; together with `hour` also the running hour. @default false */
  readonly force?: boolean;
}

/** Hours from one to another, both included. */
export interface HourRange {
  readonly from: string;
  readonly to: string;
}

/** Whether an hour is over, its grace included. */
export function isClosed(hour: string, nowMs: number): boolean {
  return hourEndMs(hour) + SETTLEMENT_GRACE_MS <= nowMs;
}

/** The youngest hour that is closed, grace included. */
export function lastClosedHour(nowMs: number): string {
  return hourOf(nowMs - SETTLEMENT_GRACE_MS - HOUR_MS);
}

/**
 * The hours from one on that may be settled now; undefined: none. Usage that comes later still becomes a further
 * revision.
 */
export function dueHours(
  from: string,
  nowMs: number,
  { hour, force }: SettlementScope,
): HourRange | undefined {
  if (hour !== undefined)
    return force === true || isClosed(hour, nowMs) ? { from: hour, to: hour } : undefined;
  const to = force === true ? hourOf(nowMs - HOUR_MS) : lastClosedHour(nowMs);
  return from <= to ? { from, to } : undefined;
}
