import { added, type ResponseSize } from '../plan/price.ts';
import type { Failure } from '../response/failure.ts';
import type { ExportPage } from './export-page.ts';

/** Most pages that are read while one is billed and sent. */
export const PAGES_AHEAD = 2;
/** Share of a page that a span is to fill: one that is a little denser than those before still fits. */
const FILLED = 0.85;

/** A part of a list that one statement reads: what is behind a cursor, as far as a block. */
export interface Span {
  readonly cursor: string;
  /** The last block of it; undefined: as much of the list as fits into a page. */
  readonly upTo: number | undefined;
  /** The most that it may have. */
  readonly size: ResponseSize;
  /** The most that the file has before it. */
  readonly before: ResponseSize;
}

/** Where a list may be parted: at the end of each of its blocks. */
export interface Blocks {
  /** 1 where blocks come one after the other, -1 where the last comes first. */
  readonly step: 1 | -1;
  /** The cursor of what comes behind a block; undefined: nothing does. */
  readonly cursorBehind: (block: number) => string | undefined;
}

/** A page, why there is none, or undefined: it did not come in time. */
export type PageRead = ExportPage | Failure | undefined;

type ReadSpan = (span: Span) => Promise<PageRead>;

/** What a page is followed by. */
interface Following {
  readonly page: ExportPage;
  /** What the file has so far. */
  readonly size: ResponseSize;
  /** The most that a page may have, and the file. */
  readonly pageSize: ResponseSize;
  readonly maxSize: ResponseSize;
}

/**
 * Reads the pages that follow, some at the same time: where the next page but one begins is known if the next one ends with
 * a block, which is chosen so that as many rows as fit are before it, by those of the page before. A page that does not reach
 * its block is followed by the rest of its span, so no row is lost or repeated whatever was guessed.
 */
export class ReadAhead {
  readonly #read: ReadSpan;
  readonly #blocks: Blocks | undefined;
  readonly #reads = new Map<string, { readonly span: Span; readonly page: Promise<PageRead> }>();
  /** Where no reading has begun. */
  #frontier: { readonly cursor: string; readonly block: number | undefined } | undefined;

  /** @param read never rejects */
  constructor(read: ReadSpan, blocks: Blocks | undefined) {
    this.#read = read;
    this.#blocks = blocks;
  }

  /** The page at a cursor for which a page was followed. */
  async take(cursor: string): Promise<PageRead> {
    const found = this.#reads.get(cursor);
    this.#reads.delete(cursor);
    return found?.page;
  }

  /** Begins to read what follows a page. */
  follow(following: Following): void {
    const { page, size, pageSize, maxSize } = following;
    const { nextCursor, range } = page;
    if (nextCursor === undefined) return;
    const known = this.#reads.get(nextCursor);
    if (known === undefined || known.span.size.rows > maxSize.rows - size.rows)
      this.#goOn(following, nextCursor);
    // Near the end of what a file may have, each page has to know the one before.
    const isNearEnd =
      size.rows + (PAGES_AHEAD + 1) * pageSize.rows > maxSize.rows ||
      size.bytes + (PAGES_AHEAD + 1) * pageSize.bytes > maxSize.bytes;
    while (this.#frontier !== undefined && this.#reads.size < (isNearEnd ? 1 : PAGES_AHEAD)) {
      const { cursor, block } = this.#frontier;
      const upTo = isNearEnd || block === undefined ? undefined : this.#guess(range, block, following);
      const behind = upTo === undefined ? undefined : this.#blocks?.cursorBehind(upTo);
      this.#begin(cursor, behind === undefined ? undefined : upTo, following);
      this.#frontier = behind === undefined ? undefined : { cursor: behind, block: upTo };
    }
  }

  /** A page ended before its block, or there is nothing behind it that is read already. */
  #goOn(following: Following, nextCursor: string): void {
    const { upTo, range } = following.page;
    const isLittle =
      upTo !== undefined &&
      range !== undefined &&
      Math.abs(upTo - range.to) * densityOf(following) < following.pageSize.rows;
    if (this.#reads.size > 0 && isLittle && !this.#reads.has(nextCursor)) {
      this.#begin(nextCursor, upTo, following);
      return;
    }
    this.#reads.clear();
    this.#frontier = { cursor: nextCursor, block: range?.to };
  }

  #begin(cursor: string, upTo: number | undefined, { size, pageSize, maxSize }: Following): void {
    const before = [...this.#reads.values()].reduce((sum, { span }) => added(sum, span.size), size);
    const within = {
      rows: Math.max(Math.min(pageSize.rows, maxSize.rows - size.rows), 1),
      bytes: Math.min(pageSize.bytes, maxSize.bytes - size.bytes),
    };
    const span = { cursor, upTo, size: within, before };
    this.#reads.set(cursor, { span, page: this.#read(span) });
  }

  /** The block up to which a page's rows are, by the density of those of a range; undefined: that is not known. */
  #guess(range: ExportPage['range'], block: number, following: Following): number | undefined {
    if (this.#blocks === undefined || range === undefined) return undefined;
    const blocks = Math.floor((FILLED * following.pageSize.rows) / densityOf(following));
    return blocks >= 1 && Number.isFinite(blocks) ? block + this.#blocks.step * blocks : undefined;
  }
}

/** Rows of a block. */
function densityOf({ page: { response, range } }: Following): number {
  return range === undefined ? 0 : response.rows / Math.max(Math.abs(range.to - range.from), 1);
}
