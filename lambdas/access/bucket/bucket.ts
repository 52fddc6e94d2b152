import { METHODS, PREFIXES } from '../../shared/methods/method-table.ts';
import type { PlanLimits, PlanSettings } from '../../shared/runtime/settings.ts';
import type { KeyBounds } from '../contract/key-bounds.ts';
import type { LimitState } from '../contract/metering.ts';
import type { Changes } from '../store/store.ts';
import { absentOr, type Item, type Update } from '../store/store.ts';
import { TABLES } from '../store/tables.ts';

const MILLISECONDS_PER_DAY = 86_400_000;
const SECONDS_PER_DAY = 86_400;
const MILLISECONDS_PER_SECOND = 1_000;
const PICOSECONDS_PER_SECOND = 1_000_000_000_000n;
/** Buckets count in picoseconds. */
export const PICOSECONDS_PER_MILLISECOND = 1_000_000_000n;

/**
 * The bucket of an item, by its attributes: per limit the time, in picoseconds since the epoch, at which it is full again (the
 * theoretical arrival time of GCRA). A time in the past, or no attribute, is a full bucket. That of a key has `tat` for its
 * compute units, `rt` for its requests, and `day`, the youngest day in which its day was counted, in days of UTC since the
 * epoch, with the compute units that were drawn in it, `day_cu`.
 */
export type Bucket = Readonly<Record<string, bigint>>;

/** The bucket of an item that was never used. */
export const FULL_BUCKET: Bucket = {};

/** What a draw takes from one limit that flows back, as refill time in picoseconds. */
interface Take<Name extends string = FlowingName> {
  readonly name: Name;
  /** Where the item has the limit. */
  readonly attribute: string;
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
export interface Draw<Name extends string = FlowingName> {
  /** Picoseconds since the epoch. */
  readonly now: bigint;
  readonly takes: readonly Take<Name>[];
  /** What it takes of the key's day; absent: the key has no such limit. */
  readonly ofDay?: { readonly today: bigint; readonly cu: bigint; readonly limit: bigint };
}

/** Whether a draw fits a bucket; if not, which limit refuses for how long. */
export type Decision<Name extends string = FlowingName> =
  | { readonly fits: true }
  | { readonly fits: false; readonly limit: Name; readonly retryAfterMs: number }
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
  readonly attribute: string;
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

/** The day of a bucket at a time: a day that is over counts nothing. One that began by a faster clock continues. */
function onDay(
  { day = 0n, day_cu = 0n }: Bucket,
  today: bigint,
): { readonly day: bigint; readonly day_cu: bigint } {
  return day < today ? { day: today, day_cu: 0n } : { day, day_cu };
}

function dayEndMs(day: bigint): number {
  return (Number(day) + 1) * MILLISECONDS_PER_DAY;
}

/** The bucket of a stored item. */
export function bucketOf(item: Item): Bucket {
  return Object.fromEntries(
    Object.entries(item).filter((one): one is [string, bigint] => typeof one[1] === 'bigint'),
  );
}

/** Decides a draw on a bucket. If several limits refuse, returns the one that refuses longest; the day before all. */
export function decide<Name extends string>(
  bucket: Bucket,
  { now, takes, ofDay }: Draw<Name>,
): Decision<Name> {
  if (ofDay !== undefined) {
    const { day, day_cu } = onDay(bucket, ofDay.today);
    if (day_cu + ofDay.cu > ofDay.limit) return { fits: false, limit: 'key-day', resetsAtMs: dayEndMs(day) };
  }
  const [longest] = takes
    .map((take) => ({ limit: take.name, wait: waitTime(bucket[take.attribute], take, now) }))
    .sort((one, other) => Number(other.wait - one.wait));
  if (longest === undefined || longest.wait === 0n) return { fits: true };
  const retryAfterMs = Number(ceilingQuotient(longest.wait, PICOSECONDS_PER_MILLISECOND));
  return { fits: false, limit: longest.limit, retryAfterMs };
}

/** The bucket after a draw that it takes. */
export function drained(bucket: Bucket, { now, takes, ofDay }: Draw<string>): Bucket {
  const after = takes.map(({ attribute, increment }) => [
    attribute,
    later(bucket[attribute], now) + increment,
  ]);
  const flowing: Bucket = { ...bucket, ...Object.fromEntries(after) };
  if (ofDay === undefined) return flowing;
  const { day, day_cu } = onDay(bucket, ofDay.today);
  return { ...flowing, day, day_cu: day_cu + ofDay.cu };
}

/** Of two buckets of one item, that which was drawn from last, for each limit. */
export function latest(one: Bucket, other: Bucket): Bucket {
  const newer = Object.entries(other).map(([attribute, value]) => [attribute, later(one[attribute], value)]);
  const { day, day_cu } = (one.day ?? 0n) > (other.day ?? 0n) ? one : other;
  const both: Bucket = { ...one, ...Object.fromEntries(newer) };
  return one.day === other.day || day === undefined || day_cu === undefined ? both : { ...both, day, day_cu };
}

/** The limits of a key as they stand at a time, for the client; that of its day is the last. */
export function limitStates(plan: KeyLimits, bucket: Bucket, nowMs: number): readonly LimitState[] {
  return [...flowingStates(plan, bucket, nowMs), ...dayStates(plan, bucket, nowMs)];
}

/** Those that flow back. */
export function flowingStates(plan: KeyLimits, bucket: Bucket, nowMs: number): readonly LimitState[] {
  return limitsOf(plan).map(({ name, attribute, quota, refillPerSecond }) => {
    const untilFull = positive((bucket[attribute] ?? 0n) - BigInt(nowMs) * PICOSECONDS_PER_MILLISECOND);
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
  const { day, day_cu } = onDay(bucket, dayOf(nowMs));
  return [
    {
      name: 'key-day',
      quota: cuPerDay,
      windowSeconds: SECONDS_PER_DAY,
      remaining: Math.max(0, cuPerDay - Number(day_cu)),
      resetSeconds: Math.ceil((dayEndMs(day) - nowMs) / MILLISECONDS_PER_SECOND),
    },
  ];
}

/**
 * Picoseconds until a limit has room; 0: now. A draining bucket takes it once `fullAt + increment` is at most
 * `now + tolerance`; a full one always does.
 */
function waitTime(fullAt: bigint | undefined, take: Take<string>, now: bigint): bigint {
  return fullAt !== undefined && fullAt > now ? positive(fullAt + take.increment - take.tolerance - now) : 0n;
}

function refillTime(amount: number, perSecond: number): bigint {
  return (BigInt(amount) * PICOSECONDS_PER_SECOND) / BigInt(perSecond);
}

function later(one: bigint | undefined, other: bigint): bigint {
  return one !== undefined && one > other ? one : other;
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
 */
export function bucketUpdate(keyId: string, draw: Draw, expected: ExpectedBucket): Update {
  const { when, ...changes } = drawChanges(draw, expected);
  const isStored = { is: 'present', attribute: TABLES.keys.partitionKey } as const;
  return {
    table: 'keys',
    key: { [TABLES.keys.partitionKey]: keyId },
    when: [isStored, ...when],
    ...changes,
  };
}

/** What a draw is likely to find. */
export interface ExpectedBucket {
  /** As it was last seen, after the draws of this instance that are under way: it decides which form is tried. */
  readonly bucket: Bucket;
  /** Limits of which this instance knows too little, because others draw from them. @default none */
  readonly shared?: ReadonlySet<string>;
  /** Time for which such a limit may have been full and is drawn from where it stood, in picoseconds. @default SHARED_LAG */
  readonly lag?: bigint;
}

/** The condition and the changes of a draw, of whatever item: {@link bucketUpdate}. */
export function drawChanges(
  { now, takes, ofDay }: Draw<string>,
  { bucket, shared, lag = SHARED_LAG }: ExpectedBucket,
): Changes {
  const flowing = takes.map((take) => {
    const { attribute, increment } = take;
    const fullAt = bucket[attribute] ?? 0n;
    if (fullAt > now) return drainingUpdate(take, now, now);
    if (shared?.has(attribute) === true) return drainingUpdate(take, now, now - lag);
    return { when: [absentOr(attribute, '<=', now)], set: { [attribute]: now + increment } };
  });
  const limits: readonly Changes[] =
    ofDay === undefined ? flowing : [...flowing, dayUpdate(bucket.day ?? 0n, ofDay)];
  return {
    when: limits.flatMap(({ when }) => when),
    set: Object.assign({}, ...limits.map(({ set }) => set)),
    add: Object.assign({}, ...limits.map(({ add }) => add)),
  };
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

function drainingUpdate(
  { attribute, increment, tolerance }: Take<string>,
  now: bigint,
  after: bigint,
): Changes {
  return {
    when: [
      { is: '>', attribute, value: after },
      { is: '<=', attribute, value: now + tolerance - increment },
    ],
    add: { [attribute]: increment },
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
