import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCAL_REGION } from '../template/intrinsics.ts';

/** The access keys of the last run and of the one before, one in a line. */
const KEYS_FILE = 'access-keys';
/** The file of runs that had no access key. */
const SHARED = 'shared-local-instance';
/** Of what SQLite keeps beside a database that was not closed. */
const SUFFIXES = ['.db-journal', '.db-wal', '.db-shm', '.db'];

/**
 * DynamoDB Local names the file of a database by access key and region. Gives the file of the last run in a folder the
 * name of this run's key. Other files may be there, of other keys.
 */
export async function takeOverDatabase(folder: string, accessKeyId: string): Promise<void> {
  const keysFile = join(folder, KEYS_FILE);
  const keys = (await readFile(keysFile, 'utf8').catch(() => '')).split('\n').filter((key) => key !== '');
  const named = (name: string) => join(folder, name);
  const last = [...keys.map(nameOf), SHARED].find((name) => existsSync(`${named(name)}.db`));
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
