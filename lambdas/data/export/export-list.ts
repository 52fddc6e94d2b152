import type { ToldBill } from 'gateway-access';
import { streamMs } from '../../shared/http/body-pieces.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { added, paidBytes, type ResponseSize, smaller } from '../plan/price.ts';
import { MAX_PACKED_BYTES } from '../plan/statement.ts';
import { type Failure, retryAfterMsOf } from '../response/failure.ts';
import type { PackedResponse } from '../response/read-response.ts';
import type { FileProof } from './file-proof.ts';
import type { ExportEnd, FilePiece, FileWriter } from './format.ts';

/** Most rows that are read by one statement; long ones end it sooner. */
const MAX_PAGE_ROWS = 4_000;
/** Least rows that a statement is asked for, however few the one before had: with a longer row none would be lost. */
const MIN_PAGE_ROWS = 100;
/** Bytes of the longest row: what a file may still have must have room for one. */
const MAX_ROW_BYTES = 65_536;
/**
 * Most bytes of one file as it is sent: what is on its way then fits below the 200 MB that a function may stream (AWS
 * Lambda quotas, "Response streaming").
 */
const MAX_EXPORT_BYTES = 190_000_000;

/** A page of a list. */
export interface ExportPage {
  readonly response: Pick<PackedResponse, 'names' | 'packs' | 'rows' | 'bytes' | 'meta' | 'coverage'>;
  /** Of the next page; undefined: it was the last one. */
  readonly nextCursor: string | undefined;
}

/** The part of a list that one statement reads. */
export interface Span {
  /** Where the page before ended. */
  readonly cursor: string;
  /** The most that it may have. */
  readonly size: ResponseSize;
  /** What the file has before it. */
  readonly before: ResponseSize;
}

/** A page, why there is none, or undefined: it did not come in time. */
export type PageRead = ExportPage | Failure | undefined;

interface Export {
  /** Writes the file. */
  readonly writer: FileWriter;
  readonly first: ExportPage;
  /** Draws the bucket for the rows of a span, and reads them. Never rejects. */
  readonly readPage: (span: Span) => Promise<PageRead>;
  /** Most rows of the file. It has no more bytes than these pay for either. */
  readonly maxRows: number;
  /** Price of a file that has so much, in CU. */
  readonly priceOf: (size: ResponseSize) => number;
  /**
   * Bills once and for all what is due by the price of the plan. Resolves to what was billed by the price of the hour, and what
   * its lane has come to; the latter is undefined for a defect.
   */
  readonly charge: (
    due: number,
    isFirst: boolean,
  ) => Promise<{ readonly cu: number; readonly lane: string | undefined }>;
  /** What of the file has been sent so far, compressed or not. */
  readonly sent: { readonly bytes: number };
  readonly clock: Pick<Clock, 'now'>;
  /** Moment after which no page is handed over any more. */
  readonly endsAt: number;
  /** How sure the blocks of its window are. Never rejects. @default not said */
  readonly proof?: (() => Promise<FileProof | undefined>) | undefined;
  /** Called with the bill of the file once its end is taken. @default nothing is called */
  readonly onEnd?: ((bill: ToldBill) => void) | undefined;
  /** Most bytes that are sent. @default {@link MAX_EXPORT_BYTES} */
  readonly maxSentBytes?: number;
}

/** Of a page that costs nothing. */
const NOTHING = { cu: 0, lane: undefined };

/**
 * The pieces of a list's file, page by page as they are taken. While a page is billed and sent the next one is read, and no
 * further one. Each page is billed before the writer has it, once, by what it has;
 * a client that takes no more is billed no more.
 */
export async function* exportList(parts: Export): AsyncGenerator<FilePiece, void, void> {
  const { writer, priceOf } = parts;
  const maxSize = { rows: parts.maxRows, bytes: paidBytes(parts.maxRows) };
  const isOver = fullOf(parts);
  let page = parts.first;
  let size: ResponseSize = { rows: 0, bytes: 0 };
  let paid = 0;
  let bill: ToldBill = { billedCu: 0, lane: undefined };
  const charges: string[] = [];
  let names: readonly string[] = [];
  for (;;) {
    const { response, nextCursor } = page;
    const isFirst = size.rows === 0;
    if (isFirst) names = response.names;
    size = added(size, response);
    const isLast = nextCursor === undefined || isFull(size, maxSize) || isOver();
    const fitting = smaller(nextSize(response), {
      rows: maxSize.rows - size.rows,
      bytes: maxSize.bytes - size.bytes,
    });
    const reading = isLast ? undefined : parts.readPage({ cursor: nextCursor, size: fitting, before: size });
    const due = response.coverage === 'none' && size.rows === 0 ? 0 : priceOf(size) - paid;
    const { cu, lane } = due > 0 ? await parts.charge(due, paid === 0) : NOTHING;
    if (lane !== undefined) charges.push(`${lane} ${cu}`);
    paid += due;
    bill = { billedCu: bill.billedCu + cu, lane: lane ?? bill.lane };
    const piece = writer.rows(names, response.packs);
    if (piece.length > 0) yield piece;
    const next = isOver() ? undefined : await reading;
    if (next !== undefined && 'response' in next) {
      page = next;
      continue;
    }
    const proof = await parts.proof?.();
    const rest = writer.end(
      endOf(page, { rows: size.rows, billed: bill.billedCu, charges, proof, failure: next }),
    );
    if (rest.length > 0) yield rest;
    parts.onEnd?.(bill);
    return;
  }
}

/** Whether a file has all that it may have, or no room for the longest row. */
function isFull(size: ResponseSize, maxSize: ResponseSize): boolean {
  return size.rows >= maxSize.rows || size.bytes + MAX_ROW_BYTES > maxSize.bytes;
}

/** How much of the list one answer of the database has room for, by the rows of the page before. */
export function nextSize({ packs, rows }: Pick<ExportPage['response'], 'packs' | 'rows'>): ResponseSize {
  const bytes = packs.reduce((sum, pack) => sum + pack.length, 0);
  const fitting = rows === 0 ? MAX_PAGE_ROWS : Math.floor((MAX_PACKED_BYTES * rows) / (bytes + rows));
  return { rows: Math.min(Math.max(fitting, MIN_PAGE_ROWS), MAX_PAGE_ROWS), bytes: MAX_PACKED_BYTES };
}

/** Whether a file is as long as it may be, or what is sent of it takes Lambda all the time that there is. */
function fullOf({ sent, clock, endsAt, maxSentBytes = MAX_EXPORT_BYTES }: Export): () => boolean {
  const startedAt = clock.now();
  return () =>
    sent.bytes >= maxSentBytes || Math.max(clock.now(), startedAt + streamMs(sent.bytes)) >= endsAt;
}

function endOf(
  { response: { meta, coverage }, nextCursor }: ExportPage,
  {
    rows,
    billed,
    charges,
    proof,
    failure,
  }: {
    readonly rows: number;
    readonly billed: number;
    readonly charges: readonly string[];
    readonly proof: FileProof | undefined;
    readonly failure: Failure | undefined;
  },
): ExportEnd {
  return {
    complete: nextCursor === undefined,
    rows,
    billed_cu: billed,
    charges,
    ...(nextCursor !== undefined && { next_cursor: nextCursor }),
    ...(failure !== undefined && { error: errorOf(failure) }),
    meta: {
      as_of_block: meta.as_of,
      finalized_block: meta.finalized,
      coverage,
      refreshed_at: meta.refreshed_at,
      ...(proof !== undefined && { proof }),
    },
  };
}

function errorOf(failure: Failure): NonNullable<ExportEnd['error']> {
  const { code, message } = failure;
  const ms = retryAfterMsOf(failure);
  return { code, message, ...(ms !== undefined && { retry_after_ms: Math.ceil(ms) }) };
}
