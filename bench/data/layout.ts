/**
 * What a transaction takes in the chain database, by table and index, and what pages of lists read, beside the layout of before
 * migration 030. `npm run bench -- layout [--blocks N]`
 */
import { runBenchmark } from '../benchmark.ts';
import type { Figure } from '../figures.ts';
import { addEverywhere, type ComparedList, comparedLists, overviewsOf } from './layout-lists.ts';
import { type Layouts, type PageReads, type RelationBytes, startLayouts } from './layouts.ts';

const DEFAULT_BLOCKS = 1_000;
const TRANSACTIONS_PER_BLOCK = 100;
const MAX_BYTES_RATIO = 0.75;
const MAX_PAGES_RATIO = 3;
const MAX_MORE_MS = 2;
/** Relations that take less are no line of their own. */
const MIN_SHARE = 0.005;
/** Times that a page is read in each layout; the quickest counts. */
const TIMES = 9;
const PAGES = 2;

const sum = (bytes: readonly RelationBytes[], side: 'now' | 'before') =>
  bytes.reduce((total, one) => total + one[side], 0);

function bytesFigures(bytes: readonly RelationBytes[], transactions: number): Figure[] {
  const figure = (name: string, now: number, before: number): Figure => ({
    name,
    value: now / transactions,
    unit: 'bytes',
    baseline: { name: 'before', value: before / transactions },
  });
  const all = sum(bytes, 'before');
  return [
    { ...figure('all', sum(bytes, 'now'), all), mostRatio: MAX_BYTES_RATIO },
    ...bytes
      .filter(({ before }) => before >= MIN_SHARE * all)
      .toSorted((one, other) => other.before - one.before)
      .map(({ table, relation, now, before }) =>
        figure(relation === 'rows' ? table : `index ${relation}`, now, before),
      ),
  ];
}

async function pageFigures(layouts: Layouts, { name, path }: ComparedList): Promise<Figure[]> {
  const figures: Figure[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= PAGES; page += 1) {
    const { now, before, nextCursor } = await layouts.compare(
      cursor === undefined ? path : `${path}&cursor=${cursor}`,
      TIMES,
    );
    const figure = (unit: string, value: (reads: PageReads) => number): Figure => ({
      name: `${name}, page ${page}`,
      value: value(now),
      unit,
      baseline: { name: 'before', value: value(before) },
    });
    figures.push(
      { ...figure('pages', ({ pages }) => pages), mostRatio: MAX_PAGES_RATIO },
      { ...figure('ms', ({ ms }) => ms), mostAbove: MAX_MORE_MS },
    );
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return figures;
}

async function overviewFigures(layouts: Layouts, { name, path }: ComparedList): Promise<Figure[]> {
  const { now, before } = await layouts.compare(path, TIMES);
  return [
    { name, value: now.pages, unit: 'pages', baseline: { name: 'before', value: before.pages } },
    { name, value: now.ms, unit: 'ms', baseline: { name: 'before', value: before.ms } },
  ];
}

await runBenchmark({ blocks: DEFAULT_BLOCKS }, async (show, { blocks }) => {
  const layouts = await startLayouts(blocks);
  try {
    show('Bytes of a transaction', bytesFigures(await layouts.bytes(), blocks * TRANSACTIONS_PER_BLOCK));
    await addEverywhere(layouts, blocks);
    const lists = await comparedLists(layouts, blocks);
    const pages: Figure[] = [];
    for (const list of lists) pages.push(...(await pageFigures(layouts, list)));
    show('Pages of 500 rows, of 200 calls', pages);
    const overviews: Figure[] = [];
    for (const overview of overviewsOf(lists)) overviews.push(...(await overviewFigures(layouts, overview)));
    show('Overviews of addresses', overviews);
  } finally {
    await layouts.close();
  }
});
