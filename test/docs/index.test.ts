import { readdirSync, readFileSync } from 'node:fs';

const INDEX = 'README.md';

test('docs/README.md lists every page of the folder', () => {
  const text = readFileSync(`docs/${INDEX}`, 'utf8');
  const pages = readdirSync('docs').filter((file) => file.endsWith('.md') && file !== INDEX);
  expect(pages.filter((page) => !text.includes(`](${page})`))).toEqual([]);
});
