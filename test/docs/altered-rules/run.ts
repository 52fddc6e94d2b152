/**
 * Breaks each rule of docs/rules.md in a copy of the project and runs the tests that its row names: a row whose tests pass all the
 * same shows nothing. `npm run rules -- [WORDS OF CLAUSES]`; `--minutes N` bounds the time, `--quick` leaves out tests
 * that start gateways. Exit code 1 if a row stays green.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Rule, readRules } from '../rules-table.ts';
import { alterationOf } from './alter.ts';
import { copyProject, type Verdict } from './scratch-copy.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..');
const DEFAULT_MINUTES = 120;
const MINUTE_MS = 60_000;
/** Longest time for the tests of one row. */
const ROW_TIMEOUT_MS = 5 * MINUTE_MS;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: String(DEFAULT_MINUTES) }, quick: { type: 'boolean' } },
});

/** How dear the tests of a row are: those without processes come first. */
function dearness({ tests }: Rule): number {
  return Math.min(
    ...tests.map(({ file }) => (file.startsWith('test/end-to-end/') ? 2 : Number(file.includes('.system.')))),
  );
}

const rules = readRules()
  .filter(({ clause }) => positionals.every((word) => clause.includes(word)))
  .filter((rule) => rule.tests.length === 0 || values.quick !== true || dearness(rule) < 2)
  .sort((one, other) => dearness(one) - dearness(other));
const endsAt = Date.now() + Number(values.minutes) * MINUTE_MS;
const counts = { red: 0, green: 0, unloadable: 0, late: 0, unaltered: 0, conformance: 0, unasked: 0 };
const copy = copyProject();
try {
  for (const rule of rules) {
    const verdict = judge(rule);
    counts[verdict.of] += 1;
    if (verdict.of !== 'conformance')
      process.stdout.write(`${verdict.of.padEnd(10)} ${rule.clause} (${verdict.what})\n`);
  }
} finally {
  copy.remove();
}
process.stdout.write(`${JSON.stringify(counts)}: of ${rules.length} rows\n`);
process.exitCode = counts.green + counts.unaltered > 0 ? 1 : 0;

function judge(rule: Rule): { readonly of: keyof typeof counts; readonly what: string } {
  // What only a running gateway shows is altered in its answers (test/conformance/alterations).
  if (rule.tests.length === 0) return { of: 'conformance', what: '' };
  const alteration = alterationOf(rule, (file) => readFileSync(join(PROJECT, file), 'utf8'));
  if (alteration === undefined) return { of: 'unaltered', what: 'nothing that holds it can be changed' };
  const cheapest = dearness(rule);
  const tests = rule.tests.filter((one) => dearness({ ...rule, tests: [one] }) === cheapest);
  const timeoutMs = Math.min(endsAt - Date.now(), ROW_TIMEOUT_MS);
  if (timeoutMs <= 0) return { of: 'unasked', what: 'the time is over' };
  const first: Verdict = copy.tests(tests, alteration, timeoutMs);
  const others = rule.tests.filter((one) => !tests.includes(one));
  const isOpen = first === 'green' && others.length > 0 && values.quick !== true;
  return { of: isOpen ? copy.tests(others, alteration, timeoutMs) : first, what: alteration.what };
}
