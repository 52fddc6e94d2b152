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

/** What one request takes from one limit, as refill time in picoseconds. */
export interface LimitConsumption {
  /** Time in which the drawn amount flows back: amount / refill rate, rounded down. */
  readonly increment: bigint;
  /** Time in which an empty bucket fills: capacity / refill rate, rounded down. At least `increment`. */
  readonly tolerance: bigint;
}

/** What one request takes, all or nothing, at one time. */
export interface Consumption {
  /** Picoseconds since the epoch. */
  readonly now: bigint;
  readonly tat: LimitConsumption;
  /** Absent on plans without requests per second. */
  readonly rt: LimitConsumption | undefined;
}

/** The two forms of the update of one limit: a bucket that has not refilled yet, or a full one. */
export type UpdateForm = 'draining' | 'full';

/** Whether a draw fits a bucket, and by which forms of the update; if not, which limit refuses for how long. */
export type Decision =
  | { readonly fits: true; readonly tat: UpdateForm; readonly rt: UpdateForm | undefined }
  | { readonly fits: false; readonly limit: 'cu' | 'rps'; readonly retryAfterMs: number };

/** What is drawn at once. */
export interface Cost {
  /** Compute units. */
  readonly cu: number;
  /** HTTP requests: a batch is one. */
  readonly requests: number;
}

/**
 * The draw of a cost. Both quotients are rounded down, so that a full bucket admits its whole capacity in one
 * request or in many (and no more, while capacity times refill rate stays below 10^12).
 * Only for costs that can fit: at most `bucketCapacity` units and `requestsPerSecond` requests.
 */
export function drawOf(plan: PlanLimits, { cu, requests }: Cost, nowMs: number): Consumption {
  const { requestsPerSecond } = plan;
  return {
    now: BigInt(nowMs) * PICOSECONDS_PER_MILLISECOND,
    tat: {
      increment: refillTime(cu, plan.refillPerSecond),
      tolerance: refillTime(plan.bucketCapacity, plan.refillPerSecond),
    },
    rt: requestsPerSecond === undefined ? undefined : takeOfRequests(requests, requestsPerSecond),
  };
}

function takeOfRequests(requests: number, requestsPerSecond: number): LimitConsumption {
  return {
    increment: refillTime(requests, requestsPerSecond),
    tolerance: refillTime(requestsPerSecond, requestsPerSecond),
  };
}

/** The bucket of a stored key item. */
export function bucketOf(item: Item): Bucket {
  return { tat: amountOrZero(item, 'tat'), rt: amountOrZero(item, 'rt') };
}

/** Decides a draw on a bucket. If both limits refuse, returns the one that refuses longer. */
export function decide(bucket: Bucket, draw: Consumption): Decision {
  const waitForUnits = waitTime(bucket.tat, draw.tat, draw.now);
  const waitForRequests = draw.rt === undefined ? 0n : waitTime(bucket.rt, draw.rt, draw.now);
  const wait = waitForRequests > waitForUnits ? waitForRequests : waitForUnits;
  if (wait > 0n) {
    const limit = waitForRequests > waitForUnits ? 'rps' : 'cu';
    return { fits: false, limit, retryAfterMs: Number(ceilingQuotient(wait, PICOSECONDS_PER_MILLISECOND)) };
  }
  return {
    fits: true,
    tat: formOf(bucket.tat, draw.now),
    rt: draw.rt === undefined ? undefined : formOf(bucket.rt, draw.now),
  };
}

/** The limits of a plan as they stand at a time, for the client. */
export function limitStates(plan: PlanLimits, bucket: Bucket, nowMs: number): readonly LimitState[] {
  const units = limitState('cu', plan.bucketCapacity, plan.refillPerSecond, bucket.tat, nowMs);
  if (plan.requestsPerSecond === undefined) return [units];
  const { requestsPerSecond } = plan;
  return [units, limitState('rps', requestsPerSecond, requestsPerSecond, bucket.rt, nowMs)];
}

function limitState(
  name: LimitState['name'],
  quota: number,
  refillPerSecond: number,
  fullAt: bigint,
  nowMs: number,
): LimitState {
  const rate = BigInt(refillPerSecond);
  const untilFull = positive(fullAt - BigInt(nowMs) * PICOSECONDS_PER_MILLISECOND);
  const room = positive(refillTime(quota, refillPerSecond) - untilFull);
  return {
    name,
    quota,
    windowSeconds: Math.ceil(quota / refillPerSecond),
    // The largest amount whose refill time, rounded down, is at most the room.
    remaining: Number(((room + 1n) * rate - 1n) / PICOSECONDS_PER_SECOND),
    resetSeconds: Number(ceilingQuotient(untilFull, PICOSECONDS_PER_SECOND)),
  };
}

/** A draining bucket takes it once `fullAt + increment` is at most `now + tolerance`; a full one always does. */
function waitTime(fullAt: bigint, take: LimitConsumption, now: bigint): bigint {
  return fullAt > now ? positive(fullAt + take.increment - take.tolerance - now) : 0n;
}

function formOf(fullAt: bigint, now: bigint): UpdateForm {
  return fullAt > now ? 'draining' : 'full';
}

function refillTime(amount: number, perSecond: number): bigint {
  return (BigInt(amount) * PICOSECONDS_PER_SECOND) / BigInt(perSecond);
}

function positive(value: bigint): bigint {
  return value > 0n ? value : 0n;
}

function ceilingQuotient(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
