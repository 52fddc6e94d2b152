import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readRules } from '../rules-table.ts';
import { alterationOf } from './alter.ts';
import { BY_HAND } from './by-hand.ts';
import { copyProject, type ScratchCopy } from './scratch-copy.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..');
const TIMEOUT_MS = 240_000;
/** Rows whose tests take a second: a number, a text, a function, and one whose change is written down. */
const SAMPLE = [
  'Calls per batch: 100 maximum',
  '-32010, 200: node is syncing; latest-state calls are temporarily unavailable',
  '`eth_getLogs`: 50 CU',
  'Only publicly available chains are listed',
];

const rules = readRules();
const read = (file: string) => readFileSync(join(PROJECT, file), 'utf8');

let copy: ScratchCopy | undefined;

beforeAll(() => {
  copy = copyProject();
});

afterAll(() => copy?.remove());

test('each rule that a test shows has a change that breaks it', () => {
  const shown = rules.filter(({ tests }) => tests.length > 0);
  expect(shown.length).toBeGreaterThan(100);
  expect(shown.filter((rule) => alterationOf(rule, read) === undefined).map(({ clause }) => clause)).toEqual(
    [],
  );
});

test('each change that is written down is of a rule, and of a file that is there', () => {
  const clauses = rules.map(({ clause }) => clause);
  expect(Object.keys(BY_HAND).filter((clause) => !clauses.includes(clause))).toEqual([]);
  expect(Object.values(BY_HAND).filter(({ file }) => !existsSync(join(PROJECT, file)))).toEqual([]);
});

test.each(SAMPLE)('a change of it is noticed: %s', (clause) => {
  const rule = rules.find((one) => one.clause === clause);
  const alteration = rule && alterationOf(rule, read);
  expect(copy?.tests(rule?.tests ?? [], alteration, TIMEOUT_MS)).toBe('red');
});

test('without a change they pass', () => {
  const tests = rules.filter(({ clause }) => SAMPLE.includes(clause)).flatMap((rule) => rule.tests);
  expect(copy?.tests(tests, undefined, TIMEOUT_MS)).toBe('green');
});
