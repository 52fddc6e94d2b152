import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { madeOnce } from '../support/made-once.ts';
import { runFolder } from '../support/run-folder.ts';
import type { Emulator } from './server-process.ts';

const KEEPER = join(import.meta.dirname, 'keep-dynamodb-local.ts');
/** File with the address, which appears when the server answers. */
export const ENDPOINT_FILE = 'endpoint';
const ERRORS_FILE = 'errors';
const POLL_MS = 50;
/** Above the time that the keeper waits for the server. */
const WAIT_MS = 150_000;

/** Whether this machine can run Amazon's DynamoDB Local. */
export function hasJava(): boolean {
  const file = madeOnce('java', (into) => {
    const { status } = spawnSync('java', ['-version'], { stdio: 'ignore' });
    writeFileSync(into, String(status === 0));
  });
  return readFileSync(file, 'utf8') === 'true';
}

/**
 * Amazon's DynamoDB Local, in memory: one for all test files of a run, for its start costs more than most of their
 * requests. It has a database for each access key, so each test file has its own (`emulatorClientConfig`).
 */
export async function shareDynamoDbLocal(): Promise<Emulator> {
  const folder = madeOnce('dynamodb-local', startKeeper);
  const file = join(folder, ENDPOINT_FILE);
  const deadline = Date.now() + WAIT_MS;
  while (!existsSync(file)) {
    if (Date.now() > deadline) {
      const errors = readFileSync(join(folder, ERRORS_FILE), 'utf8');
      throw new Error(`DynamoDB Local did not answer within ${WAIT_MS} ms: ${errors}`);
    }
    await sleep(POLL_MS);
  }
  // The keeper stops it when the run ends.
  return { endpoint: readFileSync(file, 'utf8'), close: async () => {} };
}

/** In a process of its own: it outlives the worker of the test file that asked first. */
function startKeeper(folder: string): void {
  mkdirSync(folder);
  const errors = openSync(join(folder, ERRORS_FILE), 'w');
  spawn(process.execPath, [KEEPER, runFolder(), folder], {
    detached: true,
    stdio: ['ignore', 'ignore', errors],
  }).unref();
  closeSync(errors);
}
