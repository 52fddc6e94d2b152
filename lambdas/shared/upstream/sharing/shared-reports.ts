/** Most upstreams of which a view holds reports. */
const MAX_REPORTS = 64;
/** Most rows of a text: each upstream can have a hold beside its report. */
const MAX_ROWS = 2 * MAX_REPORTS;
const HOLD_MEMBERS = 2;
/** Longest time for which an operator can hold an upstream, in milliseconds: for longer it is left out of the stage file. */
export const MAX_HOLD_MS = 48 * 3_600_000;
/** Longest text of a view that is read, in characters. */
const MAX_TEXT = 8_192;
const NUMBER = /^\d{1,20}$/;

/** What one upstream told an instance. */
export interface SharedReport {
  /** Of the upstream. */
  readonly name: string;
  /** Its newest block, and when that was made, in milliseconds since the epoch, if it was shown. */
  readonly number: bigint;
  readonly timeMs?: number | undefined;
  /** Blocks that it was behind the others. */
  readonly lag: bigint;
  readonly syncing: boolean;
  /** How old that was when it was shared, in milliseconds. */
  readonly ageMs: number;
}

/** An upstream that an operator has taken out of use. */
export interface Hold {
  readonly name: string;
  /** When it ends, in milliseconds since the epoch. */
  readonly until: number;
}

/** What instances share beside reports. */
interface BesideReports {
  /** Upstreams that have reported nothing which is believed. */
  readonly unheard?: readonly string[];
  readonly holds?: readonly Hold[];
}

/** Reports as text: some forty characters for each. Rows of holds and of names alone are shorter. */
export function writeReports(
  reports: readonly SharedReport[],
  { unheard = [], holds = [] }: BesideReports = {},
): string {
  return JSON.stringify([
    ...holds.slice(0, MAX_REPORTS).map(({ name, until }) => [name, until]),
    ...reports
      .slice(0, MAX_REPORTS)
      .map(({ name, number, timeMs, lag, syncing, ageMs }) => [
        name,
        String(number),
        timeMs ?? 0,
        String(lag),
        syncing ? 1 : 0,
        Math.round(ageMs),
      ]),
    ...unheard.slice(0, MAX_REPORTS).map((name) => [name]),
  ]);
}

/** Holds from text, without those that are over. None lasts longer than one may. */
export function readHolds(text: string, now: number): readonly Hold[] {
  return rowsOf(text).flatMap((row) => {
    const [name, until]: readonly unknown[] = row;
    if (row.length !== HOLD_MEMBERS || typeof name !== 'string' || !isTime(until) || until <= now) return [];
    return [{ name, until: Math.min(until, now + MAX_HOLD_MS) }];
  });
}

/** The names of all upstreams that a text is about. */
export function readNames(text: string): readonly string[] {
  return [...new Set(rowsOf(text).flatMap(([name]) => (typeof name === 'string' ? [name] : [])))];
}

/** Reports from text. What is none of them is left out. */
export function readReports(text: string): readonly SharedReport[] {
  return rowsOf(text).flatMap((row) => readReport(row) ?? []);
}

function rowsOf(text: string): readonly (readonly unknown[])[] {
  if (text.length > MAX_TEXT) return [];
  try {
    const rows: unknown = JSON.parse(text);
    return Array.isArray(rows) ? rows.slice(0, MAX_ROWS).filter((row) => Array.isArray(row)) : [];
  } catch {
    return [];
  }
}

function readReport(row: readonly unknown[]): SharedReport | undefined {
  const [name, number, timeMs, lag, syncing, ageMs]: readonly unknown[] = row;
  if (typeof name !== 'string' || !isNumber(number) || !isNumber(lag)) return undefined;
  if (!isTime(timeMs) || !isTime(ageMs)) return undefined;
  return {
    name,
    number: BigInt(number),
    timeMs: timeMs === 0 ? undefined : timeMs,
    lag: BigInt(lag),
    syncing: syncing === 1,
    ageMs,
  };
}

function isNumber(value: unknown): value is string {
  return typeof value === 'string' && NUMBER.test(value);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
