import type { Failure } from '../response/failure.ts';

export type ExportFormat = 'csv' | 'ndjson';

export const CONTENT_TYPES: { readonly [Format in ExportFormat]: string } = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
};

/** Ends each line of a file (CSV: RFC 4180). */
export const LINE_ENDS: { readonly [Format in ExportFormat]: string } = { csv: '\r\n', ndjson: '\n' };

/** What the last line of an export tells; a file without it was cut off. */
export interface ExportEnd {
  /** Whether the file has all rows of the list. */
  readonly complete: boolean;
  readonly rows: number;
  readonly billed_cu: number;
  /** Where the next export goes on, with the same parameters; absent where it is complete. */
  readonly next_cursor?: string;
  /** Why it ends early, where something failed: it may go on at `next_cursor`, after `retry_after_ms` if that is known. */
  readonly error?: Pick<Failure, 'code' | 'message'> & { readonly retry_after_ms?: number };
  readonly meta: {
    readonly as_of_block: number;
    readonly finalized_block: number;
    readonly coverage: string;
    readonly refreshed_at: string;
  };
}

/** The last line: an object `end` where each line is JSON, a comment in CSV. */
export function renderEnd(format: ExportFormat, end: ExportEnd): string {
  const line = format === 'ndjson' ? JSON.stringify({ end }) : `# ${JSON.stringify(end)}`;
  return line + LINE_ENDS[format];
}
