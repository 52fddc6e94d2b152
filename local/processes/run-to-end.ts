import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { LocalRunError } from './local-run-error.ts';
import { groupWork } from './machine.ts';
import { type StallBound, untilStalled } from './stall.ts';

/** Last lines of a program that tell why it failed. */
const TOLD_LINES = 8;
const MAX_TOLD_CHARACTERS = 2_000;

interface ProgramOptions {
  /** Name for messages. */
  readonly name: string;
  readonly command: string;
  readonly commandArguments: readonly string[];
  readonly cwd?: string;
  /** Variables of its environment beside those of this process. */
  readonly variables?: Readonly<Record<string, string>>;
  /** How little it may do before it is killed. @default that of {@link untilStalled} */
  readonly stall?: StallBound;
}

/**
 * Runs a program to its end, however long it works. It ends with this process.
 * @returns what it printed
 * @throws LocalRunError with how it ended and its last lines
 */
export async function runToEnd(options: ProgramOptions): Promise<string> {
  const { name, command, commandArguments, cwd, variables, stall } = options;
  const child = spawn(command, commandArguments, {
    cwd,
    env: { ...process.env, ...variables },
    // A group of its own: what it starts is counted, and killed, with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => killGroup(child.pid);
  const watch = new AbortController();
  process.once('exit', kill);
  const ended = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (code, signal) =>
      resolve(code === 0 ? '' : `it ended with ${signal ?? `code ${code}`}`),
    );
  });
  const stalled = untilStalled({
    name,
    work: () => groupWork(child.pid ?? 0),
    signal: watch.signal,
    bound: stall,
  });
  const printing = Promise.all([text(child.stdout), text(child.stderr)]);
  let failure = await Promise.race([ended, stalled]);
  kill();
  watch.abort();
  process.off('exit', kill);
  await ended;
  const [stdout, stderr] = await printing;
  failure ||= '';
  if (failure !== '') throw new LocalRunError(`${name} failed: ${failure}${lastLines(stderr || stdout)}`);
  return stdout;
}

/** The last lines that a program printed, each on a line of its own, without the stack of an error. */
function lastLines(printed: string): string {
  const lines = printed.split('\n').filter((line) => line.trim() !== '' && !/^ +at /.test(line));
  if (lines.length === 0) return '';
  return `. Its last lines:\n${lines.slice(-TOLD_LINES).join('\n').slice(-MAX_TOLD_CHARACTERS)}`;
}

function killGroup(id: number | undefined): void {
  if (id === undefined) return;
  try {
    process.kill(-id, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
