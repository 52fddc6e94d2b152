import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { LocalRunError } from './local-run-error.ts';

/** SQLite removes this file when its last user closes the database. */
const LOG_SUFFIX = '-wal';
const WHOLE = 'ok';

/**
 * Checks a SQLite file whose last user did not close it. An end of that process leaves it whole; a power cut may not.
 * @throws LocalRunError if it is damaged
 */
export function requireWhole(file: string): void {
  if (!existsSync(file + LOG_SUFFIX) || isWhole(file)) return;
  throw new LocalRunError(
    `the accounts and charges in ${file} are damaged, as a power cut may leave them: start with --fresh (it empties the data folder)`,
  );
}

function isWhole(file: string): boolean {
  const database = new DatabaseSync(file);
  try {
    return database.prepare('PRAGMA quick_check(1)').get()?.quick_check === WHOLE;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

/** Waits until all that was written to a SQLite file is on the disk. */
export async function settleOnDisk(file: string): Promise<void> {
  for (const path of [file, file + LOG_SUFFIX]) {
    if (!existsSync(path)) continue;
    const handle = await open(path, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
