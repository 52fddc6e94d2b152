import type { Failure } from '../response/failure.ts';

export type ExportFormat = 'csv' | 'ndjson';

export const CONTENT_TYPES: { readonly [Format in ExportFormat]: string } = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
};

/** What the last line of an export tells; a file without it was cut off. */
export interface ExportEnd {
  /** Whether the file has all rows of the list. */
  readonly complete: boolean;
  readonly rows: number;
  readonly billed_cu: number;
  /** Where the next export goes on, with the same parameters; absent where it is complete. */
  readonly next_cursor?: string;
  /** Why it ends early, where something failed: it may go on at `next_cursor`. */
  readonly error?: Pick<Failure, 'code' | 'message'>;
  readonly meta: {
    readonly as_of_block: number;
    readonly finalized_block: number;
    readonly coverage: string;
    readonly refreshed_at: string;
  };
}

/** Line end of a CSV file (RFC 4180). */
const CSV_LINE_END = '\r\n';
const NEEDS_QUOTES = /[",\r\n#]|^\s|\s$|^$/;

/**
 * Lines of rows that are JSON already: as they are, or as fields of CSV.
 * @param isFirst whether the line with the names of the fields comes before
 */
export function renderRows(format: ExportFormat, items: readonly string[], isFirst: boolean): string {
  // Between the members of a row, PostgreSQL may break the line; within a text it never does.
  if (format === 'ndjson') return items.map((item) => `${item.replaceAll('\n', ' ')}\n`).join('');
  const rows = items.map((item) => JSON.parse(item) as Readonly<Record<string, unknown>>);
  const [first] = rows;
  const names = isFirst && first !== undefined ? [line(Object.keys(first))] : [];
  return [...names, ...rows.map((row) => line(Object.values(row)))].join('');
}

/** The last line: an object `end` where each line is JSON, a comment in CSV. */
export function renderEnd(format: ExportFormat, end: ExportEnd): string {
  return format === 'ndjson' ? `${JSON.stringify({ end })}\n` : `# ${JSON.stringify(end)}${CSV_LINE_END}`;
}

function line(values: readonly unknown[]): string {
  return `${values.map(field).join(',')}${CSV_LINE_END}`;
}

/** Null is nothing at all, an empty text a pair of quotes. What is a list or an object in JSON is its JSON here. */
function field(value: unknown): string {
  if (value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
