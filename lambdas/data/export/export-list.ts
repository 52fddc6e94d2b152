import type { Clock } from '../../shared/runtime/clock.ts';
import type { Failure } from '../response/failure.ts';
import type { DataResponse } from '../response/read-response.ts';
import { type ExportEnd, type ExportFormat, renderEnd, renderRows } from './format.ts';

/** Most rows that are read by one statement; long ones end it sooner. */
export const EXPORT_PAGE_ROWS = 2_000;
/** Least rows that a statement is asked for, however few the one before had. */
const MIN_PAGE_ROWS = 500;
/** Most rows of one file. */
export const MAX_EXPORT_ROWS = 1_000_000;
/**
 * Most bytes of one file before it is compressed: the last page fits below the 200 MB that a function may stream (AWS Lambda
 * quotas, "Response streaming").
 */
export const MAX_EXPORT_BYTES = 190_000_000;

/** A page of a list. */
export interface ExportPage {
  readonly answer: DataResponse;
  /** Of the next page; undefined: it was the last one. */
  readonly nextCursor: string | undefined;
}

export interface Export {
  readonly format: ExportFormat;
  readonly first: ExportPage;
  /** Draws the bucket for so many rows more, and reads them. */
  readonly readPage: (cursor: string, pageRows: number, rowsBefore: number) => Promise<ExportPage | Failure>;
  /** Price of the file up to so many rows, in CU. */
  readonly priceOf: (rows: number) => number;
  /** Bills compute units once and for all. */
  readonly charge: (cu: number, isFirst: boolean) => Promise<void>;
  readonly clock: Pick<Clock, 'now'>;
  /** Moment after which no page is read any more. */
  readonly endsAt: number;
  /** Bounds of the file. @default {@link MAX_EXPORT_ROWS} and {@link MAX_EXPORT_BYTES} */
  readonly bounds?: { readonly rows: number; readonly bytes: number };
}

/**
 * The lines of a list, page by page as they are taken: nothing is held but one page. Each page is billed before it is handed
 * over, once, by the rows that it has; whoever takes no more is billed no more.
 */
export async function* exportList(parts: Export): AsyncGenerator<string, void, void> {
  const { format, clock, endsAt, priceOf } = parts;
  const { rows: maxRows, bytes: maxBytes } = parts.bounds ?? {
    rows: MAX_EXPORT_ROWS,
    bytes: MAX_EXPORT_BYTES,
  };
  let page = parts.first;
  let [rows, bytes, billed] = [0, 0, 0];
  for (;;) {
    const { answer, nextCursor } = page;
    const text = renderRows(format, answer.items, rows === 0);
    const isFirst = billed === 0;
    rows += answer.items.length;
    bytes += Buffer.byteLength(text);
    const due = answer.coverage === 'none' && rows === 0 ? 0 : priceOf(rows) - billed;
    if (due > 0) await parts.charge(due, isFirst);
    billed += due;
    yield text;
    const pageRows = Math.min(
      Math.max(answer.items.length, MIN_PAGE_ROWS),
      EXPORT_PAGE_ROWS,
      Math.max(maxRows - rows, 1),
    );
    const isFull = rows >= maxRows || bytes >= maxBytes || clock.now() >= endsAt;
    const next =
      nextCursor === undefined || isFull ? undefined : await parts.readPage(nextCursor, pageRows, rows);
    if (next !== undefined && 'answer' in next) {
      page = next;
      continue;
    }
    yield renderEnd(format, endOf(page, { rows, billed, failure: next }));
    return;
  }
}

function endOf(
  { answer: { meta, coverage }, nextCursor }: ExportPage,
  {
    rows,
    billed,
    failure,
  }: { readonly rows: number; readonly billed: number; readonly failure: Failure | undefined },
): ExportEnd {
  return {
    complete: nextCursor === undefined,
    rows,
    billed_cu: billed,
    ...(nextCursor !== undefined && { next_cursor: nextCursor }),
    ...(failure !== undefined && { error: { code: failure.code, message: failure.message } }),
    meta: {
      as_of_block: meta.as_of,
      finalized_block: meta.finalized,
      coverage,
      refreshed_at: meta.refreshed_at,
    },
  };
}
