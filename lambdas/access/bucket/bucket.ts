import type { LimitState } from '../contract/metering.ts';
import { amountOrZero } from '../store/item-values.ts';
import type { Item } from '../store/store.ts';
import type { KeyLimits } from './key-limits.ts';

const MILLISECONDS_PER_DAY = 86_400_000;
const SECONDS_PER_DAY = 86_400;
const MILLISECONDS_PER_SECOND = 1_000;
const PICOSECONDS_PER_SECOND = 1_000_000_000_000n;
/** Buckets count in picoseconds. */
export const PICOSECONDS_PER_MILLISECOND = 1_000_000_000n;

/**
 * The bucket of a key item: per limit the time, in picoseconds since the epoch, at which it is full again (the
 * theoretical arrival time of GCRA). A time in the past, 0 included, is a full bucket.
 */
export interface Bucket {
  /** Of the compute units. */
  readonly tat: bigint;
  /** Of the requests per second. */
  readonly rt: bigint;
  /** The youngest day in which the key's day was counted, in days of UTC since the epoch; 0: none. */
  readonly day: bigint;
  /** Compute units that were drawn in it. */
  readonly dayCu: bigint;
}

/** The bucket of a key that was never used. */
export const FULL_BUCKET: Bucket = { tat: 0n, rt: 0n, day: 0n, dayCu: 0n };

/** Limits of a bucket that flow back. */
export type FlowingLimit = 'tat' | 'rt';

/** What a draw takes from one limit, as refill time in picoseconds. */
export interface Take {
  /** Time in which the drawn amount flows back: amount / refill rate, rounded down. */
  readonly increment: bigint;
  /** Time in which an empty bucket fills: capacity / refill rate, rounded down. At least `increment`. */
  readonly tolerance: bigint;
}

/**
 * Time for which a limit that several instances draw from may have been full, and is drawn from where it stood: none of
 * them knows whether it is full at the moment. In picoseconds.
 */
export const SHARED_LAG = 100n * PICOSECONDS_PER_MILLISECOND;

/** What one request takes, all or nothing, at one time. */
export interface Draw {
  /** Picoseconds since the epoch. */
  readonly now: bigint;
  readonly takes: readonly (Take & Pick<Limit, 'name' | 'attribute'>)[];
  /** What it takes of the key's day; absent: the key has no such limit. */
  readonly ofDay?: { readonly today: bigint; readonly cu: bigint; readonly limit: bigint };
}

/** Whether a draw fits a bucket; if not, which limit refuses for how long. */
export type Decision =
  | { readonly fits: true }
  | { readonly fits: false; readonly limit: FlowingName; readonly retryAfterMs: number }
  /** `resetsAtMs`: in milliseconds since the epoch. */
  | { readonly fits: false; readonly limit: 'key-day'; readonly resetsAtMs: number };
type FlowingName = Exclude<LimitState['name'], 'key-day'>;

/** What is drawn at once. */
export interface Cost {
  /** Compute units. */
  readonly cu: number;
  /** HTTP requests: a batch is one. */
  readonly requests: number;
}

/** One limit of a plan. */
interface Limit {
  readonly name: FlowingName;
  /** Where a key item has it. */
  readonly attribute: FlowingLimit;
  readonly quota: number;
  readonly refillPerSecond: number;
}

/** The limits of a plan: of compute units, and of requests if it has one. */
function limitsOf({ bucketCapacity, refillPerSecond, requestsPerSecond }: KeyLimits): readonly Limit[] {
  const units: Limit = { name: 'cu', attribute: 'tat', quota: bucketCapacity, refillPerSecond };
  if (requestsPerSecond === undefined) return [units];
  const requests = { quota: requestsPerSecond, refillPerSecond: requestsPerSecond };
  return [units, { name: 'rps', attribute: 'rt', ...requests }];
}

/**
 * The draw of a cost. Both quotients are rounded down, so that a full bucket admits its whole capacity in one
 * request or in many (and no more, while capacity times refill rate stays below 10^12).
 * Only for costs that can fit: at most `bucketCapacity` units and `requestsPerSecond` requests.
 */
export function drawOf(plan: KeyLimits, { cu, requests }: Cost, nowMs: number): Draw {
  const takes = limitsOf(plan).map(({ name, attribute, quota, refillPerSecond }) => ({
    name,
    attribute,
    increment: refillTime(name === 'cu' ? cu : requests, refillPerSecond),
    tolerance: refillTime(quota, refillPerSecond),
  }));
  const { cuPerDay } = plan;
  return {
    now: BigInt(nowMs) * PICOSECONDS_PER_MILLISECOND,
    takes,
    ...(cuPerDay !== undefined && {
      ofDay: { today: dayOf(nowMs), cu: BigInt(cu), limit: BigInt(cuPerDay) },
    }),
  };
}

/** The day of a time, in days of UTC since the epoch. */
function dayOf(nowMs: number): bigint {
  return BigInt(Math.floor(nowMs / MILLISECONDS_PER_DAY));
}

/** A bucket as its day is at a time: a day that is over counts nothing. One that began by a faster clock goes on. */
function onDay(bucket: Bucket, today: bigint): Pick<Bucket, 'day' | 'dayCu'> {
  return bucket.day < today ? { day: today, dayCu: 0n } : bucket;
}

function dayEndMs(day: bigint): number {
  return (Number(day) + 1) * MILLISECONDS_PER_DAY;
}

/** The bucket of a stored key item. */
export function bucketOf(item: Item): Bucket {
  return {
    tat: amountOrZero(item, 'tat'),
    rt: amountOrZero(item, 'rt'),
    day: amountOrZero(item, 'day'),
    dayCu: amountOrZero(item, 'day_cu'),
  };
}

/** Decides a draw on a bucket. If both limits refuse, returns the one that refuses longer; the day before both. */
export function decide(bucket: Bucket, { now, takes, ofDay }: Draw): Decision {
  if (ofDay !== undefined) {
    const { day, dayCu } = onDay(bucket, ofDay.today);
    if (dayCu + ofDay.cu > ofDay.limit) return { fits: false, limit: 'key-day', resetsAtMs: dayEndMs(day) };
  }
  let wait = 0n;
  let limit: FlowingName = 'cu';
  for (const take of takes) {
    const own = waitTime(bucket[take.attribute], take, now);
    if (own > wait) [wait, limit] = [own, take.name];
  }
  if (wait === 0n) return { fits: true };
  return { fits: false, limit, retryAfterMs: Number(ceilingQuotient(wait, PICOSECONDS_PER_MILLISECOND)) };
}

/** The bucket after a draw that it takes. */
export function drained(bucket: Bucket, { now, takes, ofDay }: Draw): Bucket {
  const { day, dayCu } = ofDay === undefined ? bucket : onDay(bucket, ofDay.today);
  const after = takes.map(({ attribute, increment }) => [
    attribute,
    later(bucket[attribute], now) + increment,
  ]);
  return { ...bucket, ...Object.fromEntries(after), day, dayCu: dayCu + (ofDay?.cu ?? 0n) };
}

/** Of two buckets of one key, that which was drawn from last, for each limit. */
export function latest(one: Bucket, other: Bucket): Bucket {
  const isLaterDay = one.day === other.day ? one.dayCu > other.dayCu : one.day > other.day;
  const { day, dayCu } = isLaterDay ? one : other;
  return { tat: later(one.tat, other.tat), rt: later(one.rt, other.rt), day, dayCu };
}

/** The limits of a key as they stand at a time, for the client; that of its day is the last. */
export function limitStates(plan: KeyLimits, bucket: Bucket, nowMs: number): readonly LimitState[] {
  return [...flowingStates(plan, bucket, nowMs), ...dayStates(plan, bucket, nowMs)];
}

/** Those that flow back. */
export function flowingStates(plan: KeyLimits, bucket: Bucket, nowMs: number): readonly LimitState[] {
  return limitsOf(plan).map(({ name, attribute, quota, refillPerSecond }) => {
    const untilFull = positive(bucket[attribute] - BigInt(nowMs) * PICOSECONDS_PER_MILLISECOND);
    const room = positive(refillTime(quota, refillPerSecond) - untilFull);
    return {
      name,
      quota,
      windowSeconds: Math.ceil(quota / refillPerSecond),
      // The largest amount whose refill time, rounded down, is at most the room.
      remaining: Number(((room + 1n) * BigInt(refillPerSecond) - 1n) / PICOSECONDS_PER_SECOND),
      resetSeconds: Number(ceilingQuotient(untilFull, PICOSECONDS_PER_SECOND)),
    };
  });
}

function dayStates({ cuPerDay }: KeyLimits, bucket: Bucket, nowMs: number): readonly LimitState[] {
  if (cuPerDay === undefined) return [];
  const { day, dayCu } = onDay(bucket, dayOf(nowMs));
  return [
    {
      name: 'key-day',
      quota: cuPerDay,
      windowSeconds: SECONDS_PER_DAY,
      remaining: Math.max(0, cuPerDay - Number(dayCu)),
      resetSeconds: Math.ceil((dayEndMs(day) - nowMs) / MILLISECONDS_PER_SECOND),
    },
  ];
}

/**
 * Picoseconds until a limit has room; 0: now. A draining bucket takes it once `fullAt + increment` is at most
 * `now + tolerance`; a full one always does.
 */
export function waitTime(fullAt: bigint, take: Take, now: bigint): bigint {
  return fullAt > now ? positive(fullAt + take.increment - take.tolerance - now) : 0n;
}

function refillTime(amount: number, perSecond: number): bigint {
  return (BigInt(amount) * PICOSECONDS_PER_SECOND) / BigInt(perSecond);
}

function later(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function positive(value: bigint): bigint {
  return value > 0n ? value : 0n;
}

function ceilingQuotient(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
