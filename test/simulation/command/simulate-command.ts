import { execFile } from 'node:child_process';
import { join } from 'node:path';

const COMMAND = join(import.meta.dirname, 'simulate.ts');
const TIME_LIMIT_MS = 600_000;

/** Output of the command, and its exit code. */
export interface CommandResult {
  readonly output: string;
  readonly exitCode: number | null;
}

/** Runs what `npm run simulate` runs. */
export function runSimulate(args: readonly string[]): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [COMMAND, ...args],
      { timeout: TIME_LIMIT_MS },
      (_error, stdout, stderr) => resolve({ output: stdout + stderr, exitCode: child.exitCode }),
    );
  });
}
