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

/**
 * Runs the tests once, as `jest` with these arguments does, and prints what they took of the processors: a bound that
 * a busy machine does not move.
 * @returns exit code of jest
 */
function runTests(jestArguments: readonly string[]): number {
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
