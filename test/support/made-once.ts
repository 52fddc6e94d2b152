import { closeSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runFolder } from './run-folder.ts';

const POLL_MS = 20;
/** Below the time-out of a test, so that one that waits in vain fails with a name. */
const WAIT_MS = 240_000;

/**
 * A folder with something that many test files read: whichever asks first makes it, the others wait for that. It is
 * there until the run ends.
 * @param name of the folder, the same for the same content
 * @throws Error in each of them if it could not be made
 */
export function madeOnce(name: string, make: (folder: string) => void): string {
  const folder = join(runFolder(), name);
  const outcome = `${folder}.outcome`;
  if (claim(`${folder}.claim`))
    tell(
      outcome,
      attempt(() => make(folder)),
    );
  const deadline = Date.now() + WAIT_MS;
  const sleeping = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  for (;;) {
    const failure = read(outcome);
    if (failure === '') return folder;
    if (failure !== undefined) throw new Error(`${name} could not be made: ${failure}`);
    if (Date.now() > deadline) throw new Error(`${name} was not made within ${WAIT_MS} ms`);
    Atomics.wait(sleeping, 0, 0, POLL_MS);
  }
}

/** Whether the caller is the first. */
function claim(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Why it failed; the empty text if it did not. */
function attempt(make: () => void): string {
  try {
    make();
    return '';
  } catch (error) {
    return (error instanceof Error && error.stack) || String(error) || 'no reason';
  }
}

/** Appears in one step: no reader sees half of it. */
function tell(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
