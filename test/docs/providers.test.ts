/** The table that puts this API beside six others says of each cell where that is written. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'data-api.md');
const PROVIDERS = 6;
/** A page of theirs, or that nobody found one. */
const THEIRS = /^(?:not found|\[[^\]]+\]\(https:\/\/[^)\s]+\))$/;
/** A section of these documents, or that there is no such thing. */
const OURS = /^(?:no|\[[^\]]+\]\((?:#|[a-z-]+\.md)[^)\s]*\))$/;

const [, section = ''] = readFileSync(DOCUMENT, 'utf8').split('\n## Beside other providers\n');
const [table = ''] = section.split('\n## ');
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| |') && !line.startsWith('| ---'))
  .map((line) => line.slice(2, -2).split(' | '));

test('the table has what is asked for', () => {
  expect(rows.length).toBeGreaterThan(15);
});

test.each(rows.map(([capability = '', ...cells]) => ({ capability, cells })))(
  '$capability has a source in each cell',
  ({ cells }) => {
    expect(cells).toHaveLength(PROVIDERS + 1);
    expect(cells.slice(0, PROVIDERS).filter((cell) => !THEIRS.test(cell))).toEqual([]);
    expect(cells.slice(PROVIDERS).filter((cell) => !OURS.test(cell))).toEqual([]);
  },
);
