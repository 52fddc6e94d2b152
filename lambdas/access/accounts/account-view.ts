import { HOUR_MS, hourOf, hourStartMs } from '../../shared/runtime/hour.ts';
import type { PlanSettings } from '../../shared/runtime/settings.ts';
import type { AccountItem } from './account-item.ts';

const MILLISECONDS_PER_SECOND = 1_000;
/** Age that a reading may have already: of one that is eventually consistent, or by another clock. In milliseconds. */
const READING_LAG_MS = 1_000;
const CLOCK_SPREAD_MS = 5_000;
/** Time for which a disabled key counts on: clocks, and what was drawn ahead for it. In milliseconds. */
const DISABLED_COUNTS_MS = CLOCK_SPREAD_MS + 2_000;

/** An account as an instance last saw it. */
export interface AccountView {
  readonly item: AccountItem;
  /** Its plan, or the default plan if the stage no longer has its own. */
  readonly plan: PlanSettings;
  /** When the read of the item began, in milliseconds since the epoch. */
  readonly itemSeenAt: number;
  /** Undefined: they were never read. */
  readonly lanes: SeenLanes | undefined;
  /** Compute units of the lanes from the item's open hour on, and since when it is unknown what has been added. */
  readonly charged: { readonly cu: bigint; readonly seenAt: number };
  /** Whether the account has too many lanes for every instance to read them: its balance view is read instead. */
  readonly isWide: boolean;
  /** When this instance last read of it, by its own clock. */
  readonly readAt: number;
  /** Compute units that this instance charged since then, and those that it held back then. No decision rests on them. */
  readonly ownCu: bigint;
  readonly heldCu: bigint;
}

/** Readings of one account, of one moment or of several. */
export type Readings = Omit<AccountView, 'charged'>;

/** A view of these readings. An hour that is open by the item and was not read of counts as unseen. */
export function viewOf(readings: Readings, nowMs: number): AccountView {
  const { item, lanes } = readings;
  const charged =
    lanes === undefined
      ? { cu: 0n, seenAt: hourStartMs(item.openFrom) }
      : sumSeenLanes(lanes, item.openFrom, nowMs);
  return { ...readings, charged };
}

/** The balance as far as the instance knows, in compute units: an estimate, for its clients. */
export function estimateBalance(view: AccountView): bigint {
  return seenBalance(view) - view.ownCu - view.heldCu;
}

/** The most that the account can have, in compute units: lanes only rise. Of the time at which its item was read. */
export function seenBalance({ item, charged }: Pick<AccountView, 'item' | 'charged'>): bigint {
  return item.granted - item.debited - item.closed - charged.cu;
}

/** How old readings may be that decide, in milliseconds. */
export interface ReadingAges {
  /** The item's, where the balance is certain. */
  readonly certain: number;
  /** The lanes', where the account may be at its end and is admitted. */
  readonly admit: number;
  /** The item's, where it is refused: lanes of any age say that as much is used up. */
  readonly refuse: number;
}

/**
 * What readings say of a balance.
 *
 * - `certain`: it has one, whatever was charged since the lanes were read.
 * - `positive`: it had one when they were read, which is recent enough.
 * - `used_up`: it has none, unless it was credited since the item was read, which is recent enough.
 * - `unknown`: they are too old.
 */
export type BalanceState = 'certain' | 'positive' | 'used_up' | 'unknown';

/** Decides on a balance by the sums of its readings and their times, whatever they were read from. */
export function balanceStateOf(view: AccountView, nowMs: number, ages: ReadingAges): BalanceState {
  const isCertain = isYoung(view.itemSeenAt, nowMs, ages.certain) && certainBalance(view, nowMs) > 0n;
  if (isCertain) return 'certain';
  if (seenBalance(view) <= 0n) return isYoung(view.itemSeenAt, nowMs, ages.refuse) ? 'used_up' : 'unknown';
  return isYoung(view.charged.seenAt, nowMs, ages.admit) ? 'positive' : 'unknown';
}

/**
 * What the account has at the least, in compute units: what it had when its lanes were read, less all that its keys can
 * have been admitted since. Lanes that were never read were empty when the account's oldest open hour began.
 */
function certainBalance(view: AccountView, nowMs: number): bigint {
  const { seenAt } = view.charged;
  const lagMs = READING_LAG_MS + (view.isWide ? CLOCK_SPREAD_MS : 0);
  return seenBalance(view) - spendable(view, seenAt, Math.max(0, nowMs - seenAt) + lagMs);
}

/** Most compute units that an account's keys can be admitted within a time: each a full bucket and its refill. */
export function spendable(
  { item, plan }: Pick<AccountView, 'item' | 'plan'>,
  sinceMs: number,
  durationMs: number,
): bigint {
  const keys = sinceMs < item.disabledAtMs + DISABLED_COUNTS_MS ? item.keys : item.enabledKeys;
  const perKey = plan.bucketCapacity + (plan.refillPerSecond * durationMs) / MILLISECONDS_PER_SECOND;
  return BigInt(Math.ceil(keys * perKey));
}

/** A time of another clock may be ahead of this one's. */
function isYoung(seenAt: number, nowMs: number, maxAgeMs: number): boolean {
  return nowMs - seenAt < maxAgeMs;
}

/** What the lanes of one hour came to. */
export interface SeenHour {
  /** Compute units. */
  readonly cu: bigint;
  /** When the read of its lanes began, in milliseconds since the epoch. */
  readonly seenAt: number;
}

/** Hours that are one sum. */
export interface OlderHours {
  /** The first of them, and the one after the last. */
  readonly fromHour: string;
  readonly toHour: string;
  /** Compute units of their lanes as far as they were read. */
  readonly cu: bigint;
  /** Time of these hours of which no lane was read, in milliseconds. */
  readonly unseenMs: number;
}

/** The lanes of an account's open hours as they were read, each hour at its time. An hour without lanes counts as read. */
export interface SeenLanes {
  readonly hours: ReadonlyMap<string, SeenHour>;
  /** @default none */
  readonly older?: OlderHours | undefined;
}

/** What lanes come to, and since when it is unknown what has been added. */
interface ChargedLanes {
  /** Compute units. */
  readonly cu: bigint;
  /** In milliseconds since the epoch: a time that stands for all times of which no lane was read. */
  readonly seenAt: number;
}

/**
 * What the lanes from an hour on come to at the least. A lane only rises, so a sum of any age is one; what it can lack
 * is what was charged in the time that its read did not see: of an hour that was never read, the whole hour.
 */
export function sumSeenLanes({ hours, older }: SeenLanes, fromHour: string, nowMs: number): ChargedLanes {
  let cu = 0n;
  let unseenMs = 0;
  let startMs = hourStartMs(fromHour);
  if (older?.fromHour === fromHour) {
    cu = older.cu;
    unseenMs = older.unseenMs;
    startMs = hourStartMs(older.toHour);
  }
  for (; startMs < nowMs; startMs += HOUR_MS) {
    const seenAt = hours.get(hourOf(startMs))?.seenAt ?? startMs;
    unseenMs += Math.max(0, Math.min(startMs + HOUR_MS, nowMs) - Math.max(startMs, seenAt));
  }
  for (const [hour, seen] of hours) if (hour >= fromHour) cu += seen.cu;
  return { cu, seenAt: nowMs - unseenMs };
}

/** Lanes that were read all at once, from an hour on. */
export function lanesSeenAt(
  sums: Iterable<readonly [hour: string, cu: bigint]>,
  fromHour: string,
  seenAt: number,
): SeenLanes {
  const hours = new Map<string, SeenHour>();
  for (let startMs = hourStartMs(fromHour); startMs <= seenAt; startMs += HOUR_MS) {
    hours.set(hourOf(startMs), { cu: 0n, seenAt });
  }
  for (const [hour, cu] of sums) hours.set(hour, { cu, seenAt });
  return { hours };
}
