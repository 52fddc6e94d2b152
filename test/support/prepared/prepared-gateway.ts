import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { madeOnce } from '../made-once.ts';

const SCRIPT = join(import.meta.dirname, 'make-gateway.ts');

/** What the chain of a gateway is that was prepared: empty, or the demo chain with its whole index. */
export type PreparedChain = 'plain' | 'demo';

/**
 * Copies the data folder of a gateway of this run that has started and ended: a start that makes all of it takes eight
 * seconds of a processor, one that continues with it takes one.
 */
export function copyGateway(chain: PreparedChain, dataDir: string): void {
  const made = madeOnce(`gateway-${chain}`, (into) => {
    mkdirSync(into);
    execFileSync(process.execPath, [SCRIPT, into, chain], { stdio: ['ignore', 'ignore', 'pipe'] });
  });
  // With the owner that PostgreSQL insists on.
  execFileSync('cp', ['-a', '--reflink=auto', join(made, 'data'), dataDir]);
}
