import { METHODS, PREFIXES } from '../../shared/methods/method-table.ts';
import type { PlanLimits, PlanSettings } from '../../shared/runtime/settings.ts';
import type { KeyBounds } from '../contract/key-bounds.ts';
import type { LimitState } from '../contract/metering.ts';
import type { Changes } from '../store/expression.ts';
import { amountOrZero } from '../store/item-values.ts';
import { absentOr, type Item, type Update } from '../store/store.ts';
import { TABLES } from '../store/tables.ts';

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

/**
 * The update that draws from a key's bucket. Per limit, with t the time at which the bucket is full again:
 *
 *                now          now + tolerance - increment      now + tolerance
 *   ---- full ----|------------- draining, fits -------|---- draining, does not fit ----|
 *      t = now + increment        t = t + increment                refused
 *
 * Of a limit that others draw from as well, no instance knows which form is right: it takes the second one from now -
 * {@link SHARED_LAG} on, which is right as long as the key is busy.
 *
 * Invariant: an applied draw moves t forward by at least `increment`, to at least `now` - `SHARED_LAG` + `increment`,
 * and leaves it at most `tolerance` after the `now` that it was made with; nothing moves t back. So what a key is admitted
 * between two instants is bounded by its capacity and the refill between the slowest and the fastest clock and of that
 * lag, however many instances draw.
 * Of a key with a limit of its day, the same update counts the day:
 *
 *   day < today          day = today, day_cu = cu
 *   day = the known one  day_cu = day_cu + cu, if that is at most the limit
 *
 * Invariant: `day` never goes back, and `day_cu` is all that was drawn since it rose: whichever clock is the first past
 * midnight begins the day for all, and an instance whose clock is behind counts on it. So what a key is admitted in a day
 * is at most its limit, by the first clock.
 * A key that is not stored stays so. Whether it is active is in the item that the update returns, and not in its
 * condition: a role that may name `status` in a condition may set it as well.
 * `bucket`: as it was last seen; it decides which form is tried. `shared`: the limits that others draw from.
 */
export function bucketUpdate(
  keyId: string,
  { now, takes, ofDay }: Draw,
  bucket: Bucket,
  shared: ReadonlySet<FlowingLimit> = new Set(),
): Update {
  const flowing = takes.map((take) => {
    const { attribute } = take;
    const isShared = bucket[attribute] <= now && shared.has(attribute);
    return isShared
      ? drainingUpdate(attribute, take, now, now - SHARED_LAG)
      : limitUpdate(attribute, bucket[attribute], take, now);
  });
  const limits = ofDay === undefined ? flowing : [...flowing, dayUpdate(bucket.day, ofDay)];
  return {
    table: 'keys',
    key: { [TABLES.keys.partitionKey]: keyId },
    when: [{ is: 'present', attribute: TABLES.keys.partitionKey }, ...limits.flatMap(({ when }) => when)],
    set: Object.assign({}, ...limits.map(({ set }) => set)),
    add: Object.assign({}, ...limits.map(({ add }) => add)),
  };
}

/** Draws from one limit, as {@link bucketUpdate} describes. `fullAt`: what its attribute is expected to hold. */
export function limitUpdate(attribute: string, fullAt: bigint, take: Take, now: bigint): Changes {
  if (fullAt > now) return drainingUpdate(attribute, take, now, now);
  return { when: [absentOr(attribute, '<=', now)], set: { [attribute]: now + take.increment } };
}

/** Counts a draw of a day. `day`: the one that the item is expected to have. */
function dayUpdate(day: bigint, { today, cu, limit }: NonNullable<Draw['ofDay']>): Changes {
  if (day < today) {
    return { when: [absentOr('day', '<', today)], set: { day: today, day_cu: cu } };
  }
  return {
    when: [
      { is: '=', attribute: 'day', value: day },
      { is: '<=', attribute: 'day_cu', value: limit - cu },
    ],
    add: { day_cu: cu },
  };
}

function drainingUpdate(attribute: string, take: Take, now: bigint, after: bigint): Changes {
  return {
    when: [
      { is: '>', attribute, value: after },
      { is: '<=', attribute, value: now + take.tolerance - take.increment },
    ],
    add: { [attribute]: take.increment },
  };
}

/** Compute units of the dearest call: every bucket has room for one, however slowly it refills. */
const DEAREST_CALL_CU = [...METHODS, ...PREFIXES].reduce((most, { cu = 0 }) => Math.max(most, cu), 0);

/** The limits of one key. */
export interface KeyLimits extends PlanLimits {
  /** Compute units that it may draw in a day of UTC; absent: any number. */
  readonly cuPerDay?: number;
}

/** The plan of an account as it is for one of its keys. */
export type KeyPlan = PlanSettings & KeyLimits;

/** Plans that bounds have lowered, so that a key has one and the same object while neither changes. */
const lowered = new WeakMap<KeyBounds, { readonly from: PlanSettings; readonly to: KeyPlan }>();

/**
 * A plan, lowered to the bounds of a key: with its `cu_per_second` the bucket refills no faster, and holds what flows back
 * in as many seconds as by the plan, but at least the dearest call, and never more than by the plan.
 */
export function planOfKey(plan: PlanSettings, bounds: KeyBounds | undefined): KeyPlan {
  if (bounds?.cu_per_second === undefined && bounds?.cu_per_day === undefined) return plan;
  const known = lowered.get(bounds);
  if (known?.from === plan) return known.to;
  const to = lower(plan, bounds);
  lowered.set(bounds, { from: plan, to });
  return to;
}

function lower(plan: PlanSettings, { cu_per_second: perSecond, cu_per_day: cuPerDay }: KeyBounds): KeyPlan {
  const day = cuPerDay === undefined ? {} : { cuPerDay };
  const { bucketCapacity, refillPerSecond } = plan;
  if (perSecond === undefined || perSecond >= refillPerSecond) return { ...plan, ...day };
  const share = Math.ceil((bucketCapacity * perSecond) / refillPerSecond);
  return {
    ...plan,
    ...day,
    refillPerSecond: perSecond,
    bucketCapacity: Math.min(bucketCapacity, Math.max(share, DEAREST_CALL_CU)),
  };
}

/** `RateLimit-Policy` and `RateLimit` of the IETF draft, such as `"cu";q=5000;w=10` and `"cu";r=4210;t=1`. */
export function rateLimitHeaders(limits: readonly LimitState[]): Record<string, string> {
  if (limits.length === 0) return {};
  return {
    'RateLimit-Policy': limits
      .map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`)
      .join(', '),
    RateLimit: limits
      .map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
  };
}

/** Value of `Retry-After`: whole seconds, at least 1, because clients ignore 0 and fractions. */
export function retryAfterSeconds(retryAfterMs: number): number {
  return Math.max(1, Math.ceil(retryAfterMs / 1_000));
}
