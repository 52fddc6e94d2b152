/** The contract holds together: each clause has its checks, its tests and what breaks it, and each change that is written down applies. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clausesOf, publicContract, readContract } from '../../api/contract.ts';
import { ALTERATIONS } from '../conformance/alterations/all.ts';
import { CHECKS } from '../conformance/run-conformance.ts';
import { MUTANTS } from '../simulation/mutants/mutants.ts';
import { applyChange, isWritten } from './altered-rules/alter.ts';
import { isThere, namedTest } from './named-tests.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
/** Most changes of functions: beyond them a table, a mutant or a response says it shorter. */
const MAX_CHANGES = 60;
const HELD = /^(?:`(?<name>[^`]+)` in )?`(?<file>[^`]+)`$/;
const TESTED = /^`(?<file>test\/[^`]+\.test\.ts)`: (?<title>.+)$/;
const ABUSE = '## Abuse, and what bounds it\n';

const contract = readContract();
const clauses = clausesOf(contract);
const idsOf = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);
/** The rows of the table of abuse: attack, costs of both sides, what bounds it, what shows it. */
const attacks = rowsOf(
  readFileSync(join(PROJECT, 'docs', 'security.md'), 'utf8')
    .split(ABUSE)[1]
    ?.split('\n## ')[0] ?? '',
);

/** Cells of the rows below the heads of tables. */
function rowsOf(text: string): readonly string[][] {
  const isHead = (lines: readonly string[], index: number) => lines[index + 1]?.startsWith('| --- ') === true;
  return text
    .split('\n')
    .filter(
      (line, index, lines) => line.startsWith('| ') && !line.startsWith('| --- ') && !isHead(lines, index),
    )
    .map((line) => line.slice(2, -2).split(' | '));
}

/** What is wrong with an entry of what bounds an attack; undefined if it is there. */
function missingHolder(entry: string): string | undefined {
  const { name, file = '' } = HELD.exec(entry)?.groups ?? {};
  const path = join(PROJECT, file);
  if (file === '' || !existsSync(path)) return `no file: ${entry}`;
  return name === undefined || new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(readFileSync(path, 'utf8'))
    ? undefined
    : `no name: ${entry}`;
}

function missingTest(entry: string): string | undefined {
  const { file = '', title = '' } = TESTED.exec(entry)?.groups ?? {};
  return isThere({ file, title }) ? undefined : `no test: ${entry}`;
}

describe('the table of rules', () => {
  test('has the clauses of the specification, each once in its section', () => {
    expect(clauses.length).toBeGreaterThan(130);
    expect(new Set(idsOf(clauses)).size).toBe(clauses.length);
    expect(new Set(clauses.map(({ words }) => words)).size).toBe(clauses.length);
  });

  test.each(clauses.map((clause) => [clause.words, clause] as const))('%s', (_, clause) => {
    const { id, words, example, price, checks = [], tests = [], unseen } = clause;
    expect([id, words, example, price]).not.toContain('');
    expect(checks.filter((one) => CHECKS[one] === undefined)).toEqual([]);
    expect(tests.filter((one) => !isThere(namedTest(one)))).toEqual([]);
    if (unseen !== undefined) expect(CHECKS[id]).toBeUndefined();
    if (isWritten(clause)) {
      expect(tests).not.toEqual([]);
      expect(applyChange(clause).text).not.toBe('');
    }
    if (clause.kind === 'response') {
      const shown = ALTERATIONS.filter(({ name }) => name === clause.alteration).map(
        ({ shownBy }) => shownBy,
      );
      expect([id, ...checks]).toEqual(expect.arrayContaining(shown));
      expect(shown).toHaveLength(1);
    }
    if (clause.kind === 'mutant') expect(MUTANTS.map(({ name }) => name)).toContain(clause.mutant);
  });

  test('names every clause that can be asked of a running gateway', () => {
    expect(Object.keys(CHECKS).filter((id) => !idsOf(clauses).includes(id))).toEqual([]);
  });

  test('has few changes of functions, and none throws', () => {
    expect(clauses.filter(({ kind }) => kind === 'change').length).toBeLessThanOrEqual(MAX_CHANGES);
    const change = {
      kind: 'change',
      file: 'lambdas/shared/methods/method-facts.ts',
      in: 'weightOf',
      text: 'return weight ?? DEFAULT_WEIGHT;',
      to: 'return DEFAULT_WEIGHT;',
    } as const;
    expect(applyChange(change).text).toContain(change.to);
    for (const wrong of [
      { to: "throw new Error('altered');" },
      { to: 'return (;' },
      { to: change.text },
      { in: 'noSuchFunction' },
      { in: 'isIdempotent' },
      { text: 'method' },
    ])
      expect(() => applyChange({ ...change, ...wrong })).toThrow();
  });

  test('serves words, examples and prices alone', () => {
    const served = publicContract(contract);
    expect(Object.keys(served)).toEqual(idsOf(clauses));
    for (const one of Object.values(served)) expect(Object.keys(one)).toEqual(['words', 'example', 'price']);
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
