import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dirname, 'serve-commands.ts');
const PROJECT = join(import.meta.dirname, '..', '..', '..');
const TIMEOUT_MS = 120_000;

/** What a command printed, and how it ended. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Processes that run commands of the operator, each one at a time. To load all commands takes a process half a second of a
 * processor, and to run one some milliseconds: the process of a command that has ended runs the next.
 */
export class OperatorProcesses {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #idle: ChildProcess[] = [];
  readonly #all = new Set<ChildProcess>();

  /** @param environment variables of theirs, beside those of this process */
  constructor(environment: NodeJS.ProcessEnv = {}) {
    this.#environment = environment;
  }

  /** Runs a command line, without the program. */
  async run(commandLine: readonly string[]): Promise<CommandResult> {
    const child = this.#idle.pop() ?? this.#start();
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    try {
      const result = await ask(child, commandLine);
      this.#idle.push(child);
      return result;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends all of them, and with them what they run. */
  end(): void {
    for (const child of this.#all) child.kill();
  }

  #start(): ChildProcess {
    const child = fork(SCRIPT, {
      cwd: PROJECT,
      env: { ...process.env, ...this.#environment },
      execArgv: [],
    });
    this.#all.add(child);
    child.once('exit', () => this.#all.delete(child));
    return child;
  }
}

/** Rejects if the process ends before the command has. */
function ask(child: ChildProcess, commandLine: readonly string[]): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`the process of operator ${commandLine.join(' ')} has ended`));
    child.once('exit', fail);
    child.once('message', (result) => {
      child.off('exit', fail);
      resolve(result as CommandResult);
    });
    child.send(commandLine);
  });
}
