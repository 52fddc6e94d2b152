import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { madeOnce } from './made-once.ts';

const SCRIPT = join(import.meta.dirname, 'make-cluster.ts');

/** Copies the cluster of this run into a folder: making one takes a second and more, starting a copy does not. */
export function copyCluster(folder: string): void {
  const made = madeOnce('postgres', (into) => {
    mkdirSync(into);
    execFileSync(process.execPath, [SCRIPT, into], { stdio: ['ignore', 'ignore', 'pipe'] });
  });
  // With the owner that PostgreSQL insists on.
  execFileSync('cp', ['-a', `${made}/.`, folder]);
}
