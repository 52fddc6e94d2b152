import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server's process: where it listens, and what it has taken since its start. */
export interface ProcessState {
  readonly url: string;
  /** Processor time, in milliseconds. */
  readonly cpuMs: number;
  /** Resident memory now, and the highest so far. */
  readonly residentBytes: number;
  readonly peakBytes: number;
}

/** A script in a process of its own, which answers each message with one. */
export interface Worker<Question, Reply> {
  /** One question at a time. Rejects if the process ends instead. */
  ask(question: Question): Promise<Reply>;
  close(): Promise<void>;
}

interface WorkerOptions {
  /** @default none */
  readonly scriptArguments?: readonly string[];
  /** All that the process sees of the environment. @default this process's own */
  readonly environment?: NodeJS.ProcessEnv;
  /** Options of Node itself. @default none */
  readonly nodeOptions?: readonly string[];
}

const BYTES_PER_KIB = 1_024;

/**
 * Starts a script that takes its questions with `process.on('message')` and answers with `process.send`. It ends with this
 * process at the latest.
 * @param script its whole path
 */
export function startWorker<Question extends object, Reply>(
  script: string,
  options: WorkerOptions = {},
): Worker<Question, Reply> {
  const child = fork(script, options.scriptArguments ?? [], {
    execArgv: [...(options.nodeOptions ?? [])],
    env: options.environment ?? process.env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  return {
    async ask(question) {
      child.send(question);
      const [reply] = await Promise.race([once(child, 'message'), ended.then(() => [])]);
      if (reply === undefined) throw new Error(`${script} ended before it answered`);
      return reply as Reply;
    },
    async close() {
      process.off('exit', kill);
      kill();
      await ended;
    },
  };
}

/** Makes a server listen, in a process that a benchmark has started: every message is answered with its state. */
export function answerStates(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    process.on('message', () => {
      const { user, system } = process.cpuUsage();
      const state: ProcessState = {
        url,
        cpuMs: (user + system) / 1_000,
        residentBytes: process.memoryUsage.rss(),
        peakBytes: process.resourceUsage().maxRSS * BYTES_PER_KIB,
      };
      process.send?.(state);
    });
  });
  process.on('disconnect', () => process.exit());
}
