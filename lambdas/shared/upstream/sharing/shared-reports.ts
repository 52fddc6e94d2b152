import { readJson } from '../../jsonrpc/json-values.ts';
import { HOLD_RULES } from '../health/holds.ts';

/** Most upstreams of which a view holds reports. */
const MAX_REPORTS = 64;
/** Most rows of a text: each upstream can have a hold beside its report. */
const MAX_ROWS = 2 * MAX_REPORTS;
const HOLD_MEMBERS = 2;
/** Longest text that, with its key, is one write unit, in characters. */
const MAX_UNIT_TEXT = 900;
/** Longest text of a view that is read, in characters. */
const MAX_TEXT = 8_192;
const NUMBER = /^\d{1,20}$/;

/** What one upstream reported to an instance. */
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
  /**
   * What the process that shared it had measured: its median latency, in milliseconds, and the most blocks of logs and calls of a batch
   * that it takes. Operators look at that; no instance does. Absent: not known, or any number.
   */
  readonly latencyMs?: number | undefined;
  readonly maxRange?: number | undefined;
  readonly maxBatch?: number | undefined;
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

/**
 * Reports as text: some forty characters for each, and a few more for what was measured where all of it fits one write unit. Rows of
 * holds and of names alone are shorter.
 */
export function writeReports(reports: readonly SharedReport[], beside: BesideReports = {}): string {
  const text = writeRows(reports, beside);
  if (text.length <= MAX_UNIT_TEXT) return text;
  const bare = reports.map(({ latencyMs, maxRange, maxBatch, ...report }) => report);
  return writeRows(bare, beside);
}

function writeRows(reports: readonly SharedReport[], { unheard = [], holds = [] }: BesideReports): string {
  return JSON.stringify([
    ...holds.slice(0, MAX_REPORTS).map(({ name, until }) => [name, until]),
    ...reports.slice(0, MAX_REPORTS).map(rowOf),
    ...unheard.slice(0, MAX_REPORTS).map((name) => [name]),
  ]);
}

/** Zeros at its end are left out: they stand for what is not known. */
function rowOf(report: SharedReport): readonly (string | number)[] {
  const { name, number, timeMs, lag, syncing, ageMs, latencyMs, maxRange, maxBatch } = report;
  const measured = [latencyMs, maxRange, maxBatch].map((figure = 0) => Math.round(figure));
  const known = measured.slice(0, measured.findLastIndex((figure) => figure > 0) + 1);
  return [name, String(number), timeMs ?? 0, String(lag), syncing ? 1 : 0, Math.round(ageMs), ...known];
}

/** Holds from text, without those that are over. None lasts longer than one may. */
export function readHolds(text: string, now: number): readonly Hold[] {
  return rowsOf(text).flatMap((row) => {
    const [name, until]: readonly unknown[] = row;
    if (row.length !== HOLD_MEMBERS || typeof name !== 'string' || !isTime(until) || until <= now) return [];
    return [{ name, until: Math.min(until, now + HOLD_RULES.by_hand.mostMs) }];
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
  const rows = text.length > MAX_TEXT ? undefined : readJson(text);
  return Array.isArray(rows) ? rows.slice(0, MAX_ROWS).filter((row) => Array.isArray(row)) : [];
}

function readReport(row: readonly unknown[]): SharedReport | undefined {
  const [name, number, timeMs, lag, syncing, ageMs, ...measured]: readonly unknown[] = row;
  if (typeof name !== 'string' || !isNumber(number) || !isNumber(lag)) return undefined;
  if (!isTime(timeMs) || !isTime(ageMs)) return undefined;
  return {
    name,
    number: BigInt(number),
    timeMs: timeMs === 0 ? undefined : timeMs,
    lag: BigInt(lag),
    syncing: syncing === 1,
    ageMs,
    ...measuredIn(measured),
  };
}

function measuredIn(row: readonly unknown[]): Pick<SharedReport, 'latencyMs' | 'maxRange' | 'maxBatch'> {
  const [latencyMs, maxRange, maxBatch] = row.map((one) => (isTime(one) && one > 0 ? one : undefined));
  return {
    ...(latencyMs !== undefined && { latencyMs }),
    ...(maxRange !== undefined && { maxRange }),
    ...(maxBatch !== undefined && { maxBatch }),
  };
}

function isNumber(value: unknown): value is string {
  return typeof value === 'string' && NUMBER.test(value);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
