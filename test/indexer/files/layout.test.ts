/** Files have the columns that docs/block-files.md describes, in the words of nodes, and each that a node tells and rows have. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { columnParts, TABLE_COLUMNS } from '../../../lambdas/chain-data/decode/load-columns.ts';
import { FILE_TABLES, TABLE_NAMES } from '../../../lambdas/indexer/files/layout.ts';

const DOCS = readFileSync(join(import.meta.dirname, '../../../docs/block-files.md'), 'utf8');

/** Columns that the page describes of a table, sorted. */
function described(table: string): string[] {
  const [, rows = ''] =
    new RegExp(`^\\| \`${table}\`[^|]*\\|[^|]*\\|\\n((?:\\|.*\\n)+)`, 'm').exec(DOCS) ?? [];
  const names = rows.split('\n').flatMap((row) => {
    const cell = (row.split('|')[1] ?? '')
      .replace(/\(.*?\)/g, '')
      .replace('`topic0` to', '`topic0`, `topic1`, `topic2`,');
    return Array.from(cell.matchAll(/`(\w+)`/g), ([, name = '']) => name);
  });
  return names.sort();
}

test.each(TABLE_NAMES)('the columns of %s are those that are described', (table) => {
  expect(Object.keys(FILE_TABLES[table]).sort()).toEqual(described(table));
});

test('what files call otherwise than tables is listed here', () => {
  const renamed = TABLE_NAMES.flatMap((table) =>
    Object.entries(TABLE_COLUMNS[table] as Readonly<Record<string, Parameters<typeof columnParts>[0]>>)
      .filter(([name, spec]) => columnParts(spec).proof !== undefined && !(name in FILE_TABLES[table]))
      .map(([name]) => `${table}.${name}`),
  );
  expect(renamed).toEqual([
    'blocks.number',
    'blocks.time',
    'transactions.tx_index',
    'logs.tx_index',
    'traces.tx_index',
    'traces.subcalls',
    'withdrawals.to_address',
  ]);
});

test('what a node tells of a block has the class that docs/indexing.md gives it', () => {
  const classes = (proof: string) =>
    Object.entries(TABLE_COLUMNS.blocks)
      .filter(([, spec]) => columnParts(spec).proof === proof)
      .map(([name]) => name);
  expect(classes('derived')).toEqual(['l1_block_number', 'send_count', 'send_root']);
  expect(classes('told')).toEqual(['size', 'extra', 'extra_omitted']);
  const told = Object.entries(TABLE_COLUMNS.traces).filter(
    ([, spec]) => columnParts(spec).proof !== undefined,
  );
  expect(new Set(told.map(([, spec]) => columnParts(spec).proof))).toEqual(new Set(['told']));
});
