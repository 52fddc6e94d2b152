import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { LocalRunError } from '../processes/local-run-error.ts';

const ROOT = 0;
/** `nobody`, on every Linux. */
const NOBODY = 65_534;
/** Lets the user reach folders of root, such as a project below `/root`. Containers that are locked down refuse it. */
const REACH_EVERY_FOLDER = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
const PROBE_TIMEOUT_MS = 60_000;

/** The user that runs a program which refuses to run as root. */
export interface UnprivilegedUser {
  /** Owner of what the program writes; undefined: the user of this process. */
  readonly id: number | undefined;
  /** Words to put in front of a command. */
  readonly prefix: readonly string[];
}

/**
 * The user to run a program as that keeps its data in a folder: that of this process or, for root, another one.
 * @param folder may be missing; else its owner continues owning it
 * @throws LocalRunError if root cannot run a command as another user
 */
export async function unprivilegedUser(folder: string): Promise<UnprivilegedUser> {
  if (process.getuid?.() !== ROOT) return { id: undefined, prefix: [] };
  const owner = await stat(folder).catch(() => undefined);
  const id = owner === undefined || owner.uid === ROOT ? NOBODY : owner.uid;
  const plain = ['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups'];
  for (const prefix of [[...plain, ...REACH_EVERY_FOLDER], plain]) {
    if (await works(prefix)) return { id, prefix };
  }
  throw new LocalRunError(
    'PostgreSQL does not run as root, and setpriv (of util-linux) cannot run it as another user: start as another user',
  );
}

async function works([command = '', ...options]: readonly string[]): Promise<boolean> {
  const running = promisify(execFile)(command, [...options, 'true'], { timeout: PROBE_TIMEOUT_MS });
  return running.then(
    () => true,
    () => false,
  );
}
