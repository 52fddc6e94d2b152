import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ExportEnd, FileWriter } from '../../lambdas/data/export/format.ts';
import { LIST_COLUMNS } from '../../lambdas/data/export/list-columns.ts';
import { parquetFile } from '../../lambdas/data/export/parquet-file.ts';
import { textFile } from '../../lambdas/data/export/text-file.ts';

/** Another Python than the one on the path, for example one with the packages that these lines read with. */
const PYTHON = process.env.GATEWAY_PYTHON ?? 'python3';
const PYTHON_TIMEOUT_MS = 120_000;
const COLUMNS = ['block_number', 'timestamp', 'token', 'amount', 'token_symbol', 'finalized'];
const AMOUNTS = ['1062160938348179398260', '7', '340282366920938463463374607431768211455'];
const SYMBOLS = ['USD', 'C#', '# "x", y'];
const END: ExportEnd = {
  complete: true,
  rows: AMOUNTS.length,
  billed_cu: 10,
  meta: { as_of_block: 600, finalized_block: 344, coverage: 'full', refreshed_at: '2026-01-01T00:00:00Z' },
};

/** Name by which each line imports its package, and the module whose absence lets it be skipped. */
const TOOLS = { 'pandas 3': 'pandas', 'polars 2': 'polars', 'DuckDB 2': 'duckdb' } as const;

/** Prints rows and amounts of what a line of the page gives. */
const RUN = `
import json, sys
tool, line = sys.argv[1:]
if tool == 'pandas': import pandas as pd
if tool == 'polars': import polars as pl
if tool == 'duckdb':
    import duckdb
    found = duckdb.sql(f'SELECT amount::VARCHAR AS amount, token_symbol, block_number FROM ({line})')
    rows = [dict(zip(found.columns, row)) for row in found.fetchall()]
else:
    scope = dict(globals())
    exec(line if line.startswith('t = ') else 't = ' + line, scope)
    t = scope['t']
    rows = t.to_dict('records') if tool == 'pandas' else t.to_dicts()
print(json.dumps([[str(row['amount']), row['token_symbol'], int(row['block_number'])] for row in rows]))
`;

const SECTION = readFileSync('docs/data-api.md', 'utf8').split('### Read a file')[1]?.split('\n## ')[0] ?? '';
/** Rows of the table: the tool, and its lines for CSV, JSON lines and Parquet. */
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

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'exports-'));
  const columns = (LIST_COLUMNS.listTransfers ?? []).filter(({ name }) => COLUMNS.includes(name));
  const pack = AMOUNTS.map((amount, index) => {
    const symbol = SYMBOLS[index]?.replaceAll('"', '""') ?? '';
    const fields = [
      40 + index,
      '2026-01-01T00:00:00Z',
      '0x70',
      amount,
      /[",]/.test(symbol) ? `"${symbol}"` : symbol,
      't',
    ];
    return `(${fields.join(',')})`;
  }).join('\n');
  const write = (name: string, writer: FileWriter) => {
    const pieces = [
      writer.rows(
        columns.map((column) => column.name),
        [pack],
      ),
      writer.end(END),
    ];
    writeFileSync(join(folder, name), Buffer.concat(pieces.map((piece) => Buffer.from(piece as Uint8Array))));
  };
  write('f.csv', textFile({ format: 'csv', columns }));
  write('bare.csv', textFile({ format: 'csv', columns, hasTrailer: false }));
  write('f.ndjson', textFile({ format: 'ndjson', columns }));
  write('f.parquet', parquetFile(columns));
});

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
  run(`${line} reads every row with its amount${reason}`, () => {
    const printed = execFileSync(PYTHON, ['-c', RUN, module, line], {
      cwd: folder,
      encoding: 'utf8',
      timeout: PYTHON_TIMEOUT_MS,
    });
    expect(JSON.parse(printed)).toEqual(AMOUNTS.map((amount, index) => [amount, SYMBOLS[index], 40 + index]));
  });
}

test('the line for spreadsheets leaves what trailer=none is', () => {
  const [, cell = ''] = TABLE.find(([name]) => name === 'a spreadsheet') ?? [];
  const command = /^`([^`]+)`/.exec(cell)?.[1] ?? '';
  execFileSync('sh', ['-c', command], { cwd: folder });
  expect(readFileSync(join(folder, 'rows.csv'), 'utf8')).toBe(readFileSync(join(folder, 'bare.csv'), 'utf8'));
});
