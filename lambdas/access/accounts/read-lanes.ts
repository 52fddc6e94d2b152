import { accountShard, hourLane, hourOfLane } from '../charge/lane.ts';
import { amountOf } from '../store/item-values.ts';
import { queryItems } from '../store/query-items.ts';
import type { Item, Query, Store } from '../store/store.ts';
import { AFTER_ALL } from '../store/tables.ts';
import { lanesSeenAt, type SeenLanes } from './seen-lanes.ts';

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

/** Lanes that every instance reads by itself; accounts with more have a balance view. */
export const NARROW_LANES = 100;
/** Least number of lanes that is read of each shard: they are spread by chance. */
const MIN_LANES_PER_SHARD = 8;
/** Partition of the table of the work list that has the accounts whose balance views are wanted; no slot of it. */
export const WANTED_SLOT = 'wide';
const ENTRIES_PER_PAGE = 1_000;

/** Lanes of each shard that are read to tell whether an account is wide: twice their share. */
function lanesPerShard(shards: number, narrowLanes: number): number {
  return shards === 1
    ? narrowLanes + 1
    : Math.max(MIN_LANES_PER_SHARD, Math.ceil((2 * narrowLanes) / shards));
}

/** Asks for the balance view of an account. @returns whether nobody asked before. Rejects with `StoreUnavailableError`. */
export async function wantBalanceView(store: Store, account: string): Promise<boolean> {
  const { applied } = await store.put({
    table: 'unsettled',
    item: { slot: WANTED_SLOT, entry: account },
    when: [{ is: 'absent', attribute: 'entry' }],
  });
  return applied;
}

/** The accounts whose balance views are wanted. Rejects with `StoreUnavailableError`. */
export async function wantedBalanceViews(store: Store): Promise<string[]> {
  const accounts: string[] = [];
  const query = {
    table: 'unsettled',
    partition: { attribute: 'slot', value: WANTED_SLOT },
    limit: ENTRIES_PER_PAGE,
  } as const;
  for await (const { entry } of queryItems({ store }, query)) accounts.push(String(entry));
  return accounts;
}

/** Takes an account off that needs no balance view any more. Rejects with `StoreUnavailableError`. */
export async function endWant(store: Store, account: string): Promise<void> {
  await store.delete({ table: 'unsettled', key: { slot: WANTED_SLOT, entry: account }, when: [] });
}
