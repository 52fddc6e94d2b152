import { hourOfLane } from '../charge/lane.ts';
import { queryPages, type Reading } from '../store/query-items.ts';
import type { Item } from '../store/store.ts';
import { byHour, type HourLanes, type LaneRange, shardQuery } from './read-lanes.ts';

/** Lanes of one page: a lane is less than a kibibyte, so a page is at most 63 read units. */
const LANES_PER_PAGE = 250;
/** Lanes of one hour that are added up in memory: processes that charged one account in one hour. */
const MAX_LANES = 100_000;

/** An hour whose lanes cannot be added up; hours after it can be read all the same. */
export class UnreadableHour extends Error {
  readonly hour: string;

  constructor(hour: string, message: string, cause?: unknown) {
    super(`hour ${hour}: ${message}`, { cause });
    this.hour = hour;
  }
}

/**
 * The hours of an account that have lanes, of all its shards, the oldest first, each as soon as it is read. Nothing is
 * read ahead of the consumer but the rest of a page.
 *
 * Rejects with `StoreUnavailableError` as {@link queryPages} does, and with {@link UnreadableHour}. The hours before are
 * whole.
 */
export async function* laneHours(reading: Reading, range: LaneRange): AsyncGenerator<HourLanes> {
  const shards = Array.from({ length: range.shards }, (_, shard) => shardHours(reading, range, shard));
  let parts = await allOf(shards.map(nextPart));
  for (;;) {
    const [oldest] = parts.flatMap((part) => (part === undefined ? [] : [hourOfPart(part)])).sort();
    if (oldest === undefined) return;
    const isRead = (part: Part | undefined): part is Part =>
      part !== undefined && hourOfPart(part) === oldest;
    yield addUp(oldest, parts.filter(isRead).flat());
    parts = await allOf(
      shards.map((shard, place) => (isRead(parts[place]) ? nextPart(shard) : Promise.resolve(parts[place]))),
    );
  }
}

/** The lanes that one shard has of one hour: never none. */
type Part = readonly [Item, ...Item[]];

function hourOfPart([lane]: Part): string {
  return hourOfLane(String(lane.hour_lane));
}

function addUp(hour: string, lanes: readonly Item[]): HourLanes {
  if (lanes.length > MAX_LANES) throw new UnreadableHour(hour, `more than ${MAX_LANES} lanes`);
  try {
    const [whole] = byHour(lanes);
    return whole ?? { hour, lanes, cu: 0n };
  } catch (error) {
    throw new UnreadableHour(hour, 'a lane is damaged', error);
  }
}

async function nextPart(shard: AsyncGenerator<Part>): Promise<Part | undefined> {
  const { value, done } = await shard.next();
  return done === true ? undefined : value;
}

/** All results, or the first failure once no work is under way any more. */
async function allOf<Result>(works: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

async function* shardHours(reading: Reading, range: LaneRange, shard: number): AsyncGenerator<Part> {
  const pages = queryPages(reading, { ...shardQuery(range, shard), limit: LANES_PER_PAGE });
  let part: [Item, ...Item[]] | undefined;
  for await (const lanes of pages) {
    for (const lane of lanes) {
      const isSameHour = part !== undefined && hourOfLane(String(lane.hour_lane)) === hourOfPart(part);
      if (part === undefined || !isSameHour) {
        if (part !== undefined) yield part;
        part = [lane];
      } else if (part.length <= MAX_LANES) part.push(lane);
    }
  }
  if (part !== undefined) yield part;
}
