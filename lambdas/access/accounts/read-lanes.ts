import { accountShard, hourLane, hourOfLane } from '../charge/lane.ts';
import { amountOf } from '../store/item-values.ts';
import type { Item, Query, Store } from '../store/store.ts';
import { AFTER_ALL } from '../store/tables.ts';
import { lanesSeenAt, type SeenLanes } from './account-view.ts';
import { lanesPerShard } from './wide-accounts.ts';

const TOTALS = ['account_shard', 'hour_lane', 'total'];

/** Which lanes of an account are read. */
export interface LaneRange {
  readonly account: string;
  readonly shards: number;
  /** Hours, both included. @default toHour: without an end */
  readonly fromHour: string;
  readonly toHour?: string;
  /** Whether to read only the sums, without usage by method. @default false */
  readonly totals?: boolean;
  /** @default false */
  readonly eventual?: boolean;
}

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
    .map(([hour, some]) => ({
      hour,
      lanes: some,
      cu: some.reduce((sum, lane) => sum + amountOf(lane, 'total'), 0n),
    }))
    .sort((one, other) => (one.hour < other.hour ? -1 : 1));
}

/** The shards that lanes are of. */
export function shardsOf({ lanes }: Pick<HourLanes, 'lanes'>): number[] {
  return [...new Set(lanes.map(({ account_shard }) => Number(String(account_shard).split('#')[1])))];
}

/**
 * The lanes of an account's open hours, if they are few; undefined: there are more, or one shard has more than its share.
 * `seenAt`: the time now, in milliseconds since the epoch. Rejects with `StoreUnavailableError`.
 */
export async function readFewLanes(
  store: Store,
  { account, shards, fromHour, eventual = false }: LaneRange,
  { most, seenAt }: { readonly most: number; readonly seenAt: number },
): Promise<SeenLanes | undefined> {
  const reads = Array.from({ length: shards }, (_, shard) =>
    store.query({
      ...shardQuery({ account, fromHour, totals: true, eventual }, shard),
      limit: lanesPerShard(shards, most),
    }),
  );
  const pages = await Promise.all(reads);
  const lanes = pages.flatMap(({ items }) => items);
  if (lanes.length > most || pages.some(({ next }) => next !== undefined)) return undefined;
  return lanesSeenAt(
    byHour(lanes).map(({ hour, cu }) => [hour, cu]),
    fromHour,
    seenAt,
  );
}

/** The query of the lanes that one shard has in a range; its pages are left open. */
export function shardQuery(
  { account, fromHour, toHour = AFTER_ALL, totals, eventual }: Omit<LaneRange, 'shards'>,
  shard: number,
): Omit<Query, 'limit'> {
  return {
    table: 'lanes',
    partition: { attribute: 'account_shard', value: accountShard(account, shard) },
    sort: { attribute: 'hour_lane', from: fromHour, to: hourLane(toHour, AFTER_ALL) },
    ...(totals === true && { attributes: TOTALS }),
    ...(eventual !== undefined && { eventual }),
  };
}
