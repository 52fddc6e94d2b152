import type { Failure } from '../response/failure.ts';
import type { FileProof } from './file-proof.ts';

/** Formats whose files are lines of text. */
export type TextFormat = 'csv' | 'ndjson';

export type ExportFormat = TextFormat | 'parquet';

export const CONTENT_TYPES: { readonly [Format in ExportFormat]: string } = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

/** Ends each line of a file (CSV: RFC 4180). */
export const LINE_ENDS: { readonly [Format in TextFormat]: string } = { csv: '\r\n', ndjson: '\n' };

/** What the last line of an export tells, or the metadata of a Parquet file; a file without it was cut off. */
export interface ExportEnd {
  /** Whether the file has all rows of the list. */
  readonly complete: boolean;
  readonly rows: number;
  readonly billed_cu: number;
  /** Each charge of it, as `X-CU-Lane` and `X-CU-Billed` of a response would have it, a space between them. */
  readonly charges: readonly string[];
  /** Where the next export continues, with the same parameters; absent where it is complete. */
  readonly next_cursor?: string;
  /** Why it ends early, where something failed: it may go on at `next_cursor`, after `retry_after_ms` if that is known. */
  readonly error?: Pick<Failure, 'code' | 'message'> & { readonly retry_after_ms?: number };
  readonly meta: {
    readonly as_of_block: number;
    readonly finalized_block: number;
    readonly coverage: string;
    readonly refreshed_at: string;
    /** Of the blocks of its window; absent where it has none, or they are not counted. */
    readonly proof?: FileProof;
  };
}

/** Writes one file, from its first rows to its end. */
export interface FileWriter {
  /**
   * Takes rows in, and gives what of the file can be sent now: nothing where it keeps them for later.
   * @param names of the fields, in their order; none before the first row
   * @param packs lines of records, or of JSON
   */
  rows(names: readonly string[], packs: readonly string[]): FilePiece;
  /** All that is left of the file. */
  end(end: ExportEnd): FilePiece;
}

export type FilePiece = string | Uint8Array;
