import { accountShard, hourLane, hourOfLane } from '../charge/lane.ts';
import { amountOf } from '../store/item-values.ts';
import { queryPages } from '../store/query-items.ts';
import { type Item, type Query, type Store, StoreUnavailableError } from '../store/store.ts';
import { AFTER_ALL } from '../store/tables.ts';
import { lanesSeenAt, type SeenLanes } from './seen-lanes.ts';
import { lanesPerShard } from './wide-accounts.ts';

const TOTALS = ['account_shard', 'hour_lane', 'total'];
const LANES_PER_PAGE = 5_000;
/** Lanes of one shard that are read: 40 days of lanes of 100 processes an hour are 96,000. */
const MAX_LANES = 1_000_000;

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

/** The lanes of an account, of all its shards, by hour, the oldest first. Rejects with `StoreUnavailableError`. */
export async function readLanes(store: Store, range: LaneRange): Promise<HourLanes[]> {
  const shards = Array.from({ length: range.shards }, (_, shard) => readShard(store, range, shard));
  return byHour((await Promise.all(shards)).flat());
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

async function readShard(store: Store, range: LaneRange, shard: number): Promise<Item[]> {
  const { account } = range;
  const pages = queryPages({ store }, { ...shardQuery(range, shard), limit: LANES_PER_PAGE });
  const items: Item[] = [];
  for await (const lanes of pages) {
    items.push(...lanes);
    if (items.length <= MAX_LANES) continue;
    throw new StoreUnavailableError(`account ${account} has more than ${MAX_LANES} lanes in a shard`, false);
  }
  return items;
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
