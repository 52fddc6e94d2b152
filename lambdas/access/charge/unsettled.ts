import { createHash } from 'node:crypto';
import { hourEndMs } from '../hour.ts';
import type { Store } from '../store.ts';
import { UNSETTLED_SLOTS } from '../tables.ts';
import { accountShard, type LaneKey } from './lane.ts';

/** Time after the end of its hour from which on a lane may be written after it was settled, in milliseconds. */
const LATE_MS = 5 * 60_000;
const SLOT_DIGITS = 2;

/** An hour of an account shard that has lanes to settle. */
export type UnsettledHour = Pick<LaneKey, 'account' | 'shard' | 'hour'>;

/** Partition of the work list that an account shard is in for life: `00` to `63`. */
export function slotOf({ account, shard }: Pick<LaneKey, 'account' | 'shard'>): string {
  const digest = createHash('sha256').update(accountShard(account, shard)).digest();
  return slotName(digest.readUInt32BE(0) % UNSETTLED_SLOTS);
}

/** Name of the slot of a number from 0 on. */
export function slotName(slot: number): string {
  return String(slot).padStart(SLOT_DIGITS, '0');
}

/** Sort key in the work list: `2026-11-20T23#acme#0`, so that the oldest hour comes first. */
export function entryOf({ account, shard, hour }: UnsettledHour): string {
  return `${hour}#${accountShard(account, shard)}`;
}

/** Reads a sort key of the work list. Throws a TypeError if it is none. */
export function parseEntry(entry: string): UnsettledHour {
  const [hour, account, shard] = entry.split('#');
  if (hour === undefined || account === undefined || !/^\d{1,3}$/.test(shard ?? '')) {
    throw new TypeError(`the work list has an entry ${entry}`);
  }
  return { hour, account, shard: Number(shard) };
}

/**
 * Puts an hour on the work list, before a lane of it is stored.
 *
 *   process      mark m1 -- lane ------------------------- mark m2 -- lane (late)
 *   settlement                     read m1 -- read lanes -- ... -- delete if still m1: refused
 *
 * Invariant: an hour that has lanes which settlement has not seen is on the list. Each mark is new, and settlement takes
 * an hour off the list only with the mark that it read before it read the lanes.
 */
export async function markUnsettled(store: Store, hour: UnsettledHour, mark: string): Promise<void> {
  const item = { slot: slotOf(hour), entry: entryOf(hour), mark };
  await store.put({ table: 'unsettled', item, when: [] });
}

/** Whether an hour may have been settled, so that it must be marked anew before a lane of it is stored. */
export function isLate(hour: string, nowMs: number): boolean {
  return nowMs >= hourEndMs(hour) + LATE_MS;
}
