import { execFile } from 'node:child_process';

/** How a command ended, and what it printed. */
export interface Ended {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end, with some variables more than this process has. It is killed after a time. */
export function run(
  command: string,
  commandArguments: readonly string[],
  variables: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<Ended> {
  const options = { env: { ...process.env, ...variables }, timeout: timeoutMs };
  return new Promise((resolve) => {
    execFile(command, [...commandArguments], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}
