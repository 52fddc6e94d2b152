/** Most upstreams of which a view holds reports. */
const MAX_REPORTS = 64;
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

/** Reports as text: some forty characters for each. */
export function writeReports(reports: readonly SharedReport[]): string {
  return JSON.stringify(
    reports
      .slice(0, MAX_REPORTS)
      .map(({ name, number, timeMs, lag, syncing, ageMs }) => [
        name,
        String(number),
        timeMs ?? 0,
        String(lag),
        syncing ? 1 : 0,
        Math.round(ageMs),
      ]),
  );
}

/** Reports from text. What is none of them is left out. */
export function readReports(text: string): readonly SharedReport[] {
  if (text.length > MAX_TEXT) return [];
  try {
    const rows: unknown = JSON.parse(text);
    return Array.isArray(rows) ? rows.slice(0, MAX_REPORTS).flatMap((row) => readReport(row) ?? []) : [];
  } catch {
    return [];
  }
}

function readReport(row: unknown): SharedReport | undefined {
  if (!Array.isArray(row)) return undefined;
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
