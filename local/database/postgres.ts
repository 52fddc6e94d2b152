import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  type Address,
  type EmbeddedProcess,
  requireExecutable,
  startEmbeddedProcess,
} from '../processes/embedded-process.ts';
import { keptRunning } from '../processes/kept-running.ts';
import { LocalRunError } from '../processes/local-run-error.ts';
import { mentions, postgresPackage } from '../processes/machine.ts';
import { runToEnd } from '../processes/run-to-end.ts';
import { type UnprivilegedUser, unprivilegedUser } from './unprivileged.ts';

const HOST = '127.0.0.1';
/** Major version of the embedded server, as a cluster's `PG_VERSION` has it; that of the Aurora cluster. */
const MAJOR_VERSION = '17';
const SUPERUSER = 'postgres';
const MAINTENANCE_DATABASE = 'postgres';
/** Enough for the checkpoint of a server under load. */
const STOP_TIMEOUT_MS = 20_000;
const PROBE_TIMEOUT_MS = 2_000;
/** Time that the server of a run that was killed has to end. */
const PREDECESSOR_TIMEOUT_MS = 20_000;
const PREDECESSOR_POLL_MS = 50;
const PASSWORD_BYTES = 24;
/** Sessions of all roles together, some for people. */
const MAX_CONNECTIONS = 150;

/** How to log in to a PostgreSQL server. */
export interface PostgresLogin {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** The embedded PostgreSQL server. */
export interface Postgres {
  readonly process: EmbeddedProcess;
  readonly superuser: PostgresLogin;
}

/**
 * Starts the embedded PostgreSQL with its data in `folder`, and makes a cluster there first if there is none. After a
 * crash the server recovers by itself.
 * @param tell takes a line for people when it ends by itself, which starts it again; absent: it is not
 * @throws LocalRunError when it is not installed, does not start, or the data is of another major version
 */
export async function startPostgres(folder: string, tell?: (line: string) => void): Promise<Postgres> {
  await mkdir(folder, { recursive: true });
  const binaries = await findBinaries();
  const cluster = join(folder, 'cluster');
  const user = await unprivilegedUser(cluster);
  await makeCluster({ folder, cluster, initdb: binaries.initdb, user });
  const password = (await readFile(passwordFile(folder), 'utf8')).trim();
  const login = (port: number): PostgresLogin => ({
    host: HOST,
    port,
    user: SUPERUSER,
    password,
    database: MAINTENANCE_DATABASE,
  });
  const [command = '', ...prefix] = [...user.prefix, binaries.postgres];
  const start = async (address?: Address) => {
    await untilPredecessorEnded(cluster);
    return startEmbeddedProcess({
      name: 'PostgreSQL',
      address,
      command,
      commandArguments: ({ port }) => [...prefix, ...serverArguments(cluster, port)],
      isReady: ({ port }) => answersQueries(login(port)),
      stopTimeoutMs: STOP_TIMEOUT_MS,
      // The polite end would wait until the last person has left.
      stopSignal: 'INT',
    });
  };
  const process = await (tell === undefined ? start() : keptRunning({ start, tell }));
  return { process, superuser: login(process.port) };
}

function serverArguments(cluster: string, port: number): string[] {
  const settings: Readonly<Record<string, string | number>> = {
    listen_addresses: HOST,
    port,
    unix_socket_directories: '',
    max_connections: MAX_CONNECTIONS,
    // Writers of whole pages of blocks would wait for each other's log with the usual quarter of it. All of it is written
    // at each start.
    wal_buffers: '16MB',
    // A power cut may cost a local run its last moments, never its consistency.
    synchronous_commit: 'off',
    // Idle work of the index touches the log several times a second, and each write of it is a whole page.
    wal_writer_delay: '5s',
    // After each checkpoint a page goes to the log whole with its next change, however small.
    checkpoint_timeout: '1h',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'fatal',
    cluster_name: 'gateway',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', cluster, ...flags];
}

interface ClusterOptions {
  readonly folder: string;
  readonly cluster: string;
  readonly initdb: string;
  readonly user: UnprivilegedUser;
}

/** A cluster gets its name when it is complete, so that one whose making was cut short is made anew. */
async function makeCluster({ folder, cluster, initdb, user }: ClusterOptions): Promise<void> {
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined) {
    if (version.trim() === MAJOR_VERSION) return;
    throw new LocalRunError(
      `the data folder holds data of PostgreSQL ${version.trim()}, not ${MAJOR_VERSION}: start with --fresh (it empties the data folder)`,
    );
  }
  const unfinished = `${cluster}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile(folder), randomBytes(PASSWORD_BYTES).toString('hex'), { mode: 0o600 });
  if (user.id !== undefined) {
    await chown(unfinished, user.id, user.id);
    await chown(passwordFile(folder), user.id, user.id);
  }
  const [command = '', ...prefix] = [...user.prefix, initdb];
  await runToEnd({
    name: 'initdb of PostgreSQL',
    command,
    commandArguments: [
      ...prefix,
      `--pgdata=${unfinished}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile(folder)}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-sync',
      '--no-instructions',
    ],
    cwd: folder,
  });
  await rename(unfinished, cluster);
}

function passwordFile(folder: string): string {
  return join(folder, 'superuser-password');
}

/**
 * A run that was killed leaves a server behind that still writes its checkpoint; its lock file names it. The file of a
 * server that was killed itself is removed: its number may belong to another process by now, or to a child that ended.
 * PostgreSQL has a second lock, on its memory, that tells it of processes which are left.
 */
async function untilPredecessorEnded(cluster: string): Promise<void> {
  const lockFile = join(cluster, 'postmaster.pid');
  const lock = await readFile(lockFile, 'utf8').catch(() => undefined);
  if (lock === undefined) return;
  const pid = Number(lock.split('\n')[0]);
  // Where the kernel does not say, PostgreSQL looks for itself.
  if (mentions(pid, 'postgres') === undefined) return;
  const deadline = Date.now() + PREDECESSOR_TIMEOUT_MS;
  while (mentions(pid, 'postgres')) {
    if (Date.now() > deadline) return;
    await sleep(PREDECESSOR_POLL_MS);
  }
  await rm(lockFile, { force: true });
}

async function answersQueries(login: PostgresLogin): Promise<boolean> {
  const client = new pg.Client({ ...login, connectionTimeoutMillis: PROBE_TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query('SELECT');
    return rowCount === 1;
  } finally {
    await client.end();
  }
}

/** The server and its tools, of the npm package for this platform. */
async function findBinaries(): Promise<{ readonly postgres: string; readonly initdb: string }> {
  const folder = join(packageFolder(postgresPackage()), 'native', 'bin');
  const binaries = { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb') };
  await requireExecutable('PostgreSQL', binaries.postgres);
  await requireExecutable('PostgreSQL', binaries.initdb);
  return binaries;
}

/** The package exports nothing but its main module, which is in its `dist`. */
function packageFolder(name: string): string {
  try {
    return dirname(dirname(createRequire(join(import.meta.dirname, 'postgres.ts')).resolve(name)));
  } catch {
    throw new LocalRunError(`npm package ${name} is not installed: run "npm ci" and start again`);
  }
}
