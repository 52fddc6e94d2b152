/** A process that fills chains as a function of the backfill does: it takes tasks, one at a time, and answers each. */
import { BulkFileWriter } from '../../lambdas/backfill/bulk/bulk-file.ts';
import type { BlockRange } from '../../lambdas/chain-data/store/block-range.ts';
import { loadBlocks } from '../../lambdas/chain-data/store/load-blocks.ts';
import type { BackfillMessage } from '../../lambdas/indexer/backfill-message.ts';
import { openChainIndex } from '../../lambdas/indexer/chain-index/chain-index.ts';
import { fillRange } from '../../lambdas/indexer/follow/fill-range.ts';
import type { ChainQueries } from '../../lambdas/shared/chain-database/chain-queries.ts';
import type { PostgresLogin } from '../../local/database/postgres.ts';
import { bulkFill, decodePlain } from '../../test/backfill/bulk-fill.ts';
import { PLAIN } from '../../test/chain-data/decode/raw-blocks.ts';
import { bucketOf, connectFill } from './fill-server.ts';
import { filledBlock, type MixName, ReadBlocks } from './filled-blocks.ts';

/** How blocks are stored. */
export type FillWay = 'files' | 'pages';

export type FillTask =
  /** Which chain, in which database, with the objects of the bucket below which folder. */
  | { readonly kind: 'open'; readonly login: PostgresLogin; readonly folder: string; readonly chain: string }
  /** Holds blocks, as if they had been read from the node. */
  | { readonly kind: 'read'; readonly range: BlockRange; readonly mix: MixName; readonly folder: string }
  /** Makes ready for a way, so that its code is compiled: the same function fills for hours. */
  | { readonly kind: 'warm'; readonly mix: MixName; readonly way: FillWay; readonly folder: string }
  /** Stores blocks page by page. */
  | { readonly kind: 'page'; readonly range: BlockRange }
  /** Writes blocks as files, which are imported. */
  | { readonly kind: 'write'; readonly range: BlockRange }
  /** Does nothing but answer. */
  | { readonly kind: 'idle' };

/** Processor time of the process so far, in milliseconds. */
export interface FillAnswer {
  readonly cpuMs: number;
}

const FAR_MS = 3_600_000;
/** Blocks that a process makes ready with, and how often. */
const WARM_BLOCKS = 20;
const WARM_ROUNDS = 20;
const reader = new ReadBlocks();
let opened: Awaited<ReturnType<typeof open>> | undefined;

async function open({ login, folder, chain }: Extract<FillTask, { kind: 'open' }>) {
  const connection = await connectFill(login, chain);
  return {
    index: openChainIndex(connection, PLAIN),
    fill: bulkFill({ connection, reader, bucket: bucketOf(folder) }),
    chain,
  };
}

/** Decodes and writes blocks over and over: as files, or as the statements of a transaction that is not sent. */
async function warm({ mix, way, folder }: Extract<FillTask, { kind: 'warm' }>): Promise<void> {
  const blocks = Array.from({ length: WARM_BLOCKS }, (_, number) => filledBlock(number + 1, mix, folder));
  const writer = new BulkFileWriter('warm');
  const nowhere: ChainQueries = { name: 'warm', query: async () => ({ rows: [], updated: 0 }) };
  for (let round = 0; round < WARM_ROUNDS; round += 1) {
    writer.clear();
    const rows = blocks.map(decodePlain);
    if (way === 'files') for (const row of rows) writer.add(row);
    else await loadBlocks(nowhere, rows);
  }
}

async function work(task: FillTask): Promise<void> {
  if (task.kind === 'idle') return;
  if (task.kind === 'warm') return warm(task);
  if (task.kind === 'read') return reader.read(task.range, task.mix, task.folder);
  if (task.kind === 'open') {
    opened = await open(task);
    return;
  }
  if (opened === undefined) throw new Error('no chain is open');
  if (task.kind === 'page') {
    const parts = { reader, index: opened.index, decode: decodePlain, outOfTime: () => false };
    await fillRange(parts, task.range, { deadline: Date.now() + FAR_MS });
    return;
  }
  const { fill } = opened;
  const message: BackfillMessage = { chain: opened.chain, ...task.range, bulk: 'write' };
  fill.waiting.push(message);
  await fill.next();
}

process.on('message', (task: FillTask) => {
  work(task).then(
    () => {
      const { user, system } = process.cpuUsage();
      process.send?.({ cpuMs: (user + system) / 1_000 } satisfies FillAnswer);
    },
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit());
