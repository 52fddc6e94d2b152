import { HOUR_MS, hourOf, hourStartMs } from '../../shared/runtime/clock.ts';

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
