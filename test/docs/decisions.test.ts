import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'adr');
const INDEX = readFileSync(join(FOLDER, 'README.md'), 'utf8');

test('the index of decisions has each of them once', () => {
  const decisions = readdirSync(FOLDER).filter((file) => /^\d{3}-/.test(file));
  const linked = [...INDEX.matchAll(/\]\((\d{3}-[\w-]+\.md)\)/g)].map(([, file = '']) => file);
  expect(linked.toSorted()).toEqual(decisions.toSorted());
});

test('a number is that of one decision', () => {
  const numbers = readdirSync(FOLDER).flatMap((file) => file.match(/^\d{3}/)?.[0] ?? []);
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
});
