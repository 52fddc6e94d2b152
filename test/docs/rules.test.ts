import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLAUSES } from '../conformance/run-conformance.ts';
import { HELD, readPage, rowsOf, TESTED, textOfTests } from './rules-table.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const CONFORMANCE = /^conformance `(?<id>[^`]+)`$/;
const CLAUSE_IDS: ReadonlySet<string> = new Set(CLAUSES.map(({ id }) => id));

const page = readPage('rules.md');
/** The rows of all tables: clause, what holds it, what shows it. */
const rows = rowsOf(page);
const ABUSE = '## Abuse, and what bounds it\n';
/** The rows of the table of abuse: attack, costs of both sides, what bounds it, what shows it. */
const attacks = rowsOf(readPage('security.md').split(ABUSE)[1]?.split('\n## ')[0] ?? '');

function textOf(file: string): string | undefined {
  const path = join(PROJECT, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** What is wrong with an entry of the second cell; undefined if it is there. */
function missingHolder(entry: string): string | undefined {
  const { name, file = '' } = HELD.exec(entry)?.groups ?? {};
  const text = textOf(file);
  if (text === undefined) return `no file: ${entry}`;
  return name === undefined || new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text)
    ? undefined
    : `no name: ${entry}`;
}

/** What is wrong with an entry of the third cell; undefined if it is there. */
function missingTest(entry: string): string | undefined {
  const { id } = CONFORMANCE.exec(entry)?.groups ?? {};
  if (id !== undefined) return CLAUSE_IDS.has(id) ? undefined : `no clause: ${entry}`;
  const { file = '', title = '' } = TESTED.exec(entry)?.groups ?? {};
  const text = textOfTests(file)?.replaceAll("\\'", "'");
  return text !== undefined && ["'", '"', '`'].some((quote) => text.includes(quote + title + quote))
    ? undefined
    : `no test: ${entry}`;
}

describe('the table of rules', () => {
  test('has the clauses of the specification, each once in its section', () => {
    expect(rows.length).toBeGreaterThan(100);
    const sections = page.split('\n## ').slice(1);
    for (const section of sections) {
      const clauses = [...section.matchAll(/^\| ([^|]+) \|/gm)].map(([, clause]) => clause);
      expect(new Set(clauses).size).toBe(clauses.length);
    }
  });

  test.each(rows)('%s', (_, held = '', shown = '') => {
    expect(held.split('; ').flatMap((entry) => missingHolder(entry) ?? [])).toEqual([]);
    expect(shown.split('; ').flatMap((entry) => missingTest(entry) ?? [])).toEqual([]);
  });

  test('names every clause that can be asked of a running gateway', () => {
    const named = [...page.matchAll(/conformance `([^`]+)`/g)].map(([, id]) => id);
    const seen = CLAUSES.filter(({ unseen }) => unseen !== true).map(({ id }) => id);
    expect(seen.filter((id) => !named.includes(id))).toEqual([]);
  });
});

describe('the table of abuse', () => {
  test('has each attack once, with what it costs both sides', () => {
    expect(attacks.length).toBeGreaterThan(15);
    expect(new Set(attacks.map(([attack]) => attack)).size).toBe(attacks.length);
    for (const cells of attacks) expect(cells).toHaveLength(5);
  });

  test.each(attacks)('%s', (_attack, _attacker, _operator, bound = '', shown = '') => {
    expect(bound.split('; ').flatMap((entry) => missingHolder(entry) ?? [])).toEqual([]);
    expect(shown.split('; ').flatMap((entry) => missingTest(entry) ?? [])).toEqual([]);
  });
});
