import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const PROJECT = join(import.meta.dirname, '..', '..');
/** A test by its file and title. */
const NAMED = /^(?<file>test\/.+\.test\.ts): (?<title>.+)$/;
/** Modules of the tests that a file loads. */
const LOADED = /from '(\.{1,2}\/[^']+\.ts)'/g;

/** A test that shows something, by its title. */
export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

/** The test of `test/a.test.ts: title`; an empty one if that names none. */
export function namedTest(name: string): NamedTest {
  const { file = '', title = '' } = NAMED.exec(name)?.groups ?? {};
  return { file, title };
}

/** Whether a test is in its file, or in a module of the tests that this loads. */
export function isThere({ file, title }: NamedTest): boolean {
  const text = textOfTests(file)?.replaceAll("\\'", "'");
  return (
    title !== '' &&
    text !== undefined &&
    ["'", '"', '`'].some((quote) => text.includes(quote + title + quote))
  );
}

/** A test file of the project with the modules beside it that it loads, which may declare its tests; undefined if it is missing. */
function textOfTests(file: string): string | undefined {
  const path = join(PROJECT, file);
  if (file === '' || !existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  const modules = [...text.matchAll(LOADED)]
    .map(([, module = '']) => normalize(join(dirname(path), module)))
    .filter((module) => module.startsWith(join(PROJECT, 'test')));
  return [text, ...modules.map((module) => readFileSync(module, 'utf8'))].join('\n');
}
