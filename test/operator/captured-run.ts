import type { Context } from '../../bin/operator/context/command.ts';
import { runOperator } from '../../bin/operator/run.ts';
import type { Outside } from '../../bin/operator/stage/outside.ts';

export interface CapturedRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command line on a gateway. */
export async function capturedRun(
  argv: readonly string[],
  context: Context,
  outside?: Outside,
): Promise<CapturedRun> {
  let [stdout, stderr] = ['', ''];
  const exitCode = await runOperator(argv, {
    openContext: async () => context,
    openOutside: async () => outside ?? Promise.reject(new Error('this test has no account')),
    stdout: async (text) => {
      stdout += text;
    },
    stderr: async (text) => {
      stderr += text;
    },
  });
  return { exitCode, stdout, stderr };
}
