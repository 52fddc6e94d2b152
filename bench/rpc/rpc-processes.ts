import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Drive, Driven } from './rpc-function.ts';
import type { Stage } from './rpc-stage.ts';

/** Share of a function's memory that the Lambda runtime gives to the heap. */
const HEAP_SHARE = 0.9;

/** A script of this folder in a process of its own, which answers each message with one. */
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

/** A node that answers at once. */
export interface StubNode {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a script that takes its questions with `process.on('message')` and answers with `process.send`. */
export function startWorker<Question extends object, Reply>(
  script: string,
  options: WorkerOptions = {},
): Worker<Question, Reply> {
  const child = fork(join(import.meta.dirname, script), options.scriptArguments ?? [], {
    execArgv: [...(options.nodeOptions ?? [])],
    env: options.environment ?? process.env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  return {
    async ask(question) {
      child.send(question);
      const [reply] = await Promise.race([once(child, 'message'), ended.then(() => [])]);
      if (reply === undefined) throw new Error(`${script} ended before it answered`);
      return reply as Reply;
    },
    close: closerOf(child),
  };
}

/** Starts the deployed function of a stage, with the heap that Lambda would give it in its size, or in another. */
export function startFunction(
  { rpc }: Pick<Stage, 'rpc'>,
  environment: Readonly<Record<string, string>>,
  memoryMb = rpc.memoryMb,
): Worker<Drive, Driven> {
  return startWorker('rpc-function.ts', {
    environment,
    nodeOptions: [`--max-old-space-size=${Math.floor(memoryMb * HEAP_SHARE)}`],
  });
}

/** How a stub node answers. */
interface StubNodeOptions {
  /** Bytes of a trace, about. @default 10,000,000 */
  readonly traceBytes?: number;
  /** Time that each response takes, in milliseconds. @default 0 */
  readonly delayMs?: number;
}

/** Starts `stub-node.ts`. */
export async function startStubNode({ traceBytes, delayMs }: StubNodeOptions): Promise<StubNode> {
  const script = join(import.meta.dirname, 'stub-node.ts');
  const scriptArguments = [
    ...(traceBytes === undefined ? [] : ['--trace-bytes', String(traceBytes)]),
    ...(delayMs === undefined ? [] : ['--delay-ms', String(delayMs)]),
  ];
  const child = spawn(process.execPath, [script, ...scriptArguments], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const close = closerOf(child);
  const [port] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { url: `http://127.0.0.1:${String(port).trim()}`, close };
}

/** Ends a child, at the latest with this process. */
function closerOf(child: ChildProcess): () => Promise<void> {
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  return async () => {
    process.off('exit', kill);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    kill();
    await exited;
  };
}
