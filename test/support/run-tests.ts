import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AT_LENGTH_VARIABLE } from './at-length.ts';
import { describeMade, MADE_FILE_VARIABLE, madeTooMany, readMade } from './figures/made-counts.ts';
import {
  describeSeconds,
  endedChildrenSeconds,
  readSeconds,
  SECONDS_FILE_VARIABLE,
} from './figures/processor-time.ts';

const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');
/** Adds the deep tests, in the same run: what is made once is made once for all. */
const DEEP = '--deep';
/** More files than this do not fail by chance. */
const MOST_UNSTEADY_FILES = 3;

/** What this program reads of jest's report. */
interface Report {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

/**
 * Runs the tests, as `jest` with these arguments does, and prints what they took of the processors and how many dear
 * things they made: bounds that a busy machine does not move. Deep tests run if `--deep` stands there, or one of them is
 * named. `npm test` runs no file a second time. With `--deep` the files that fail, if they are few, are run once more, and
 * are named as unsteady in the last lines: a run of half an hour meets the turn of an hour and a busy host.
 * @returns exit code of jest, or 1 for a run that made more than it may
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
    const made = join(folder, 'made.txt');
    const env = { ...process.env, [SECONDS_FILE_VARIABLE]: list, [MADE_FILE_VARIABLE]: made };
    const report = join(folder, 'report.json');
    const code = runJest([...jestArguments, '--json', `--outputFile=${report}`], env);
    const files = readSeconds(list);
    if (files.length > 0) console.error(`\n${describeSeconds(files, endedChildrenSeconds())}`);
    const counts = readMade(made);
    console.error(`\n${describeMade(counts, isDeep)}`);
    if (madeTooMany(counts, isDeep).length > 0) return 1;
    return code !== 0 && others.length < programArguments.length ? runUnsteady(report, env) : code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the files that failed once more, one after the other, if they are few. */
function runUnsteady(report: string, env: NodeJS.ProcessEnv): number {
  const failed = failedFiles(report);
  if (failed.length === 0 || failed.length > MOST_UNSTEADY_FILES) return 1;
  const code = runJest(['--runInBand', '--runTestsByPath', ...failed], env);
  console.error(`\nFailed, and ran once more:\n${failed.map((file) => `  ${file}`).join('\n')}`);
  return code;
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
