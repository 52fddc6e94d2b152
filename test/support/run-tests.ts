import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  describeSeconds,
  endedChildrenSeconds,
  readSeconds,
  SECONDS_FILE_VARIABLE,
} from './processor-time.ts';

const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');
/** Adds the deep tests, in the same run: what is made once is made once for all. */
const DEEP = '--deep';

/**
 * Runs the tests once, as `jest` with these arguments does, and prints what they took of the processors: a bound that
 * a busy machine does not move. Deep tests run if `--deep` stands there, or one of them is named.
 * @returns exit code of jest
 */
function runTests(programArguments: readonly string[]): number {
  const others = programArguments.filter((one) => one !== DEEP);
  const isDeep = others.length < programArguments.length || others.some((one) => one.includes('.deep.'));
  const jestArguments = isDeep ? others : [...others, '--ignoreProjects', 'deep'];
  const folder = mkdtempSync(join(tmpdir(), 'test-seconds-'));
  try {
    // Whoever names the file keeps it, with all rows.
    const list = process.env[SECONDS_FILE_VARIABLE] ?? join(folder, 'seconds.tsv');
    const env = { ...process.env, [SECONDS_FILE_VARIABLE]: list };
    const { status } = spawnSync(process.execPath, [JEST, ...jestArguments], { stdio: 'inherit', env });
    const files = readSeconds(list);
    if (files.length > 0) console.error(`\n${describeSeconds(files, endedChildrenSeconds())}`);
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = runTests(process.argv.slice(2));
