import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AT_LENGTH_VARIABLE } from './at-length.ts';
import {
  describeSeconds,
  endedChildrenSeconds,
  readSeconds,
  SECONDS_FILE_VARIABLE,
} from './processor-time.ts';

/** More files than this do not fail by chance. */
const MAX_FILES_AGAIN = 5;
const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');
/** Adds the deep tests, in the same run: what is made once is made once for all. */
const DEEP = '--deep';

/** What this program reads of jest's report. */
interface Report {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

/**
 * Runs the tests, as `jest` with these arguments does, and prints what they took of the processors: a bound that a busy
 * machine does not move. Deep tests run if `--deep` stands there, or one of them is named. A system test waits for
 * processes, and a machine that is busy enough makes any bound too short: the files that fail, if they are few, are run
 * once more, one after the other.
 * @returns exit code of the last run
 */
function runTests(programArguments: readonly string[]): number {
  const others = programArguments.filter((one) => one !== DEEP);
  const isDeep = others.length < programArguments.length || others.some((one) => one.includes('.deep.'));
  const jestArguments = isDeep ? others : [...others, '--ignoreProjects', 'deep'];
  if (isDeep) process.env[AT_LENGTH_VARIABLE] = '1';
  const folder = mkdtempSync(join(tmpdir(), 'test-seconds-'));
  try {
    // Whoever names the file keeps it, with all rows.
    const list = process.env[SECONDS_FILE_VARIABLE] ?? join(folder, 'seconds.tsv');
    const env = { ...process.env, [SECONDS_FILE_VARIABLE]: list };
    const report = join(folder, 'report.json');
    const code = runJest([...jestArguments, '--json', `--outputFile=${report}`], env);
    const files = readSeconds(list);
    if (files.length > 0) console.error(`\n${describeSeconds(files, endedChildrenSeconds())}`);
    const failed = code === 0 ? [] : failedFiles(report);
    if (failed.length === 0 || failed.length > MAX_FILES_AGAIN) return code;
    console.error(`\nOnce more, one after the other, what failed:\n${failed.join('\n')}\n`);
    return runJest(['--runInBand', '--runTestsByPath', ...failed], env);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runJest(jestArguments: readonly string[], env: NodeJS.ProcessEnv): number {
  return spawnSync(process.execPath, [JEST, ...jestArguments], { stdio: 'inherit', env }).status ?? 1;
}

/** Files of a run that failed; none if it came to no report. */
function failedFiles(report: string): string[] {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
    return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  } catch {
    return [];
  }
}

process.exitCode = runTests(process.argv.slice(2));
