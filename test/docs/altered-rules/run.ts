/**
 * Breaks each clause of `api/contract.yaml` in the way of its row and runs the tests of that alone: a row whose tests pass all
 * the same shows nothing. `npm run rules -- [WORDS OR IDS]`; `--changed` takes those whose files changed since the last
 * commit (`--base COMMIT`: since that one) and has five minutes, `--minutes N` bounds the time, `--quick` leaves out whole
 * gateways, `--write` keeps what was seen for docs/rules.md. Exit code 1 if a row that was tried is not red.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Clause, clauseDigest, clausesOf, readContract, readSeen } from '../../../api/contract.ts';
import { namedTest } from '../named-tests.ts';
import { isWritten } from './alter.ts';
import { dearness, Judge } from './judge.ts';
import { copyProject, type Verdict } from './scratch-copy.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..');
/** What `readSeen` reads. */
const SEEN_FILE = join(PROJECT, 'api', 'contract-seen.json');
const CONTRACT_FILE = 'api/contract.yaml';
/** Where what breaks a clause is, if not in its row. */
const FOLDERS: Readonly<Partial<Record<Clause['kind'], string>>> = {
  response: 'test/conformance/',
  mutant: 'test/simulation/',
};
const DEFAULT_MINUTES = 120;
const CHANGED_MINUTES = 5;
const MINUTE_MS = 60_000;
/** Longest time for one row. */
const ROW_TIMEOUT_MS = 5 * MINUTE_MS;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string' },
    quick: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
    base: { type: 'string', default: 'HEAD~1' },
    write: { type: 'boolean', default: false },
  },
});

/** Files that are not as they were in the base, with those that are not committed. */
function changedFiles(): ReadonlySet<string> {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: PROJECT, encoding: 'utf8' }).split('\n');
  return new Set([
    ...git('diff', '--name-only', values.base),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]);
}

/** Whether what breaks a clause, or shows it, is among the files, or was never seen as it is written now. */
function isOf(clause: Clause, changed: ReadonlySet<string>): boolean {
  if (changed.has(CONTRACT_FILE) && seen[clause.id] !== clauseDigest(clause)) return true;
  const files = [
    ...(clause.tests ?? []).map((test) => namedTest(test).file),
    ...(isWritten(clause) ? [clause.file] : []),
  ];
  const folder = FOLDERS[clause.kind];
  return (
    files.some((file) => changed.has(file)) ||
    [...changed].some((file) => folder !== undefined && file.startsWith(folder))
  );
}

const all = clausesOf(readContract());
const ids = new Set(all.map(({ id }) => id));
const seen = Object.fromEntries(Object.entries(readSeen()).filter(([id]) => ids.has(id)));
const changed = values.changed ? changedFiles() : undefined;
const clauses = all
  .filter(
    ({ id, words }) =>
      positionals.length === 0 || positionals.some((one) => one === id || words.includes(one)),
  )
  .filter((clause) => changed === undefined || isOf(clause, changed))
  .filter((clause) => !values.quick || dearness(clause) < 2)
  .toSorted((one, other) => dearness(one) - dearness(other));
const minutes = Number(values.minutes ?? (values.changed ? CHANGED_MINUTES : DEFAULT_MINUTES));
const endsAt = Date.now() + minutes * MINUTE_MS;
const counts: Record<Verdict | 'unasked', number> = {
  red: 0,
  green: 0,
  crash: 0,
  unloadable: 0,
  late: 0,
  unasked: 0,
};
const copy = copyProject();
try {
  const judge = new Judge(copy, values.quick);
  for (const clause of clauses) {
    const timeoutMs = Math.min(endsAt - Date.now(), ROW_TIMEOUT_MS);
    const verdict = timeoutMs <= 0 ? 'unasked' : judge.judge(clause, timeoutMs);
    counts[verdict] += 1;
    if (verdict === 'red') seen[clause.id] = clauseDigest(clause);
    else if (verdict !== 'unasked') delete seen[clause.id];
    process.stdout.write(`${verdict.padEnd(10)} ${clause.id.padEnd(24)} ${clause.words}\n`);
    if (values.write) writeFileSync(SEEN_FILE, `${JSON.stringify(sorted(seen), undefined, 2)}\n`);
  }
} finally {
  copy.remove();
}
process.stdout.write(`${JSON.stringify(counts)}: of ${clauses.length} rows\n`);
process.exitCode = counts.red + counts.unasked === clauses.length ? 0 : 1;

function sorted(digests: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(digests).sort(([one], [other]) => (one < other ? -1 : 1)));
}
