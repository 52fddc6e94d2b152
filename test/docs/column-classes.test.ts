/** The page says of each stored column what shows that it is right, and no column is left out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TABLE_COLUMNS } from '../../lambdas/chain-data/decode/load-columns.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'indexing.md');
const CLASSES = ['committed', 'derived', 'told'] as const;
/** Tables whose rows are a node's; all others are made of these. */
const TABLES = ['blocks', 'transactions', 'withdrawals', 'logs', 'traces'] as const;

const ROW = new RegExp(`^\\| \`(${TABLES.join('|')})\` \\| (.*) \\| (.*) \\| (.*) \\|$`, 'gm');
const namesIn = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);

test('each column of what nodes tell stands in the table under its class', () => {
  const described = Object.fromEntries(
    [...readFileSync(PAGE, 'utf8').matchAll(ROW)].map(([, table = '', ...cells]) => [
      table,
      Object.fromEntries(CLASSES.map((name, index) => [name, namesIn(cells[index] ?? '')])),
    ]),
  );
  const stored = Object.fromEntries(
    TABLES.map((table) => [
      table,
      Object.fromEntries(
        CLASSES.map((name) => [
          name,
          Object.entries(TABLE_COLUMNS[table]).flatMap(([column, spec]) =>
            spec.endsWith(` ${name}`) ? [column] : [],
          ),
        ]),
      ),
    ]),
  );
  expect(described).toEqual(stored);
});
