import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** More files than this do not fail by chance. */
const MAX_FILES_AGAIN = 5;
const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');

/** What this program reads of jest's report. */
interface Report {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

/**
 * Runs the tests, as `jest` with these arguments does. A system test waits for processes, and a machine that is busy
 * enough makes any bound too short: the files that fail, if they are few, are run once more, one after the other.
 * @returns exit code: that of the last run
 */
function runTests(jestArguments: readonly string[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'test-report-'));
  try {
    const report = join(folder, 'report.json');
    const code = runJest([...jestArguments, '--json', `--outputFile=${report}`]);
    const failed = code === 0 ? [] : failedFiles(report);
    if (failed.length === 0 || failed.length > MAX_FILES_AGAIN) return code;
    console.error(`\nOnce more, one after the other, what failed:\n${failed.join('\n')}\n`);
    return runJest(['--runInBand', '--runTestsByPath', ...failed]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runJest(jestArguments: readonly string[]): number {
  return spawnSync(process.execPath, [JEST, ...jestArguments], { stdio: 'inherit' }).status ?? 1;
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
