import { hash } from 'node:crypto';
import { type Clock, hourEndMs } from '../../shared/runtime/clock.ts';
import type { RandomBytes } from '../../shared/runtime/random-bytes.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import type { MethodUsage } from '../contract/metering.ts';
import {
  absentOr,
  type Condition,
  type Put,
  type Store,
  StoreUnavailableError,
  type Update,
} from '../store/store.ts';
import { UNSETTLED_SLOTS } from '../store/tables.ts';
import { addUsage, encodeUsage } from './usage-text.ts';

const SEPARATOR = '#';
const DAY_MS = 86_400_000;
/** Days that a lane is kept after its hour: longer than any message about it can take. */
export const LANE_KEPT_DAYS = 40;
/** Days after its hour in which a lane may still rise. Well before it expires, so that none comes back from nothing. */
const LANE_OPEN_DAYS = 30;

/** Where the charges of one process life to one account in one hour are stored. */
interface LaneKey {
  readonly account: string;
  /** 0 to the account's number of shards, exclusive. */
  readonly shard: number;
  /** UTC hour that the charges belong to, such as `2026-11-20T23`. */
  readonly hour: string;
  /** 11 characters of base64url, used by no other process. */
  readonly lane: string;
}

/** What has been charged on a lane so far. Each state of a lane contains all earlier ones. */
export interface LaneTotal extends LaneKey {
  /** Charges in it. */
  readonly charges: number;
  /** Compute units, at least 1. Rises with each charge. */
  readonly total: bigint;
  /** What they paid for, as a usage text that adds up to the total. */
  readonly used: string;
}

/** Partition key of an account's lanes of one shard: `acme#0`. */
export function accountShard(account: string, shard: number): string {
  return account + SEPARATOR + shard;
}

/** Sort key of a lane: `2026-11-20T23#Zm9vYmFyYmF`. */
export function hourLane(hour: string, lane: string): string {
  return hour + SEPARATOR + lane;
}

/** Hour of a lane's sort key. */
export function hourOfLane(hourLaneKey: string): string {
  return hourLaneKey.slice(0, hourLaneKey.indexOf(SEPARATOR));
}

/**
 * The update that stores what a lane has come to.
 *
 *   total   absent --- 20 --------- 60 ------ 65 --->      written by one process only, highest total wins
 *   write          T=20   T=60 (late, doubled, lost)  T=65
 *
 * Invariant: a lane holds the total of one of its process's states, and never an older one than before. A state
 * contains every charge before it, so repeating, doubling, delaying or reordering these writes changes nothing, and one
 * that succeeds makes up for all that failed.
 */
export function laneUpdate({ account, shard, hour, lane, charges, total, used }: LaneTotal): Update {
  return {
    table: 'lanes',
    key: { account_shard: accountShard(account, shard), hour_lane: hourLane(hour, lane) },
    when: belowTotal(total),
    set: {
      n: BigInt(charges),
      total,
      used,
      expires_at: BigInt((hourEndMs(hour) + LANE_KEPT_DAYS * DAY_MS) / 1_000),
    },
  };
}

/** Holds for a lane that has come to less than a total, or is not there. */
export function belowTotal(total: bigint): Condition {
  return [absentOr('total', '<', total)];
}

/** Whether a lane of an hour may no longer rise: it could have expired, and would come back as if it were new. */
export function isTooLate(hour: string, nowMs: number): boolean {
  return nowMs >= hourEndMs(hour) + LANE_OPEN_DAYS * DAY_MS;
}

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

/** A lane of this process in memory. */
export class OwnLane {
  readonly key: LaneKey;
  /** When its hour was put on the work list of settlement, in milliseconds since the epoch; undefined: never. */
  markedAtMs: number | undefined;
  /** Whether the last attempt to store it failed. */
  failing = false;
  /** When it was last stored, in milliseconds since the epoch. */
  storedAtMs = Number.NEGATIVE_INFINITY;
  /** The write that is under way: there is at most one. */
  writing: Promise<void> | undefined;
  /** Compute units that the store or the queue has. */
  safe = 0n;
  #total = 0n;
  #charges = 0;
  readonly #usage = new Map<string, MethodUsage>();

  constructor(key: LaneKey) {
    this.key = key;
  }

  /** Compute units charged on it so far. */
  get total(): bigint {
    return this.#total;
  }

  /** Compute units that a death of this process would lose. */
  get unsafe(): bigint {
    return this.#total - this.safe;
  }

  /** Whether nothing of what is unsafe can be with the store: no attempt was made. */
  get isHeld(): boolean {
    return this.writing === undefined && !this.failing;
  }

  /** Adds a charge. `cu`: the sum of the usage. */
  add(cu: number, usage: readonly MethodUsage[]): void {
    this.#total += BigInt(cu);
    this.#charges += 1;
    for (const line of usage) addUsage(this.#usage, line);
  }

  /** What it has come to, for the customer: `<hour>/<lane>;n=<charges>;total=<compute units>`. */
  get position(): string {
    return `${this.key.hour}/${this.key.lane};n=${this.#charges};total=${this.#total}`;
  }

  /** What it has come to. */
  state(): LaneTotal {
    const usage = [...this.#usage.values()];
    const used = encodeUsage(usage);
    return { ...this.key, charges: this.#charges, total: this.#total, used };
  }
}

/** What storing works on. */
export interface Storing {
  readonly store: Store;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/** When the hour of a lane was last marked; noted as soon as that is certain. */
interface Marked {
  markedAtMs: number | undefined;
}

/**
 * Stores a lane, after its hour is on the work list of settlement by a mark that covers it. Rejects with
 * `StoreUnavailableError` if the outcome is unknown.
 * `marked`: what this process knows of the mark.
 */
export async function storeBehindMark(
  { store, clock, randomBytes }: Storing,
  lane: LaneTotal,
  marked: Marked = { markedAtMs: undefined },
): Promise<void> {
  const now = clock.now();
  if (!coversLane(lane.hour, marked.markedAtMs, now)) {
    await markUnsettled(store, lane, newMark(now, randomBytes));
    marked.markedAtMs = now;
    // A process that stood still meanwhile marks again.
    if (!coversLane(lane.hour, now, clock.now()))
      throw new StoreUnavailableError('a mark took too long', false);
  }
  // A refusal says that the lane holds this total already, or a later one.
  await store.update(laneUpdate(lane));
}

/** How often a process that runs on between requests stores what it has held back for its time, in milliseconds. */
const STORE_EVERY_MS = 500;

/** What it needs of a meter. */
interface HoldingMeter {
  storeAllDue(): Promise<void>;
}

/**
 * Stores charges that were held back for their time without waiting for a request to do it, one round after the other. An
 * environment that stands still between requests cannot; one that serves many at a time never does.
 * @param pause how it waits between two rounds
 */
export async function storeRegularly(
  meter: HoldingMeter,
  pause: Sleep,
  isOver: () => boolean = () => false,
): Promise<void> {
  while (!isOver()) {
    await pause(STORE_EVERY_MS);
    await meter.storeAllDue();
  }
}
