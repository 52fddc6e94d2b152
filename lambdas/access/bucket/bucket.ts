import type { PlanLimits } from '../../shared/runtime/settings.ts';
import type { LimitState } from '../contract/metering.ts';
import { amountOrZero } from '../store/item-values.ts';
import type { Item } from '../store/store.ts';

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
}

/** The bucket of a key that was never used. */
export const FULL_BUCKET: Bucket = { tat: 0n, rt: 0n };

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
}

/** Whether a draw fits a bucket; if not, which limit refuses for how long. */
export type Decision =
  | { readonly fits: true }
  | { readonly fits: false; readonly limit: LimitState['name']; readonly retryAfterMs: number };

/** What is drawn at once. */
export interface Cost {
  /** Compute units. */
  readonly cu: number;
  /** HTTP requests: a batch is one. */
  readonly requests: number;
}

/** One limit of a plan. */
interface Limit {
  readonly name: LimitState['name'];
  /** Where a key item has it. */
  readonly attribute: keyof Bucket;
  readonly quota: number;
  readonly refillPerSecond: number;
}

/** The limits of a plan: of compute units, and of requests if it has one. */
function limitsOf({ bucketCapacity, refillPerSecond, requestsPerSecond }: PlanLimits): readonly Limit[] {
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
export function drawOf(plan: PlanLimits, { cu, requests }: Cost, nowMs: number): Draw {
  const takes = limitsOf(plan).map(({ name, attribute, quota, refillPerSecond }) => ({
    name,
    attribute,
    increment: refillTime(name === 'cu' ? cu : requests, refillPerSecond),
    tolerance: refillTime(quota, refillPerSecond),
  }));
  return { now: BigInt(nowMs) * PICOSECONDS_PER_MILLISECOND, takes };
}

/** The bucket of a stored key item. */
export function bucketOf(item: Item): Bucket {
  return { tat: amountOrZero(item, 'tat'), rt: amountOrZero(item, 'rt') };
}

/** Decides a draw on a bucket. If both limits refuse, returns the one that refuses longer. */
export function decide(bucket: Bucket, { now, takes }: Draw): Decision {
  let wait = 0n;
  let limit: LimitState['name'] = 'cu';
  for (const take of takes) {
    const own = waitTime(bucket[take.attribute], take, now);
    if (own > wait) [wait, limit] = [own, take.name];
  }
  if (wait === 0n) return { fits: true };
  return { fits: false, limit, retryAfterMs: Number(ceilingQuotient(wait, PICOSECONDS_PER_MILLISECOND)) };
}

/** The bucket after a draw that it takes. */
export function drained(bucket: Bucket, { now, takes }: Draw): Bucket {
  const after = takes.map(({ attribute, increment }) => [
    attribute,
    later(bucket[attribute], now) + increment,
  ]);
  return { ...bucket, ...Object.fromEntries(after) };
}

/** Of two buckets of one key, that which was drawn from last, for each limit. */
export function latest(one: Bucket, other: Bucket): Bucket {
  return { tat: later(one.tat, other.tat), rt: later(one.rt, other.rt) };
}

/** The limits of a plan as they stand at a time, for the client. */
export function limitStates(plan: PlanLimits, bucket: Bucket, nowMs: number): readonly LimitState[] {
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
