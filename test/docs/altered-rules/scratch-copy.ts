import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Rule } from '../rules-table.ts';
import type { Alteration } from './alter.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..');
const JEST = join('node_modules', 'jest', 'bin', 'jest.js');
/** What a title has in the place of a row's values. */
const PLACEHOLDER = /%[a-z#]|\$\w+/g;

/** What a rule's tests say of a change: `unloadable` if they do not get as far as to run, which shows nothing. */
export type Verdict = 'red' | 'green' | 'unloadable' | 'late';

/** A copy of the project in which one file at a time is changed. */
export interface ScratchCopy {
  /** Runs the named tests alone, with a file changed. */
  tests(tests: Rule['tests'], alteration: Alteration | undefined, timeoutMs: number): Verdict;
  remove(): void;
}

/** Copies the project without what it has installed. */
export function copyProject(): ScratchCopy {
  const folder = mkdtempSync(join(tmpdir(), 'altered-rules-'));
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: PROJECT,
    encoding: 'utf8',
  });
  for (const file of files.split('\n').filter((name) => name !== '')) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(PROJECT, file), join(folder, file));
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  const run = (tests: Rule['tests'], timeoutMs: number): Verdict => {
    const titles = tests.map(({ title }) => title.split(PLACEHOLDER).map(escaped).join('.*')).join('|');
    const paths = [...new Set(tests.map(({ file }) => file))];
    const report = join(folder, 'report.json');
    rmSync(report, { force: true });
    spawnSync(
      process.execPath,
      [JEST, '--json', `--outputFile=${report}`, '--runInBand', '-t', titles, '--runTestsByPath', ...paths],
      { cwd: folder, stdio: 'ignore', timeout: timeoutMs, killSignal: 'SIGKILL' },
    );
    return verdictOf(report);
  };
  return {
    tests(tests, alteration, timeoutMs) {
      if (alteration === undefined) return run(tests, timeoutMs);
      const file = join(folder, alteration.file);
      const text = readFileSync(file);
      writeFileSync(file, alteration.text);
      try {
        return run(tests, timeoutMs);
      } finally {
        writeFileSync(file, text);
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function verdictOf(report: string): Verdict {
  let read: { readonly numFailedTests: number; readonly numPassedTests: number };
  try {
    read = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return 'late';
  }
  if (read.numFailedTests > 0) return 'red';
  return read.numPassedTests > 0 ? 'green' : 'unloadable';
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
