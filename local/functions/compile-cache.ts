import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Variable in which Node.js has the folder that it keeps compiled code in. */
export const COMPILE_CACHE_VARIABLE = 'NODE_COMPILE_CACHE';
const FOLDER = 'node-compile-cache';

/**
 * Keeps what Node.js compiles from now on, and what the processes do that are started with this one's environment: the
 * next start finds it. In the folder that the environment names, or else in that of temporary files.
 */
export function keepCompiled(): void {
  const { [COMPILE_CACHE_VARIABLE]: folder = join(tmpdir(), FOLDER) } = process.env;
  process.env[COMPILE_CACHE_VARIABLE] = folder;
  enableCompileCache(folder);
}
