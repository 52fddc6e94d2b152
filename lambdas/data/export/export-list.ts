import { streamMs } from '../../shared/http/stream-time.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { FieldKind } from '../operations/operation-entry.ts';
import { MAX_PACKED_BYTES } from '../plan/statement.ts';
import type { Failure } from '../response/failure.ts';
import type { ExportPage } from './export-page.ts';
import { type ExportEnd, type ExportFormat, renderEnd } from './format.ts';
import { type Blocks, type PAGES_AHEAD, ReadAhead, type Span } from './read-ahead.ts';
import { renderRows } from './render-rows.ts';

/** Rows of the first page, whose length nobody knows. */
export const FIRST_PAGE_ROWS = 2_000;
/** Most rows that are read by one statement; long ones end it sooner. */
const MAX_PAGE_ROWS = 4_000;
/** Least rows that a statement is asked for, however few the one before had. */
const MIN_PAGE_ROWS = 500;
/** Most rows of one file. */
const MAX_EXPORT_ROWS = 1_000_000;
/**
 * Most bytes of one file as it is sent: what is on its way then fits below the 200 MB that a function may stream (AWS
 * Lambda quotas, "Response streaming").
 */
const MAX_EXPORT_BYTES = 190_000_000;

export interface Export {
  readonly format: ExportFormat;
  /** Of the fields that are no texts. */
  readonly kinds: Readonly<Record<string, FieldKind>>;
  readonly first: ExportPage;
  /** Draws the bucket for the rows of a span, and reads them. Never rejects. */
  readonly readPage: (span: Span) => Promise<ExportPage | Failure>;
  /** Where the list may be parted. @default nowhere: each page is read by the end of the one before */
  readonly blocks?: Blocks | undefined;
  /** Price of the file up to so many rows, in CU. */
  readonly priceOf: (rows: number) => number;
  /** Bills compute units once and for all. */
  readonly charge: (cu: number, isFirst: boolean) => Promise<void>;
  /** What of the file has been sent so far, compressed or not. */
  readonly sent: { readonly bytes: number };
  readonly clock: Pick<Clock, 'now'>;
  /** Moment after which no page is handed over any more. */
  readonly endsAt: number;
  /** Bounds of the file. @default {@link MAX_EXPORT_ROWS} and {@link MAX_EXPORT_BYTES} */
  readonly bounds?: { readonly rows: number; readonly bytes: number };
}

/**
 * The lines of a list, page by page as they are taken. While a page is billed and sent the next {@link PAGES_AHEAD} are
 * read, and no further one. Each page is billed before it is handed over, once, by the rows that it has;
 * whoever takes no more is billed no more.
 */
export async function* exportList(parts: Export): AsyncGenerator<string, void, void> {
  const { format, kinds, priceOf } = parts;
  const maxRows = parts.bounds?.rows ?? MAX_EXPORT_ROWS;
  const isOver = fullOf(parts);
  const ahead = new ReadAhead(parts.readPage, parts.blocks);
  let page = parts.first;
  let [rows, billed] = [0, 0];
  let names: readonly string[] = [];
  for (;;) {
    const { answer, nextCursor } = page;
    const isFirst = rows === 0;
    if (isFirst) names = answer.names;
    rows += answer.rows;
    const isLast = nextCursor === undefined || rows >= maxRows || isOver();
    if (!isLast) ahead.follow({ page, rows, pageRows: nextRows(answer), maxRows });
    const due = answer.coverage === 'none' && rows === 0 ? 0 : priceOf(rows) - billed;
    if (due > 0) await parts.charge(due, billed === 0);
    billed += due;
    yield renderRows(format, { names, packs: answer.packs, kinds }, isFirst);
    const next = isLast || isOver() ? undefined : await ahead.take(nextCursor);
    if (next !== undefined && 'answer' in next) {
      page = next;
      continue;
    }
    yield renderEnd(format, endOf(page, { rows, billed, failure: next }));
    return;
  }
}

/** How many rows fit into one answer of the database, by those of the page before. */
function nextRows({ packs, rows }: ExportPage['answer']): number {
  const bytes = packs.reduce((sum, pack) => sum + pack.length, 0);
  const fitting = rows === 0 ? MAX_PAGE_ROWS : Math.floor((MAX_PACKED_BYTES * rows) / (bytes + rows));
  return Math.min(Math.max(fitting, MIN_PAGE_ROWS), MAX_PAGE_ROWS);
}

/** Whether a file is as long as it may be, or what is sent of it takes Lambda all the time that there is. */
function fullOf({ sent, clock, endsAt, bounds }: Export): () => boolean {
  const maxBytes = bounds?.bytes ?? MAX_EXPORT_BYTES;
  const startedAt = clock.now();
  return () => sent.bytes >= maxBytes || Math.max(clock.now(), startedAt + streamMs(sent.bytes)) >= endsAt;
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
