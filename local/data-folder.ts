import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { KEYS_BY_ACCOUNT_INDEX, TABLES } from '../lambdas/access/store/tables.ts';
import { type Migration, readMigrations } from '../lambdas/migrate/read-migrations.ts';
import { CACHE_TABLE_SHAPE } from '../lambdas/shared/aws/cache-table.ts';
import { asFolderTrouble } from './folder-trouble.ts';
import { LocalRunError } from './processes/local-run-error.ts';

/** Its presence says that a folder is a data folder; its lock says that a run uses it. */
const LOCK_FILE = 'gateway.lock';
/** Names of all that a run writes; `--fresh` removes these and nothing else. */
const NAMES = {
  assembly: 'assembly',
  chains: 'chains',
  database: 'database',
  dynamodb: 'dynamodb',
  gatewayFile: 'gateway.json',
  keys: 'keys',
  layout: 'layout',
  logs: 'logs',
  objects: 'objects',
  queues: 'queues',
} as const;
/** Of what runs write beside the database; another number when items of an earlier run cannot be read any more. */
const LAYOUT = '3';
const MIGRATIONS_FOLDER = join(import.meta.dirname, '..', 'database', 'migrations');
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;

/** The folder that holds the state of a local run; absolute paths of its parts. */
export interface DataFolder extends Readonly<Record<keyof typeof NAMES, string>> {
  readonly path: string;
  /** Lets another run use the folder. */
  release(): void;
}

/**
 * Takes a data folder for this process, until it releases it or ends; makes it if it is not there.
 * @param fresh whether what earlier runs left in it is removed
 * @param migrations that make its database
 * @throws LocalRunError when another run uses it, it holds data of another layout, it cannot be written, or it is not a
 * data folder
 */
export async function openDataFolder(
  path: string,
  fresh: boolean,
  migrations: readonly Migration[] = readMigrations(MIGRATIONS_FOLDER),
): Promise<DataFolder> {
  try {
    return await takeFolder(path, fresh, migrations);
  } catch (error) {
    throw await asFolderTrouble(resolve(path), error);
  }
}

async function takeFolder(
  path: string,
  fresh: boolean,
  migrations: readonly Migration[],
): Promise<DataFolder> {
  const folder = resolve(path);
  const entries = await makeFolder(folder);
  if (entries.length > 0 && !entries.includes(LOCK_FILE)) {
    throw new LocalRunError(
      `${path} is not empty and not a data folder of a gateway: choose another with --data-dir`,
    );
  }
  const release = await lock(join(folder, LOCK_FILE), path);
  try {
    if (fresh) {
      for (const entry of Object.values(NAMES))
        await rm(join(folder, entry), { recursive: true, force: true });
    } else if (entries.includes(NAMES.dynamodb) && !(await isOfThisVersion(folder, migrations))) {
      throw new LocalRunError(
        `${path} holds data of another version of the gateway: start with --fresh (it empties the data folder)`,
      );
    }
    await writeFile(join(folder, NAMES.layout), layoutWith(migrations).join('\n'));
  } catch (error) {
    release();
    throw error;
  }
  const parts = Object.entries(NAMES).map(([part, name]) => [part, join(folder, name)]);
  return { ...(Object.fromEntries(parts) as Record<keyof typeof NAMES, string>), path: folder, release };
}

/** Lines that say what a run writes, what keys its tables have, and by which migrations its database is made. */
function layoutWith(migrations: readonly Migration[]): string[] {
  const tables = JSON.stringify({ ...TABLES, index: KEYS_BY_ACCOUNT_INDEX, cache: CACHE_TABLE_SHAPE });
  return [LAYOUT, tables, ...migrations.map(({ name, checksum }) => `${name} ${checksum}`)];
}

/** Whether earlier runs wrote what this one reads, with none but migrations of this version. */
async function isOfThisVersion(folder: string, migrations: readonly Migration[]): Promise<boolean> {
  const written = await readFile(join(folder, NAMES.layout), 'utf8').catch(() => '');
  const known = new Set(layoutWith(migrations));
  return written.split('\n').every((line) => known.has(line));
}

/** The folder's entries. The folder holds keys, so no other user may read a new one. */
async function makeFolder(folder: string): Promise<string[]> {
  await makeWithParents(folder);
  return readdir(folder);
}

/** Without `recursive`, with which Node tries for ever below a parent like `/proc`. */
async function makeWithParents(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeWithParents(dirname(folder));
    await mkdir(folder, { mode: 0o700 });
  }
}

/** The lock is the operating system's, on a SQLite file: it ends with this process, however that ends. */
async function lock(file: string, path: string): Promise<() => void> {
  // SQLite does not name the reason why it cannot write a file.
  await (await open(file, 'a')).close();
  const database = new DatabaseSync(file);
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    const { errcode } = error as { errcode?: number };
    if (errcode === SQLITE_FULL) throw Object.assign(error as Error, { code: 'ENOSPC' });
    if (errcode !== SQLITE_BUSY) throw error;
    throw new LocalRunError(
      `another run uses the data folder ${path}: stop it or choose another with --data-dir`,
    );
  }
  return () => database.close();
}
