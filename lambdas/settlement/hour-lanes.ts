import { createHash } from 'node:crypto';
import { hourOfLane } from '../access/charge/lane.ts';
import type { MethodUsage } from '../access/metering.ts';
import type { Item } from '../access/store.ts';
import { ALL, decodeUsage, usageCu } from '../access/usage-text.ts';

/** The lanes of one hour of an account, as they are stored. */
export interface HourLanes {
  readonly hour: string;
  readonly lanes: readonly Item[];
  /** What they add up to, in compute units. */
  readonly cu: bigint;
}

/** Stored lanes by hour, the oldest first. */
export function byHour(lanes: readonly Item[]): HourLanes[] {
  const hours = Map.groupBy(lanes, ({ hour_lane }) => hourOfLane(String(hour_lane)));
  return [...hours]
    .map(([hour, some]) => ({ hour, lanes: some, cu: some.reduce((sum, lane) => sum + totalOf(lane), 0n) }))
    .sort((one, other) => (one.hour < other.hour ? -1 : 1));
}

/** SHA-256, in hex, over what each lane has come to: the same lanes with the same totals have the same digest. */
export function laneDigest(lanes: readonly Item[]): string {
  const lines = lanes.map((lane) => `${lane.account_shard} ${lane.hour_lane} ${totalOf(lane)}\n`);
  return createHash('sha256').update(lines.sort().join('')).digest('hex');
}

/** What the lanes were charged for; it adds up to their totals. */
export function laneUsage(lanes: readonly Item[]): MethodUsage[] {
  return lanes.flatMap((lane) => {
    const cu = Number(totalOf(lane));
    const usage = decodeUsage(String(lane.used ?? ''));
    if (usage !== undefined && usageCu(usage) === cu) return usage;
    return [{ chain: ALL, method: ALL, calls: 0, cu, cached: 0, errors: 0 }];
  });
}

function totalOf({ total }: Item): bigint {
  if (typeof total !== 'bigint') throw new TypeError('a lane has no total');
  return total;
}
