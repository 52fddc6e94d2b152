import { hourOfLane } from '../charge/lane.ts';
import { amountOf } from '../store/item-values.ts';
import { queryPages, type Reading } from '../store/query-items.ts';
import type { Item } from '../store/store.ts';
import { type HourLanes, type LaneRange, shardQuery } from './read-lanes.ts';

/** Lanes of one page: a lane is less than a kibibyte, so a page is at most 63 read units. */
const LANES_PER_PAGE = 250;
/** Lanes of one hour that are added up: processes that charged one account in one hour. */
const MAX_LANES = 100_000;

/** An hour whose lanes cannot be added up; hours after it can be read all the same. */
export class UnreadableHour extends Error {
  readonly hour: string;

  constructor(hour: string, message: string, cause?: unknown) {
    super(`hour ${hour}: ${message}`, { cause });
    this.hour = hour;
  }
}

/** Takes in the lanes of one shard and hour, in the order of their names. What it keeps of them is all that is kept. */
export interface LaneSink {
  /** Throws an Error if the lane is damaged. */
  add(lane: Item): void;
}

/** The lanes of one hour of an account, as its sinks have them. */
export interface SummedLanes<Sink> {
  readonly hour: string;
  /** What they add up to, in compute units. */
  readonly cu: bigint;
  /** Number of lanes. */
  readonly lanes: number;
  /** Of each shard that has lanes, in the order of the shards. */
  readonly sinks: readonly Sink[];
}

/** The hours of an account that have lanes, with all lanes of an hour in memory: see {@link sumLanes}. */
export async function* laneHours(reading: Reading, range: LaneRange): AsyncGenerator<HourLanes> {
  for await (const { sinks, ...sum } of sumLanes(reading, range, () => new LaneList()))
    yield { ...sum, lanes: sinks.flatMap(({ lanes }) => lanes) };
}

/**
 * The hours of an account that have lanes, of all its shards, the oldest first, each as soon as it is read. Nothing is
 * read ahead of the consumer but the rest of a page, and a page that was taken in is not kept.
 *
 * Rejects with `StoreUnavailableError` as {@link queryPages} does, and with {@link UnreadableHour}. The hours before are
 * whole.
 * @param newSink makes the sink of one shard and hour
 */
export async function* sumLanes<Sink extends LaneSink>(
  reading: Reading,
  range: LaneRange,
  newSink: (shard: number, hour: string) => Sink,
): AsyncGenerator<SummedLanes<Sink>> {
  const shards = Array.from({ length: range.shards }, (_, shard) =>
    shardHours(reading, range, shard, (hour) => newSink(shard, hour)),
  );
  let parts = await allOf(shards.map(nextPart));
  for (;;) {
    const [oldest] = parts.flatMap((part) => (part === undefined ? [] : [part.hour])).sort();
    if (oldest === undefined) return;
    const isRead = (part: Part<Sink> | undefined): part is Part<Sink> => part?.hour === oldest;
    yield addUp(oldest, parts.filter(isRead));
    parts = await allOf(
      shards.map((shard, place) => (isRead(parts[place]) ? nextPart(shard) : Promise.resolve(parts[place]))),
    );
  }
}

/** Keeps all lanes. */
class LaneList implements LaneSink {
  readonly lanes: Item[] = [];

  add(lane: Item): void {
    this.lanes.push(lane);
  }
}

/** What one shard has of one hour: never no lanes. */
class Part<Sink extends LaneSink> {
  readonly hour: string;
  readonly sink: Sink;
  lanes = 0;
  cu = 0n;
  damage: unknown;

  constructor(hour: string, sink: Sink) {
    this.hour = hour;
    this.sink = sink;
  }

  add(lane: Item): void {
    this.lanes += 1;
    if (this.lanes > MAX_LANES || this.damage !== undefined) return;
    try {
      this.cu += amountOf(lane, 'total');
      this.sink.add(lane);
    } catch (error) {
      this.damage = error;
    }
  }
}

function addUp<Sink extends LaneSink>(hour: string, parts: readonly Part<Sink>[]): SummedLanes<Sink> {
  const lanes = parts.reduce((sum, part) => sum + part.lanes, 0);
  if (lanes > MAX_LANES) throw new UnreadableHour(hour, `more than ${MAX_LANES} lanes`);
  const damaged = parts.find(({ damage }) => damage !== undefined);
  if (damaged !== undefined) throw new UnreadableHour(hour, 'a lane is damaged', damaged.damage);
  const cu = parts.reduce((sum, part) => sum + part.cu, 0n);
  return { hour, cu, lanes, sinks: parts.map(({ sink }) => sink) };
}

async function nextPart<Value>(shard: AsyncGenerator<Value>): Promise<Value | undefined> {
  const { value, done } = await shard.next();
  return done === true ? undefined : value;
}

/** All results, or the first failure once no work is under way any more. */
async function allOf<Result>(works: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

async function* shardHours<Sink extends LaneSink>(
  reading: Reading,
  range: LaneRange,
  shard: number,
  newSink: (hour: string) => Sink,
): AsyncGenerator<Part<Sink>> {
  const pages = queryPages(reading, { ...shardQuery(range, shard), limit: LANES_PER_PAGE });
  let part: Part<Sink> | undefined;
  for await (const lanes of pages) {
    for (const lane of lanes) {
      const hour = hourOfLane(String(lane.hour_lane));
      if (part?.hour !== hour) {
        if (part !== undefined) yield part;
        part = new Part(hour, newSink(hour));
      }
      part.add(lane);
    }
  }
  if (part !== undefined) yield part;
}
