import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { noteMade } from '../support/figures/made-counts.ts';

/** A DynamoDB emulator that a test has started. */
export interface Emulator {
  /** Such as `http://127.0.0.1:34567`. */
  readonly endpoint: string;
  /** Stops the process and waits for its end. */
  close(): Promise<void>;
}

const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 50;
const POLL_TIMEOUT_MS = 10_000;

/** Starts a server on a free port of 127.0.0.1 and waits until it answers. Rejects if it ends or stays silent. */
export async function startServer(name: string, spawn: (port: number) => ChildProcess): Promise<Emulator> {
  noteMade('emulators');
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const child = spawn(port);
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const close = async () => {
    process.removeListener('exit', kill);
    await stop(child);
  };
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(endpoint))) {
    if (failure !== undefined) throw new Error(`${name} did not start`, { cause: failure });
    if (ended(child)) throw new Error(`${name} ended with code ${child.exitCode} while starting`);
    if (Date.now() > deadline) {
      await close();
      throw new Error(`${name} did not answer within ${START_TIMEOUT_MS} ms`);
    }
    await sleep(POLL_INTERVAL_MS);
  }
  return { endpoint, close };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the listener has no port');
  return address.port;
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    await fetch(endpoint, { signal: AbortSignal.timeout(POLL_TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (ended(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(force);
}

function ended(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
