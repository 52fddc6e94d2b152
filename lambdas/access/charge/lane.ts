import { hourEndMs } from '../../shared/runtime/hour.ts';
import { absentOr, type Condition, type Store, type Update } from '../store/store.ts';

const SEPARATOR = '#';
const DAY_MS = 86_400_000;
/** Days that a lane is kept after its hour: longer than any message about it can take. */
export const LANE_KEPT_DAYS = 40;
/** Days after its hour in which a lane may still rise. Well before it expires, so that none comes back from nothing. */
export const LANE_OPEN_DAYS = 30;

/** Where the charges of one process life to one account in one hour are stored. */
export interface LaneKey {
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

/**
 * Stores a lane, which then holds at least this total. Rejects with `StoreUnavailableError` if the outcome is unknown.
 */
export async function storeLane(store: Store, lane: LaneTotal): Promise<void> {
  // A refusal says that the lane holds this total already, or a later one.
  await store.update(laneUpdate(lane));
}

/** Whether a lane of an hour may no longer rise: it could have expired, and would come back as if it were new. */
export function isTooLate(hour: string, nowMs: number): boolean {
  return nowMs >= hourEndMs(hour) + LANE_OPEN_DAYS * DAY_MS;
}
