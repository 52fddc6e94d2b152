import fc from 'fast-check';
import { inPages, type Listing, listingJson, listingText } from '../../bin/operator/context/listing.ts';
import { renderTable, TextTable } from '../../bin/operator/context/text-table.ts';

async function collected<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

async function* oneByOne<T>(entries: readonly T[]): AsyncGenerator<T> {
  yield* entries;
}

function listing(pages: readonly (readonly unknown[])[], head?: Record<string, string>): Listing {
  const listed = pages.map((items) => ({ items, rows: items.map((item) => [JSON.stringify(item)]) }));
  return { name: 'items', ...(head && { head }), headings: ['item'], pages: oneByOne(listed) };
}

test('the JSON of a list is the one of all its items at once, however they are paged', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\n', '\u2028', '[', ']', '{', '}') });
  const item = fc.oneof(fc.jsonValue(), fc.dictionary(text, text));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(item, { maxLength: 4 }), { maxLength: 5 }),
      fc.option(fc.record({ account: text }), { nil: undefined }),
      async (pages, head) => {
        const printed = (await collected(listingJson(listing(pages, head)))).join('');
        expect(printed).toBe(`${JSON.stringify({ ...head, items: pages.flat() }, undefined, 2)}\n`);
      },
    ),
  );
});

test('the lines of a list are its rows under one line of headings, however they are paged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(fc.nat(), { maxLength: 4 }), { maxLength: 5 }), async (pages) => {
      const printed = (await collected(listingText(listing(pages)))).join('');
      const cells = printed
        .trimEnd()
        .split('\n')
        .map((line) => line.trim());
      expect(cells).toEqual(['ITEM', ...pages.flat().map(String)]);
    }),
  );
});

test('entries come in full pages, of which the last may be smaller', async () => {
  expect(await collected(inPages(oneByOne([1, 2, 3, 4, 5]), 2))).toEqual([[1, 2], [3, 4], [5]]);
  expect(await collected(inPages(oneByOne([1, 2, 3, 4]), 2))).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(await collected(inPages(oneByOne([]), 2))).toEqual([]);
});

test('the parts of a table have one set of headings, and columns that never get narrower', () => {
  const table = new TextTable(['account', 'cu']);
  expect(table.render([['a', '12']])).toBe('ACCOUNT  CU\na        12');
  expect(table.render([['a-long-name', '1,000']])).toBe('a-long-name  1,000');
  expect(table.render([['b', '7']])).toBe('b                7');
});

test('a table of any number of rows can be rendered', () => {
  const rows = Array.from({ length: 300_000 }, (_, number) => [String(number)]);
  expect(renderTable(['number'], rows)).toHaveLength('NUMBER'.length + rows.length * 7);
});
