import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const PROJECT = join(import.meta.dirname, '..', '..');

/** What holds a rule: `name` in `file`, or a file alone. */
export const HELD = /^(?:`(?<name>[^`]+)` in )?`(?<file>[^`]+)`$/;
/** A test that shows a rule, by its title. */
export const TESTED = /^`(?<file>test\/[^`]+\.test\.ts)`: (?<title>.+)$/;

/** A row of docs/rules.md. */
export interface Rule {
  readonly clause: string;
  readonly holders: readonly { readonly name: string | undefined; readonly file: string }[];
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

/** Modules of the tests that a file loads. */
const LOADED = /from '(\.{1,2}\/[^']+\.ts)'/g;

/** A test file of the project with the modules beside it that it loads, which may declare its tests; undefined if it is missing. */
export function textOfTests(file: string): string | undefined {
  const path = join(PROJECT, file);
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  const modules = [...text.matchAll(LOADED)]
    .map(([, module = '']) => normalize(join(dirname(path), module)))
    .filter((module) => module.startsWith(join(PROJECT, 'test')));
  return [text, ...modules.map((module) => readFileSync(module, 'utf8'))].join('\n');
}

/** A page of docs. */
export function readPage(name: string): string {
  return readFileSync(join(PROJECT, 'docs', name), 'utf8');
}

/** Cells of the rows below the heads of tables. */
export function rowsOf(text: string): readonly string[][] {
  return text
    .split('\n')
    .filter(
      (line, index, lines) => line.startsWith('| ') && !line.startsWith('| --- ') && !isHead(lines, index),
    )
    .map((line) => line.slice(2, -2).split(' | '));
}

/** The rows of docs/rules.md. */
export function readRules(): readonly Rule[] {
  return rowsOf(readPage('rules.md')).map(([clause = '', held = '', shown = '']) => ({
    clause,
    holders: matchesOf(HELD, held).map(({ name, file = '' }) => ({ name, file })),
    tests: matchesOf(TESTED, shown).map(({ file = '', title = '' }) => ({ file, title })),
  }));
}

function matchesOf(pattern: RegExp, cell: string): readonly Partial<Record<string, string>>[] {
  return cell.split('; ').flatMap((entry) => {
    const groups = pattern.exec(entry)?.groups;
    return groups === undefined ? [] : [groups];
  });
}

function isHead(lines: readonly string[], index: number): boolean {
  return lines[index + 1]?.startsWith('| --- ') === true;
}
