import type { AccountChange } from './account-change.ts';
import { LANE_PREFIX, type ObservedAccount, oldestPendingHour } from './observed-account.ts';
import { HOURS_KEPT_OPEN, hourBefore, hourEndMs, lastPrunableHour } from './settlement-hours.ts';
import type { Term } from './store.ts';

/**
 * Fewer idle lanes are left alone: they do not make the item dearer to write, and pruning them would close the
 * account's old hours for charges that are still in the queue.
 */
export const IDLE_LANES_WORTH_PRUNING = 8;
/**
 * Lanes that an account may have beside five open hours: with them it still is one write unit when a charge pays for
 * one method. An account with more keeps fewer hours open, because each charge of it pays for all its lanes.
 */
export const LANES_OF_FIVE_OPEN_HOURS = 32;
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
 * - pruned_through only rises. P lies before every unsettled hour and at least the grace of settlement back: what
 *   is dropped by it is a charge that comes later than that, so an error is less than was used, never more.
 *
 * Nothing of this depends on which hour P is. P leaves five full hours open, or as many fewer as bring the account
 * down to the lanes that one write unit has room for.
 */
export function pruneLanes(observed: ObservedAccount, nowMs: number): AccountChange | undefined {
  const { horizon, idle } = findIdle(observed, nowMs);
  if (idle.length < IDLE_LANES_WORTH_PRUNING) return undefined;

  const pruned = idle.slice(0, LANES_PER_UPDATE);
  const lanes = new Map(observed.lanes);
  for (const [lane] of pruned) lanes.delete(lane);
  return {
    when: [
      ...pruned.map(([lane, last]): Term => ({ is: '=', attribute: LANE_PREFIX + lane, value: last })),
      [
        { is: 'absent', attribute: 'pruned_through' },
        { is: '<=', attribute: 'pruned_through', value: horizon },
      ],
    ],
    set: { pruned_through: horizon },
    remove: pruned.map(([lane]) => LANE_PREFIX + lane),
    after: { ...observed, lanes, prunedThrough: horizon },
  };
}

interface IdleLanes {
  readonly horizon: string;
  /** Lanes that were last used in an hour up to the horizon, each with its last sequence number. */
  readonly idle: readonly (readonly [lane: string, last: bigint])[];
}

/** The oldest horizon that leaves few enough lanes; the youngest if none does. */
function findIdle(observed: ObservedAccount, nowMs: number): IdleLanes {
  for (let hoursKeptOpen = HOURS_KEPT_OPEN; ; hoursKeptOpen -= 1) {
    const horizon = pruneHorizon(observed, lastPrunableHour(nowMs, hoursKeptOpen));
    const found = idleUpTo(later(horizon, observed.prunedThrough), observed);
    const left = observed.lanes.size - found.idle.length;
    if (left <= LANES_OF_FIVE_OPEN_HOURS || hoursKeptOpen === 0) return found;
  }
}

function idleUpTo(horizon: string, observed: ObservedAccount): IdleLanes {
  const endMs = BigInt(hourEndMs(horizon));
  return { horizon, idle: [...observed.lanes].filter(([, last]) => last / SEQUENCE_STEPS_PER_MS < endMs) };
}

function pruneHorizon(observed: ObservedAccount, prunable: string): string {
  const oldest = oldestPendingHour(observed);
  return oldest !== undefined && oldest <= prunable ? hourBefore(oldest) : prunable;
}

function later(hour: string, other: string | undefined): string {
  return other !== undefined && other > hour ? other : hour;
}
