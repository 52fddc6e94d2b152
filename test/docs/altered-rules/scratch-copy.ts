import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { NamedTest } from '../named-tests.ts';
import type { Altered } from './alter.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..');
const JEST = join('node_modules', 'jest', 'bin', 'jest.js');
/** What a title has in the place of a row's values. */
const PLACEHOLDER = /%[a-z#]|\$\w+/g;
/** What the message of a failed assertion has, of jest, Node.js or fast-check; what a test only ran into says something else. */
const ASSERTION = /\bexpect\(|AssertionError|ERR_ASSERTION|Property failed/;
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/**
 * What the tests of a row say of a change: `red` if an assertion of one failed; `crash` if they failed otherwise, `unloadable`
 * if they did not get as far as to run, which both show nothing.
 */
export type Verdict = 'red' | 'green' | 'crash' | 'unloadable' | 'late';

/** A copy of the project in which one file at a time is changed. */
export interface ScratchCopy {
  /** Runs the named tests alone, with a file changed. */
  tests(tests: readonly NamedTest[], altered: Altered | undefined, timeoutMs: number): Verdict;
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
  const run = (tests: readonly NamedTest[], timeoutMs: number): Verdict => {
    const titles = tests.map(({ title }) => patternOf(title)).join('|');
    const paths = [...new Set(tests.map(({ file }) => file))];
    const report = join(folder, 'report.json');
    rmSync(report, { force: true });
    spawnSync(
      process.execPath,
      [JEST, '--json', `--outputFile=${report}`, '--runInBand', '-t', titles, '--runTestsByPath', ...paths],
      { cwd: folder, stdio: 'ignore', timeout: timeoutMs, killSignal: 'SIGKILL' },
    );
    return verdictOf(report, new RegExp(titles));
  };
  return {
    tests(tests, altered, timeoutMs) {
      if (altered === undefined) return run(tests, timeoutMs);
      const file = join(folder, altered.file);
      const text = readFileSync(file);
      writeFileSync(file, altered.text);
      try {
        return run(tests, timeoutMs);
      } finally {
        writeFileSync(file, text);
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function verdictOf(report: string, titles: RegExp): Verdict {
  let read: Report;
  try {
    read = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return 'late';
  }
  const named = read.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ fullName }) => titles.test(fullName)),
  );
  const failed = named.filter(({ status }) => status === 'failed');
  const messages = failed.flatMap(({ failureMessages }) => failureMessages);
  if (messages.some((message) => ASSERTION.test(message.replaceAll(COLOURS, '')))) return 'red';
  if (failed.length > 0) return 'crash';
  return named.some(({ status }) => status === 'passed') ? 'green' : 'unloadable';
}

function patternOf(title: string): string {
  return title
    .split(PLACEHOLDER)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('.*');
}
