/** That the lines of the page on exports read what exports write, and round nothing. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Column } from '../../lambdas/data/export/column.ts';
import type { ExportEnd, FileWriter } from '../../lambdas/data/export/format.ts';
import { LIST_COLUMNS } from '../../lambdas/data/export/list-columns.ts';
import { parquetFile } from '../../lambdas/data/export/parquet-file.ts';
import { textFile } from '../../lambdas/data/export-response.ts';

/** Another Python than the one on the path, for example one with the packages that these lines read with. */
const PYTHON = process.env.GATEWAY_PYTHON ?? 'python3';
const PYTHON_TIMEOUT_MS = 120_000;
/** Numbers that a float of 64 bits rounds: an odd one above 2^53, the largest word of the chain, a price with 18 decimals. */
const ODD = '56117111135041347';
const WORD = '115792089237316195423570985008687907853269984665640564039457584007913129639935';
const DECIMALS = '13482.434474123456789012';
/**
 * What texts of a column are: what must not be taken for a comment, a separator or an absent value, and columns of numbers alone,
 * which a tool would round that takes them for such.
 */
const TEXTS = [
  ['# "x", y', 'NA', 'C#', ODD, ''],
  [ODD, WORD, `-${WORD}`, '0', ''],
  [DECIMALS, '7', '0.1', DECIMALS, ''],
] as const;
/** Whole numbers, one of them absent. */
const INTEGERS = ['500', '', '7'];
const END: ExportEnd = {
  complete: true,
  rows: 4,
  billed_cu: 10,
  charges: [],
  meta: { as_of_block: 600, finalized_block: 344, coverage: 'full', refreshed_at: '2026-01-01T00:00:00Z' },
};

/** Name by which each line imports its package, and the module whose absence lets it be skipped. */
const TOOLS = { 'pandas 3': 'pandas', 'polars 2': 'polars', 'DuckDB 2': 'duckdb' } as const;

/** Prints all rows of what a line of the page gives, each value as the text that Python has of it. */
const RUN = `
import json, os, sys
tool, line, *lists = sys.argv[1:]
if tool == 'pandas': import pandas as pd
if tool == 'polars': import polars as pl
if tool == 'duckdb': import duckdb
absent = lambda value: value is None or value != value
def read(name):
    os.chdir(name)
    if tool == 'duckdb':
        found = duckdb.sql(f'SELECT COLUMNS(*)::VARCHAR FROM ({line})')
        rows = [dict(zip(found.columns, row)) for row in found.fetchall()]
    else:
        scope = dict(globals())
        exec(line if line.startswith('t = ') else 't = ' + line, scope)
        t = scope['t']
        rows = t.to_dict('records') if tool == 'pandas' else t.to_dicts()
    os.chdir('..')
    return [{name: '' if absent(value) else str(value) for name, value in row.items()} for row in rows]
print(json.dumps({name: read(name) for name in lists}))
`;

const SECTION = readFileSync('docs/data-api.md', 'utf8').split('### Read a file')[1]?.split('\n## ')[0] ?? '';
/** Rows of the table: the tool, and its lines for Parquet, CSV and JSON lines. */
const TABLE = SECTION.split('\n')
  .filter((line) => line.startsWith('| ') && !line.includes('---'))
  .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| | ?\|$/g, '')));

const lines = Object.entries(TOOLS).flatMap(([tool, module]) =>
  (TABLE.find(([name]) => name === tool) ?? [])
    .slice(1)
    .flatMap((cell) => /^`(?<line>[^`]+)`/.exec(cell)?.groups?.line ?? [])
    .map((line) => ({ module, line })),
);

let folder = '';

/** The columns of a list, without those of `finality=latest`. */
const columnsOf = (list: string) => (LIST_COLUMNS[list] ?? []).filter(({ name }) => name !== 'finalized');

/** What a column has in a row of a file; the empty text where it is null. */
function textOf({ kind }: Column, column: number, row: number): string {
  if (kind === 'time') return '2026-01-01T00:00:00Z';
  if (kind === 'day') return '2026-01-01';
  if (kind === 'boolean') return row % 2 === 0 ? 't' : 'f';
  if (kind === 'json') return '[]';
  if (kind === 'integer') return INTEGERS[(row + column) % INTEGERS.length] ?? '';
  return TEXTS[column % TEXTS.length]?.[(row + column) % TEXTS[0].length] ?? '';
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'exports-'));
  for (const list of Object.keys(LIST_COLUMNS)) writeFiles(list);
});

/** Rows of a list, with each text of their row of {@link TEXTS} in each column. */
function rowsOf(list: string): readonly (readonly string[])[] {
  const columns = columnsOf(list);
  return TEXTS[0].map((_, row) => columns.map((column, index) => textOf(column, index, row)));
}

/** Writes a list in each format, in a folder of its own. */
function writeFiles(list: string): void {
  const columns = columnsOf(list);
  const records = rowsOf(list).map(
    (fields) =>
      `(${fields.map((text) => (/[", ]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(',')})`,
  );
  const names = columns.map(({ name }) => name);
  const write = (file: string, writer: FileWriter) => {
    const pieces = [writer.rows(names, [records.join('\n')]), writer.end(END)];
    const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece as Uint8Array)));
    writeFileSync(join(folder, list, file), bytes);
  };
  mkdirSync(join(folder, list));
  write('f.csv', textFile({ format: 'csv', columns }));
  write('bare.csv', textFile({ format: 'csv', columns, hasTrailer: false }));
  write('f.ndjson', textFile({ format: 'ndjson', columns }));
  write('f.parquet', parquetFile(columns));
}

afterAll(() => {
  if (folder !== '') rmSync(folder, { recursive: true });
});

/** `test` where Python has the modules; elsewhere `test.skip`, with the reason in its name. */
function testWith(...modules: readonly string[]): { run: typeof test | typeof test.skip; reason: string } {
  const { status } = spawnSync(PYTHON, ['-c', `import ${modules.join(', ')}`], {
    timeout: PYTHON_TIMEOUT_MS,
  });
  if (status === 0) return { run: test, reason: '' };
  return { run: test.skip, reason: ` (skipped: ${PYTHON} has no ${modules.join(' and ')})` };
}

test('the page has lines for three tools, and each of them one for Parquet', () => {
  expect(lines.map(({ module }) => module)).toEqual([
    ...['pandas', 'pandas', 'pandas'],
    ...['polars', 'polars'],
    ...['duckdb', 'duckdb', 'duckdb'],
  ]);
});

for (const { module, line } of lines) {
  const needed = module === 'pandas' && line.includes('parquet') ? [module, 'pyarrow'] : [module];
  const { run, reason } = testWith(...needed);
  run(`${line} reads every row of every list to its last digit${reason}`, () => {
    const printed = execFileSync(PYTHON, ['-c', RUN, module, line, ...Object.keys(LIST_COLUMNS)], {
      cwd: folder,
      encoding: 'utf8',
      timeout: PYTHON_TIMEOUT_MS,
    });
    const seen = JSON.parse(printed) as Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;
    for (const [list, found] of Object.entries(seen)) {
      const read = found.map((row) => columnsOf(list).map((column) => plainText(column, row[column.name])));
      const written = rowsOf(list).map((row) =>
        row.map((text, index) => plainText(columnsOf(list)[index], text)),
      );
      expect({ list, rows: read }).toEqual({ list, rows: written });
    }
  });
}

/** A value without what each tool writes its own way: 500.0 beside a row without a number, times, and true. */
function plainText(column: Column | undefined, text = ''): string {
  if (column?.kind === 'time' || column?.kind === 'day') return text.slice(0, '2026-01-01'.length);
  if (column?.kind === 'boolean') return text.slice(0, 1).toLowerCase();
  return column?.kind === 'integer' && text !== '' ? String(Number(text)) : text;
}

test('the line for spreadsheets leaves what trailer=none is', () => {
  const [, , cell = ''] = TABLE.find(([name]) => name === 'a spreadsheet') ?? [];
  const command = /^`([^`]+)`/.exec(cell)?.[1] ?? '';
  const files = join(folder, 'listTransfers');
  execFileSync('sh', ['-c', command], { cwd: files });
  expect(readFileSync(join(files, 'rows.csv'), 'utf8')).toBe(readFileSync(join(files, 'bare.csv'), 'utf8'));
});
