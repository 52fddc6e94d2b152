/** When a rule fires: every `periodMinutes` from the epoch on, or at the minutes and hours (UTC) that are listed. */
export type Schedule =
  | { readonly periodMinutes: number }
  | { readonly minutes: ReadonlySet<number>; readonly hours: ReadonlySet<number> };

const MINUTE_MS = 60_000;
const MINUTES: Readonly<Record<string, number>> = { minute: 1, hour: 60, day: 1440 };
const MINUTES_PER_DAY = 1440;

/**
 * Reads an EventBridge schedule: `rate(N minutes|hours|days)`, or `cron(M H * * ? *)` where M and H are `*`, numbers,
 * lists, or steps such as `0/5`.
 * @throws Error that names the expression, for every other form
 */
export function parseSchedule(expression: string): Schedule {
  const rate = /^rate\(([1-9]\d{0,4}) (minute|hour|day)s?\)$/.exec(expression);
  if (rate !== null) return { periodMinutes: Number(rate[1]) * (MINUTES[rate[2] ?? ''] ?? 1) };
  const cron = /^cron\((\S+) (\S+) [*?] \* [*?] \*\)$/.exec(expression);
  const minutes = parseField(cron?.[1], 60);
  const hours = parseField(cron?.[2], 24);
  if (minutes !== undefined && hours !== undefined) return { minutes, hours };
  throw new Error(`schedule ${expression} is not supported by a local run`);
}

/** The first time after `now` (both milliseconds since the epoch) at which the schedule fires. */
export function nextFiring(schedule: Schedule, now: number): number {
  const next = Math.floor(now / MINUTE_MS) + 1;
  if ('periodMinutes' in schedule) {
    return Math.ceil(next / schedule.periodMinutes) * schedule.periodMinutes * MINUTE_MS;
  }
  for (let minute = next; minute < next + MINUTES_PER_DAY; minute += 1) {
    if (schedule.minutes.has(minute % 60) && schedule.hours.has(Math.floor(minute / 60) % 24)) {
      return minute * MINUTE_MS;
    }
  }
  throw new Error('a schedule has at least one minute and one hour');
}

/** Periods up to this, in minutes, are those of work that is always going on. */
const CONTINUOUS_MINUTES = 5;

/**
 * The first time that a run fires the schedule. What is always going on begins with the run, as if it had been going on
 * before: a person waits for it.
 */
export function firstFiring(schedule: Schedule, now: number): number {
  const next = nextFiring(schedule, now);
  const periodMinutes = 'periodMinutes' in schedule ? schedule.periodMinutes : 1;
  const isContinuous =
    'periodMinutes' in schedule ? periodMinutes <= CONTINUOUS_MINUTES : schedule.minutes.size > 1;
  return isContinuous ? Math.floor(now / MINUTE_MS) * MINUTE_MS : next;
}

/** The values that a cron field below `limit` allows; undefined if it is not understood. */
function parseField(field: string | undefined, limit: number): ReadonlySet<number> | undefined {
  const values = new Set<number>();
  for (const part of field?.split(',') ?? ['']) {
    const match = /^(\*|\d{1,2})(?:\/([1-9]\d?))?$/.exec(part);
    if (match === null) return undefined;
    const start = match[1] === '*' ? 0 : Number(match[1]);
    const step = match[2] === undefined ? (match[1] === '*' ? 1 : limit) : Number(match[2]);
    if (start >= limit) return undefined;
    for (let value = start; value < limit; value += step) values.add(value);
  }
  return values;
}
