/** A clause that is broken is noticed by its own tests, and each change that is written down is type-correct. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import ts from 'typescript';
import { clausesOf, readContract } from '../../../api/contract.ts';
import { namedTest } from '../named-tests.ts';
import { applyChange, isWritten } from './alter.ts';
import { Judge } from './judge.ts';
import { copyProject, type ScratchCopy } from './scratch-copy.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..');
const TIMEOUT_MS = 240_000;
/** Rows whose tests take a second: a table, a constant, and functions. */
const SAMPLE = ['errors.3', 'errors.7', 'weights.eth_getLogs', 'status.public', 'metering.5'];

const clauses = clausesOf(readContract());
const written = clauses.filter(isWritten);

let copy: ScratchCopy | undefined;

beforeAll(() => {
  copy = copyProject();
});

afterAll(() => copy?.remove());

test('each rule that a test shows has a change that breaks it', () => {
  const shown = clauses.filter(({ tests = [] }) => tests.length > 0);
  expect(shown.length).toBeGreaterThan(100);
  expect(shown.filter(({ kind }) => !['response', 'table', 'mutant', 'change'].includes(kind))).toEqual([]);
});

test('each change that is written down is of a rule, and of a file that is there', () => {
  expect(written.length).toBeGreaterThan(80);
  expect(written.filter(({ file }) => !existsSync(join(PROJECT, file)))).toEqual([]);
});

test('each change that is written down is type-correct', () => {
  const { config } = ts.readConfigFile(join(PROJECT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, PROJECT);
  const files = new Map<string, { text: string; version: number }>();
  const roots = [...new Set(written.map(({ file }) => join(PROJECT, file)))].filter((file) =>
    file.endsWith('.ts'),
  );
  const textOf = (file: string) =>
    files.get(file)?.text ?? (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    // A change may leave a name unused, which no run of the tests minds.
    getCompilationSettings: () => ({ ...options, noUnusedLocals: false, noUnusedParameters: false }),
    getScriptFileNames: () => roots,
    getScriptVersion: (file) => String(files.get(file)?.version ?? 0),
    getScriptSnapshot: (file) => {
      const text = textOf(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => PROJECT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  const wrong = written.flatMap((clause, index) => {
    const file = join(PROJECT, clause.file);
    if (!roots.includes(file)) return [];
    const { text } = applyChange(clause);
    files.set(file, { text, version: 2 * index + 1 });
    const diagnostics = service.getSemanticDiagnostics(file);
    files.set(file, { text: readFileSync(file, 'utf8'), version: 2 * index + 2 });
    return diagnostics.map(({ messageText }) => [
      clause.id,
      ts.flattenDiagnosticMessageText(messageText, ' '),
    ]);
  });
  expect(wrong).toEqual([]);
});

test.each(SAMPLE)('a change of it is noticed: %s', (id) => {
  const clause = clauses.find((one) => one.id === id);
  if (copy === undefined || clause === undefined) throw new Error(`there is no clause ${id}`);
  expect(new Judge(copy, true).judge(clause, TIMEOUT_MS)).toBe('red');
});

test('without a change they pass', () => {
  const tests = clauses.filter(({ id }) => SAMPLE.includes(id)).flatMap((clause) => clause.tests ?? []);
  expect(copy?.tests(tests.map(namedTest), undefined, TIMEOUT_MS)).toBe('green');
});
