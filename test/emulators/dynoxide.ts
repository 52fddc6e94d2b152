import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Emulator, startServer } from './server-process.ts';

const BINARY_PACKAGE = '@dynoxide/linux-x64';

/** Starts dynoxide, in memory unless a database file is named. */
export function startDynoxide(options: { readonly dbPath?: string } = {}): Promise<Emulator> {
  const { resolve } = createRequire(join(import.meta.dirname, 'dynoxide.ts'));
  const binary = resolve(`${BINARY_PACKAGE}/dynoxide`);
  const storage = options.dbPath === undefined ? [] : ['--db-path', options.dbPath];
  return startServer('dynoxide', (port) =>
    spawn(binary, ['--host', '127.0.0.1', '--port', String(port), ...storage], { stdio: 'ignore' }),
  );
}
