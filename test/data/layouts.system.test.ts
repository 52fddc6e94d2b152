import {
  addEverywhere,
  type ComparedList,
  comparedLists,
  overviewsOf,
} from '../../bench/data/layout-lists.ts';
import { type Layouts, type RelationBytes, startLayouts } from '../../bench/data/layouts.ts';

/** Enough that indexes have pages below their roots, and addresses have rows on many of them. */
const BLOCKS = 300;
const START_MS = 300_000;
/** Bytes of a transaction beside those in the layout of before. */
const MAX_BYTES_RATIO = 0.75;
/** Pages of a list beside those in the layout of before. */
const MAX_PAGES_RATIO = 3;
/** Rows that each count of an overview reads at most, in tables whose index has no address. */
const COUNTED_ROWS = 1_001;
const COUNTS = 4;
/** The first pages of a list, and one from its midst. */
const PAGES = 3;

let layouts: Layouts;
let bytes: readonly RelationBytes[];
let lists: readonly ComparedList[];

beforeAll(async () => {
  layouts = await startLayouts(BLOCKS);
  bytes = await layouts.bytes();
  await addEverywhere(layouts, BLOCKS);
  lists = await comparedLists(layouts, BLOCKS);
}, START_MS);
afterAll(() => layouts?.close());

test('a transaction takes at most three quarters of the bytes that it took', () => {
  const sum = (side: 'now' | 'before') => bytes.reduce((total, one) => total + one[side], 0);
  const ratio = sum('now') / sum('before');
  process.stdout.write(`bytes of a transaction beside before: x ${ratio.toFixed(3)}\n`);
  expect(ratio).toBeLessThanOrEqual(MAX_BYTES_RATIO);
});

test('a list tells the same by the same indexes, from at most three times as many pages, on its later pages too', async () => {
  const faults: unknown[] = [];
  let most = { name: '', ratio: 0 };
  for (const { name, path } of lists) {
    let cursor: string | undefined;
    for (let page = 1; page <= PAGES; page += 1) {
      const { now, before, nextCursor } = await layouts.compare(
        cursor === undefined ? path : `${path}&cursor=${cursor}`,
      );
      expect({ name, page, rows: now.rows }).toEqual({ name, page, rows: before.rows });
      const ratio = now.pages / before.pages;
      if (ratio > most.ratio) most = { name: `${name}, page ${page}`, ratio };
      if (ratio > MAX_PAGES_RATIO || now.indexes.toString() !== before.indexes.toString())
        faults.push({ name, page, now: { ...now, rows: [] }, before: { ...before, rows: [] } });
      if (nextCursor === undefined) break;
      cursor = nextCursor;
    }
  }
  process.stdout.write(`pages of a list beside before, the most: x ${most.ratio.toFixed(2)}, ${most.name}\n`);
  expect(faults).toEqual([]);
});

test('an overview tells the same, and compares no more rows than it counts', async () => {
  for (const { name, path } of overviewsOf(lists)) {
    const { now, before } = await layouts.compare(path);
    expect({ name, rows: now.rows }).toEqual({ name, rows: before.rows });
    expect(now.pages - before.pages).toBeLessThanOrEqual(COUNTS * COUNTED_ROWS);
  }
});
