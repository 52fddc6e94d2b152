import type { Context } from '../../bin/operator/context/command.ts';
import { runOperator } from '../../bin/operator/run.ts';
import type { Outside } from '../../bin/operator/stage/outside.ts';

export interface CapturedRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command line on a gateway; the reader of stdout goes away after some pieces, if so many come. */
export async function capturedRun(
  argv: readonly string[],
  context: Context,
  piecesRead = Number.POSITIVE_INFINITY,
  outside?: Outside,
): Promise<CapturedRun> {
  const pieces: string[] = [];
  let stderr = '';
  const exitCode = await runOperator(argv, {
    openContext: async () => context,
    openOutside: async () => outside ?? Promise.reject(new Error('this test has no account')),
    stdout: async (text) => pieces.push(text) < piecesRead,
    stderr: async (text) => {
      stderr += text;
      return true;
    },
  });
  return { exitCode, stdout: pieces.join(''), stderr };
}
