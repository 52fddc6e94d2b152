import { hash } from 'node:crypto';
import { hourEndMs } from '../../shared/runtime/hour.ts';
import type { RandomBytes } from '../../shared/runtime/random-bytes.ts';
import type { Put, Store } from '../store/store.ts';
import { UNSETTLED_SLOTS } from '../store/tables.ts';
import { accountShard, type LaneKey } from './lane.ts';

/** AWS refuses a request that was signed longer ago: no write is on its way for longer. In milliseconds. */
export const SIGNED_FOR_MS = 5 * 60_000;
/** Time after the end of its hour from which on a lane needs a mark of its own: it may be settled 10 minutes after it. */
const LATE_MS = 4 * 60_000;
/** Time after such a mark in which a lane may be sent, in milliseconds. */
const MARK_COVERS_MS = 60_000;
/**
 * Age of a mark from which settlement may remove it, in milliseconds. A mark that took 5 minutes to arrive may have
 * replaced one that covers a lane for 1 minute, and that lane may take 5 more. The rest is for clocks.
 */
const MARK_KEPT_MS = 15 * 60_000;
const MARK_BYTES = 8;
const SLOT_DIGITS = 2;
/** The first 32 bits of a digest choose the slot. */
const SLOT_HEX_DIGITS = 8;

/** An hour of an account shard that has lanes to settle. */
export type UnsettledHour = Pick<LaneKey, 'account' | 'shard' | 'hour'>;

/** Partition of the work list that an account shard is in for life: `00` to `63`. */
export function slotOf({ account, shard }: Pick<LaneKey, 'account' | 'shard'>): string {
  const digest = hash('sha256', accountShard(account, shard));
  return slotName(Number.parseInt(digest.slice(0, SLOT_HEX_DIGITS), 16) % UNSETTLED_SLOTS);
}

/** Name of the slot of a number from 0 on. */
export function slotName(slot: number): string {
  return String(slot).padStart(SLOT_DIGITS, '0');
}

/** Sort key in the work list: `2026-11-20T23#acme#0`, so that the oldest hour comes first. */
export function entryOf({ account, shard, hour }: UnsettledHour): string {
  return `${hour}#${accountShard(account, shard)}`;
}

/** Reads a sort key of the work list. Throws a TypeError if invalid. */
export function parseEntry(entry: string): UnsettledHour {
  const [hour, account, shard] = entry.split('#');
  if (hour === undefined || account === undefined || !/^\d{1,3}$/.test(shard ?? '')) {
    throw new TypeError(`the work list has an entry ${entry}`);
  }
  return { hour, account, shard: Number(shard) };
}

/** A new mark: when it is put, in milliseconds since the epoch, and a random text. */
export function newMark(nowMs: number, randomBytes: RandomBytes): string {
  return `${nowMs}.${Buffer.from(randomBytes(MARK_BYTES)).toString('base64url')}`;
}

/**
 * Puts an hour on the work list, before a lane of it is stored.
 *
 *   process      mark m1 -- lane ---------------------------- mark m2 -- lane (late)
 *   settlement                     read m1 -- read lanes -- ... -- delete if still m1, and old: refused
 *
 * Invariant: an hour that has lanes which settlement has not seen is on the list. A late lane is sent soon after its
 * mark ({@link coversLane}); settlement takes an hour off the list only with the mark that it read before it read the
 * lanes, and only when no lane can be on its way behind that mark any more ({@link mayTakeOff}).
 */
export async function markUnsettled(store: Store, hour: UnsettledHour, mark: string): Promise<void> {
  await store.put(markPut(hour, mark));
}

/** The put of a mark. */
export function markPut(hour: UnsettledHour, mark: string): Put {
  return { table: 'unsettled', item: { slot: slotOf(hour), entry: entryOf(hour), mark }, when: [] };
}

/**
 * Whether a lane of an hour may be sent behind a mark that was put at a time. In its hour and shortly after, any mark
 * will do; later the hour may be off the list by now.
 */
export function coversLane(hour: string, markedAtMs: number | undefined, nowMs: number): boolean {
  if (markedAtMs === undefined) return false;
  if (nowMs < hourEndMs(hour) + LATE_MS) return true;
  return nowMs >= markedAtMs && nowMs < markedAtMs + MARK_COVERS_MS;
}

/** Whether settlement may take an hour off the list that has this mark and nothing new. */
export function mayTakeOff(mark: string, nowMs: number): boolean {
  const putAtMs = Number(mark.split('.', 1)[0]);
  return nowMs >= putAtMs + MARK_KEPT_MS;
}
