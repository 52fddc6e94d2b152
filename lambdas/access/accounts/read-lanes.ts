import { accountShard, hourLane, hourOfLane } from '../charge/lane.ts';
import { amountOf } from '../store/item-values.ts';
import { queryPages } from '../store/query-items.ts';
import { type Item, type Store, StoreUnavailableError } from '../store/store.ts';
import { AFTER_ALL } from '../store/tables.ts';

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

async function readShard(store: Store, range: LaneRange, shard: number): Promise<Item[]> {
  const { account, fromHour, toHour = AFTER_ALL, totals, eventual } = range;
  const pages = queryPages(
    { store },
    {
      table: 'lanes',
      partition: { attribute: 'account_shard', value: accountShard(account, shard) },
      sort: { attribute: 'hour_lane', from: fromHour, to: hourLane(toHour, AFTER_ALL) },
      limit: LANES_PER_PAGE,
      ...(totals === true && { attributes: TOTALS }),
      ...(eventual !== undefined && { eventual }),
    },
  );
  const items: Item[] = [];
  for await (const lanes of pages) {
    items.push(...lanes);
    if (items.length <= MAX_LANES) continue;
    throw new StoreUnavailableError(`account ${account} has more than ${MAX_LANES} lanes in a shard`, false);
  }
  return items;
}
