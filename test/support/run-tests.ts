import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
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

/**
 * Runs the tests, as `jest` with these arguments does, and prints what they took of the processors and how many dear
 * things they made: bounds that a busy machine does not move. Deep tests run if `--deep` stands there, or one of them is
 * named. No file is run a second time: a test that fails by chance is a defect of the test.
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
    const { status } = spawnSync(process.execPath, [JEST, ...jestArguments], { stdio: 'inherit', env });
    const files = readSeconds(list);
    if (files.length > 0) console.error(`\n${describeSeconds(files, endedChildrenSeconds())}`);
    const counts = readMade(made);
    console.error(`\n${describeMade(counts, isDeep)}`);
    return madeTooMany(counts, isDeep).length > 0 ? 1 : (status ?? 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = runTests(process.argv.slice(2));
