import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { sleep as pause } from '../../lambdas/shared/runtime/sleep.ts';
import { pickPort } from './free-port.ts';
import { LocalRunError } from './local-run-error.ts';
import { groupWork, hiddenHost } from './machine.ts';
import { type StallBound, untilStalled } from './stall.ts';

const HOST = '127.0.0.1';
/** Another process may take the picked port in between; the part then ends at once and gets another port. */
const START_ATTEMPTS = 3;
const PROBE_INTERVAL_MS = 25;
/** Part of the time that a start has taken until the next probe, and the most: probes are not to be the machine's work. */
const PROBE_SHARE = 0.05;
const MAX_PROBE_INTERVAL_MS = 1_000;
/** Most characters that are kept of the part's error output. */
const ERROR_OUTPUT_LENGTH = 2000;
/** How `ended` tells of a part that has done all that it had to. */
export const PROPER_END = 'it ended with code 0';

/**
 * Runs the command that its arguments name, and ends it when its own standard input ends: a part never outlives
 * the run that started it, even one that was killed. The part has its own process group, so that a Ctrl-C in the
 * terminal reaches only the run, which stops its parts in order.
 */
const LEASH_SCRIPT = `
signal=$1; shift
exec 3<&0
"$@" </dev/null 3<&- &
part=$!
{ read -r _ <&3; kill -"$signal" "$part" 2>/dev/null; } &
leash=$!
wait "$part"; code=$?
kill "$leash" 2>/dev/null
exit "$code"
`;

type Leash = ChildProcessByStdio<Writable, null, Readable>;

/** Where a part listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** Without a slash at the end. */
  readonly url: string;
}

interface EmbeddedProcessOptions {
  /** Name for messages, such as `dynoxide`. */
  readonly name: string;
  /** Where it has to listen. @default a free port */
  readonly address?: Address | undefined;
  /** The executable: a path, or a name to be found in PATH. */
  readonly command: string;
  readonly commandArguments: (address: Address) => readonly string[];
  /** Whether the part answers every request that reaches it, and so listens where no page finds it, if the machine can. @default false */
  readonly hidden?: boolean;
  readonly cwd?: string;
  /** Variables of its environment beside those of this process. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Whether the part answers. May reject, which counts as no. */
  readonly isReady: (address: Address) => Promise<boolean>;
  /** How little the part may do before it answers. @default that of {@link untilStalled} */
  readonly stall?: StallBound;
  /** Time that the part has to end when it is asked to; then it is killed. */
  readonly stopTimeoutMs: number;
  /** Signal that asks the part to end. @default TERM */
  readonly stopSignal?: 'INT' | 'TERM';
}

/** A part of the gateway that runs as a process of its own, and where it is to be reached. */
export interface EmbeddedProcess extends Address {
  readonly name: string;
  /** Resolves once the process has ended, asked or not, with one line that says how. */
  readonly ended: Promise<string>;
  /** Asks the process to end and waits for it; kills it after its stop time-out. */
  stop(): Promise<void>;
  /** Kills the process at once. */
  kill(): void;
}

/**
 * Starts a part and waits until it answers.
 * @throws LocalRunError when it ends before it answers, or hangs
 */
export async function startEmbeddedProcess(options: EmbeddedProcessOptions): Promise<EmbeddedProcess> {
  let ending = '';
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt += 1) {
    const { part, group } = launch(options, options.address ?? (await freeAddress(options)));
    const stalled = await untilReady(options, part, group);
    if (stalled !== undefined) {
      part.kill();
      throw new LocalRunError(`${options.name} did not start: ${stalled}`);
    }
    if (!(await endsWithin(part, PROBE_INTERVAL_MS))) return part;
    ending = await part.ended;
  }
  throw new LocalRunError(`${options.name} did not start: ${ending}`);
}

async function freeAddress({ hidden }: EmbeddedProcessOptions): Promise<Address> {
  const host = hidden === true ? hiddenHost() : HOST;
  const port = await pickPort(host);
  return { host, port, url: `http://${host}:${port}` };
}

/** Fails with what to do if a binary that an npm package brings is not there or may not be run. */
export async function requireExecutable(name: string, path: string): Promise<void> {
  try {
    await access(path, constants.X_OK);
  } catch {
    throw new LocalRunError(`${name} is missing (${path} cannot be run): run "npm ci" and start again`);
  }
}

/** Starts the part. @returns it, and the id of its process group */
function launch(
  options: EmbeddedProcessOptions,
  address: Address,
): { readonly part: EmbeddedProcess; readonly group: number } {
  const { command, stopSignal = 'TERM' } = options;
  const leash = spawn(
    '/bin/sh',
    ['-c', LEASH_SCRIPT, 'leash', stopSignal, command, ...options.commandArguments(address)],
    {
      cwd: options.cwd,
      env: { ...process.env, ...options.variables },
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    },
  );
  // Writing to a leash that is gone must not be an unhandled error; its end is reported by `ended`.
  leash.stdin.on('error', () => undefined);
  const ended = observeEnd(leash);
  const kill = () => killGroup(leash);
  const stop = async () => {
    leash.stdin.end();
    const timer = setTimeout(kill, options.stopTimeoutMs);
    await ended;
    clearTimeout(timer);
  };
  return { part: { ...address, name: options.name, ended, stop, kill }, group: leash.pid ?? 0 };
}

function observeEnd(leash: Leash): Promise<string> {
  let errorOutput = '';
  leash.stderr.setEncoding('utf8');
  leash.stderr.on('data', (text: string) => {
    errorOutput = (errorOutput + text).slice(-ERROR_OUTPUT_LENGTH);
  });
  return new Promise((resolve) => {
    leash.once('error', (error) => resolve(error.message));
    leash.once('close', (code, signal) => {
      const lines = errorOutput.split('\n').filter((line) => line.trim() !== '');
      resolve(
        `it ended with ${signal ?? `code ${code}`}${lines[0] === undefined ? '' : ` (${lines[0].trim()})`}`,
      );
    });
  });
}

/** Kills the part together with its leash. */
function killGroup(leash: Leash): void {
  if (leash.pid === undefined || leash.exitCode !== null || leash.signalCode !== null) return;
  try {
    process.kill(-leash.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Waits until a part answers or has ended; if it hangs before, returns what it did. */
async function untilReady(
  options: EmbeddedProcessOptions,
  part: EmbeddedProcess,
  group: number,
): Promise<string | undefined> {
  const watch = new AbortController();
  const { signal } = watch;
  void part.ended.then(() => watch.abort());
  const beganAt = performance.now();
  const answering = (async () => {
    while (!signal.aborted && !(await options.isReady(part).catch(() => false))) {
      const share = (performance.now() - beganAt) * PROBE_SHARE;
      await pause(Math.min(Math.max(share, PROBE_INTERVAL_MS), MAX_PROBE_INTERVAL_MS), signal);
    }
    return undefined;
  })();
  const stalled = untilStalled({
    name: options.name,
    work: () => groupWork(group),
    signal,
    bound: options.stall,
  });
  const outcome = await Promise.race([answering, stalled]);
  watch.abort();
  return outcome;
}

function endsWithin(part: EmbeddedProcess, milliseconds: number): Promise<boolean> {
  return Promise.race([part.ended.then(() => true), sleep(milliseconds, false)]);
}
