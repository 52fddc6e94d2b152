import { accountShard, hourLane, hourOfLane } from '../charge/lane.ts';
import type { Item, Query, Store } from '../store.ts';
import { StoreUnavailableError } from '../store.ts';

/** Sorts after every character of a sort key. */
const AFTER_ALL = '\uffff';
const LANES_PER_PAGE = 5_000;
/** Pages of one shard that are read: with 40 days of lanes of 100 processes an hour, a shard has 20. */
const MAX_PAGES = 200;

/** Which lanes of an account are read. */
export interface LaneRange {
  readonly account: string;
  readonly shards: number;
  /** Hours, both included. @default to: without an end */
  readonly fromHour: string;
  readonly toHour?: string;
  readonly attributes?: readonly string[];
  /** @default false */
  readonly eventual?: boolean;
}

/** What the lanes of one hour have come to. */
export interface HourSum {
  /** Compute units. */
  readonly cu: bigint;
  readonly lanes: number;
}

/** The lanes of an account, of all its shards, as they are stored. Rejects with `StoreUnavailableError`. */
export async function readLanes(store: Store, range: LaneRange): Promise<readonly Item[]> {
  const shards = Array.from({ length: range.shards }, (_, shard) => readShard(store, range, shard));
  return (await Promise.all(shards)).flat();
}

/** Sums of an account's lanes by hour. Rejects with `StoreUnavailableError`. */
export async function sumLanes(
  store: Store,
  range: Omit<LaneRange, 'attributes'>,
): Promise<ReadonlyMap<string, HourSum>> {
  const sums = new Map<string, HourSum>();
  for (const { hour_lane, total } of await readLanes(store, {
    ...range,
    attributes: ['hour_lane', 'total'],
  })) {
    const hour = hourOfLane(String(hour_lane));
    const sum = sums.get(hour) ?? { cu: 0n, lanes: 0 };
    sums.set(hour, { cu: sum.cu + BigInt(total ?? 0), lanes: sum.lanes + 1 });
  }
  return sums;
}

async function readShard(store: Store, range: LaneRange, shard: number): Promise<Item[]> {
  const { account, fromHour, toHour, attributes, eventual } = range;
  const query: Query = {
    table: 'lanes',
    partition: { attribute: 'account_shard', value: accountShard(account, shard) },
    sort: {
      attribute: 'hour_lane',
      from: fromHour,
      ...(toHour !== undefined && { to: hourLane(toHour, AFTER_ALL) }),
    },
    limit: LANES_PER_PAGE,
    ...(attributes && { attributes }),
    ...(eventual !== undefined && { eventual }),
  };
  const items: Item[] = [];
  let after: Item | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await store.query({ ...query, ...(after && { after }) });
    items.push(...page.items);
    after = page.next;
    if (after === undefined) return items;
  }
  throw new StoreUnavailableError(`account ${account} has more than ${items.length} lanes in a shard`, false);
}
