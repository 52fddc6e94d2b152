import type { AccountChange } from './account-change.ts';
import { LANE_PREFIX, type ObservedAccount, oldestPendingHour } from './observed-account.ts';
import { hourBefore, hourEndMs, lastPrunableHour } from './settlement-hours.ts';
import type { Term } from './store.ts';

/**
 * Fewer idle lanes are left alone: they do not make the item dearer to write, and pruning them would close the
 * account's old hours for charges that are still in the queue.
 */
export const IDLE_LANES_WORTH_PRUNING = 8;
/** Most lanes of one update: its expressions must stay below 4 KB and 300 operators. */
export const LANES_PER_UPDATE = 50;
/** A lane's sequence number is its time in milliseconds times this. */
const SEQUENCE_STEPS_PER_MS = 1_000n;

/**
 * Removes lanes that were last used in an hour up to P, and closes the account for charges of hours up to P.
 * Undefined if there are too few.
 *
 *   when  w_<lane> = as read (each)  AND  (no pruned_through OR pruned_through <= P)
 *         remove each w_<lane>, set pruned_through = P
 *
 * Invariant: a charge is applied at most once, though the lane that tells its duplicates is gone.
 *
 * - A charge's hour is never younger than the hour of its sequence number, and a lane's numbers only rise. All
 *   charges that the lane has seen are therefore of hours up to P; a duplicate of one meets pruned_through.
 * - A charge that uses the lane between the read and the update changes its value: refused.
 * - A charge of a younger hour on a removed lane starts the lane again; it was not applied before, because then
 *   the lane's last number would be younger than P.
 * - pruned_through only rises. P leaves several hours open and lies before every unsettled hour: what is
 *   dropped by it is a charge that comes later than that, so an error is less than was used, never more.
 */
export function pruneLanes(observed: ObservedAccount, nowMs: number): AccountChange | undefined {
  const horizon = pruneHorizon(observed, nowMs);
  const endOfHorizonMs = BigInt(hourEndMs(horizon));
  const idle = [...observed.lanes].filter(([, last]) => last / SEQUENCE_STEPS_PER_MS < endOfHorizonMs);
  if (idle.length < IDLE_LANES_WORTH_PRUNING) return undefined;

  const pruned = idle.slice(0, LANES_PER_UPDATE);
  const prunedThrough = later(horizon, observed.prunedThrough);
  const lanes = new Map(observed.lanes);
  for (const [lane] of pruned) lanes.delete(lane);
  return {
    when: [
      ...pruned.map(([lane, last]): Term => ({ is: '=', attribute: LANE_PREFIX + lane, value: last })),
      [
        { is: 'absent', attribute: 'pruned_through' },
        { is: '<=', attribute: 'pruned_through', value: prunedThrough },
      ],
    ],
    set: { pruned_through: prunedThrough },
    remove: pruned.map(([lane]) => LANE_PREFIX + lane),
    after: { ...observed, lanes, prunedThrough },
  };
}

function pruneHorizon(observed: ObservedAccount, nowMs: number): string {
  const horizon = lastPrunableHour(nowMs);
  const oldest = oldestPendingHour(observed);
  return oldest !== undefined && oldest <= horizon ? hourBefore(oldest) : horizon;
}

function later(hour: string, other: string | undefined): string {
  return other !== undefined && other > hour ? other : hour;
}
