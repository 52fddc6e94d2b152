import { type CursorScope, type Position, renderCursor } from '../plan/cursor.ts';
import type { OrderKey, Plan } from '../plan/plan.ts';
import type { Seal } from '../plan/seal.ts';
import type { ExportPage } from './export-page.ts';
import type { Blocks } from './read-ahead.ts';

/** The largest value of each kind of key that a block's rows are ordered by; all begin with 0. */
const LARGEST: { readonly [Type in OrderKey['type']]?: number } = {
  bigint: Number.MAX_SAFE_INTEGER,
  integer: 2 ** 31 - 1,
  smallint: 2 ** 15 - 1,
};

/** A page, and where it ended. */
export interface PositionedPage extends ExportPage {
  readonly next: Position | undefined;
}

/**
 * Where a list may be parted: at its blocks, if it is ordered by them and all of its rows are final. What needs the hash of
 * the block that a page ends in, or looks at rows one by one, goes from page to page.
 * @param next where its first page ended
 */
export function blocksOf(
  { plan, cursorScope }: { readonly plan: Plan; readonly cursorScope: CursorScope },
  next: Position | undefined,
  seal: Seal,
): Blocks | undefined {
  const { window, keys, filter = [], finality } = plan;
  const [first, ...others] = keys;
  if (next?.window === undefined || first === undefined || finality === 'latest') return undefined;
  const isByBlock = window?.column === `t.${first.column}` && filter.length === 0;
  const isOneWay = keys.every(({ type, descending }) => type in LARGEST && descending === first.descending);
  if (!isByBlock || !isOneWay) return undefined;
  const [lowest, highest] = next.window;
  const ends = others.map(({ type }) => (first.descending ? '0' : String(LARGEST[type])));
  return {
    step: first.descending ? -1 : 1,
    cursorBehind: (block) =>
      (first.descending ? block <= lowest : block >= highest)
        ? undefined
        : renderCursor({ ...next, keys: [String(block), ...ends] }, cursorScope, seal),
  };
}

/** A page of a span: if it has all of it, the block is its end, and what comes behind that is next. */
export function withinSpan(
  { next, ...page }: PositionedPage,
  {
    after,
    upTo,
    blocks,
  }: {
    readonly after: Position | undefined;
    readonly upTo: number | undefined;
    readonly blocks: Blocks | undefined;
  },
): ExportPage {
  if (blocks === undefined || after === undefined) return page;
  const to = next === undefined ? upTo : Number(next.keys[0]);
  const nextCursor = page.nextCursor ?? (upTo === undefined ? undefined : blocks.cursorBehind(upTo));
  const range = to === undefined ? undefined : { from: Number(after.keys[0]), to };
  return { ...page, nextCursor, upTo, range };
}
