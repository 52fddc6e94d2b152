import type { Sleep } from '../../shared/runtime/sleep.ts';
import { accountShard, hourLane, hourOfLane } from '../charge/lane.ts';
import { type Item, isStoreUnavailable, type Page, type Query, type Store } from '../store/store.ts';
import { AFTER_ALL } from '../store/tables.ts';
import { byHour, type HourLanes, type LaneRange } from './read-lanes.ts';

const TOTALS = ['account_shard', 'hour_lane', 'total'];
/** Lanes of one page: a lane is less than a kibibyte, so a page is at most 63 read units. */
const LANES_PER_PAGE = 250;
/** Lanes of one shard that are read in a second: at a kibibyte each, a third of what a partition takes. */
const LANES_PER_SECOND = 4_000;
const MILLISECONDS_PER_LANE = 1_000 / LANES_PER_SECOND;
/** Pause before a page is asked for again, in milliseconds; doubled by each failure in a row. */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;
/** Failures in a row, of one page, that are waited out: half a minute. */
const MAX_FAILURES = 12;
/** Lanes of one hour and shard: processes that charged one account in one hour. */
const MAX_LANES = 250_000;

/** How lanes are read that may be many. */
export interface LaneReading {
  readonly store: Store;
  readonly pause: Sleep;
  /** Asked after each failure: whether to reject with it, instead of waiting for the page. @default never */
  readonly giveUp?: () => boolean;
}

/**
 * The hours of an account that have lanes, of all its shards, the oldest first, each as soon as it is read. Nothing is
 * read ahead of the consumer but the rest of a page. Each shard is read by pages, at most at a third of what its
 * partition takes; a failure makes a pause, and only its page is asked for again.
 *
 * Rejects with `StoreUnavailableError` when a page fails for half a minute, or when `giveUp` says so. The hours before
 * are whole.
 */
export async function* laneHours(reading: LaneReading, range: LaneRange): AsyncGenerator<HourLanes> {
  const shards = Array.from({ length: range.shards }, (_, shard) => shardHours(reading, range, shard));
  let parts = await allOf(shards.map(nextPart));
  for (;;) {
    const [oldest] = parts.flatMap((part) => (part === undefined ? [] : [hourOfPart(part)])).sort();
    if (oldest === undefined) return;
    const isRead = (part: Part | undefined): part is Part =>
      part !== undefined && hourOfPart(part) === oldest;
    yield* byHour(parts.filter(isRead).flat());
    parts = await allOf(
      shards.map((shard, place) => (isRead(parts[place]) ? nextPart(shard) : Promise.resolve(parts[place]))),
    );
  }
}

/** The lanes that one shard has of one hour: never none. */
type Part = readonly [Item, ...Item[]];

async function nextPart(shard: AsyncGenerator<Part>): Promise<Part | undefined> {
  const { value, done } = await shard.next();
  return done === true ? undefined : value;
}

function hourOfPart([lane]: Part): string {
  return hourOfLane(String(lane.hour_lane));
}

/** All results, or the first failure once no work is under way any more. */
async function allOf<Result>(works: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

async function* shardHours(reading: LaneReading, range: LaneRange, shard: number): AsyncGenerator<Part> {
  let part: [Item, ...Item[]] | undefined;
  for await (const lanes of shardPages(reading, range, shard)) {
    for (const lane of lanes) {
      const isSameHour = part !== undefined && hourOfLane(String(lane.hour_lane)) === hourOfPart(part);
      if (part !== undefined && isSameHour) part.push(lane);
      else {
        if (part !== undefined) yield part;
        part = [lane];
      }
    }
    if ((part?.length ?? 0) > MAX_LANES)
      throw new Error(`account ${range.account} has more than ${MAX_LANES} lanes in an hour of a shard`);
  }
  if (part !== undefined) yield part;
}

async function* shardPages(
  reading: LaneReading,
  { account, fromHour, toHour = AFTER_ALL, totals, eventual }: LaneRange,
  shard: number,
): AsyncGenerator<readonly Item[]> {
  const query = {
    table: 'lanes',
    partition: { attribute: 'account_shard', value: accountShard(account, shard) },
    sort: { attribute: 'hour_lane', from: fromHour, to: hourLane(toHour, AFTER_ALL) },
    limit: LANES_PER_PAGE,
    ...(totals === true && { attributes: TOTALS }),
    ...(eventual !== undefined && { eventual }),
  } as const;
  for (let after: Item | undefined; ; ) {
    const { items, next } = await readPage(reading, { ...query, ...(after && { after }) });
    yield items;
    if (next === undefined) return;
    after = next;
    await reading.pause(items.length * MILLISECONDS_PER_LANE);
  }
}

async function readPage({ store, pause, giveUp }: LaneReading, query: Query): Promise<Page> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await store.query(query);
    } catch (error) {
      if (!isStoreUnavailable(error) || failures > MAX_FAILURES || giveUp?.() === true) throw error;
      await pause(Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS));
    }
  }
}
