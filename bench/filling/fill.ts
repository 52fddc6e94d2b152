/**
 * How fast a long past is stored by files, beside the same blocks page by page: rows a second of both, in memory and where
 * tables are ten times the memory of PostgreSQL. Blocks are read beforehand, by processes that write them
 * as functions do: what is compared is what stores them. `npm run bench -- fill [--only NAME] [--blocks N]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBenchmark, type Show } from '../benchmark.ts';
import { measureMemory } from './fill-memory.ts';
import { FillServer } from './fill-server.ts';
import { measureStorage } from './fill-storage.ts';

const DEFAULT_BLOCKS = 800;
/** Where a disk is that is none of memory: with this program. */
const DISK = join(import.meta.dirname, '..', '..', 'node_modules');

/** What a part measures. */
type Part = (server: FillServer, folder: string, blocks: number, show: Show) => Promise<void>;

const PARTS: Readonly<Record<string, { readonly parent: string; readonly measure: Part }>> = {
  memory: { parent: tmpdir(), measure: measureMemory },
  storage: { parent: DISK, measure: measureStorage },
};

await runBenchmark({ blocks: DEFAULT_BLOCKS, only: 'all' }, async (show, { blocks, only }) => {
  const chosen = Object.entries(PARTS).filter(([name]) => only === 'all' || only === name);
  if (chosen.length === 0) throw new Error(`--only is one of ${Object.keys(PARTS).join(', ')}`);
  for (const [, { parent, measure }] of chosen) {
    const server = new FillServer(parent);
    const folder = mkdtempSync(join(parent, 'bench-objects-'));
    try {
      await measure(server, folder, blocks, show);
    } finally {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }
});
process.exit();
