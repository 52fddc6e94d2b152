/**
 * How fast a chain is indexed: blocks and transfers a second through decoding, the RDS Data API server and PostgreSQL,
 * memory over the run, and the bytes of a transaction by what its node tells. The node is one in memory: what is measured is
 * ours. `npm run bench -- index [blocks]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeBlock } from '../../lambdas/chain-data/decode/decode-block.ts';
import type { RawBlock } from '../../lambdas/chain-data/decode/raw-block.ts';
import { openChainIndex } from '../../lambdas/indexer/chain-index/chain-index.ts';
import { followStep } from '../../lambdas/indexer/follow/follow-step.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { startMigratedDatabase } from '../../test/database/migrated-database.ts';
import { runBenchmark } from '../benchmark.ts';
import type { Figure } from '../figures.ts';
import { measureRows } from './index-bytes.ts';
import { makeReader, TRANSFERS_PER_BLOCK } from './made-chain.ts';

const CHAIN = 'bench';
const ROWS_CHAIN = 'bench_rows';
const DEFAULT_BLOCKS = 10_000;
const WARM_UP_BLOCKS = 1_000;
const LIVE_BLOCKS = 20;
const LIVE_INTERVAL_MS = 250;
const FAR_DEADLINE_MS = 3_600_000;
const MIN_TRANSFERS_PER_SECOND = 20_000;
const MIN_BLOCKS_PER_SECOND = 1_000;
const MAX_LIVE_LAG_MS = 2_000;
const MAX_MEMORY_GROWTH = 1.5;
const MEGABYTE = 1_048_576;

async function measure(blocks: number): Promise<Figure[]> {
  const database = await startMigratedDatabase([CHAIN, ROWS_CHAIN]);
  try {
    const head = { number: WARM_UP_BLOCKS - 1 };
    const decode = (block: RawBlock) => decodeBlock(block, { wrappedNative: new Set() });
    const parts = {
      reader: makeReader(head),
      index: openChainIndex(connectionTo(database.writer, CHAIN)),
      decode,
    };
    const step = () => followStep(parts, { deadline: Date.now() + FAR_DEADLINE_MS });
    const catchUp = async () => {
      for (;;) {
        const outcome = await step();
        if (outcome.kind === 'idle') return;
      }
    };
    await catchUp();
    const before = memory();
    head.number += blocks;
    const startedAt = performance.now();
    await catchUp();
    const seconds = (performance.now() - startedAt) / 1_000;
    const after = memory();
    const lag = await measureLive(head, catchUp);
    return [
      {
        name: 'blocks a second',
        value: blocks / seconds,
        unit: 'blocks/s',
        least: MIN_BLOCKS_PER_SECOND,
      },
      {
        name: `transfers a second, ${TRANSFERS_PER_BLOCK} a block, with logs and transactions`,
        value: (blocks * TRANSFERS_PER_BLOCK) / seconds,
        unit: 'transfers/s',
        least: MIN_TRANSFERS_PER_SECOND,
      },
      {
        name: `memory after ${blocks * TRANSFERS_PER_BLOCK} transfers`,
        value: after,
        unit: 'MB',
        baseline: { name: 'before', value: before },
        mostRatio: MAX_MEMORY_GROWTH,
      },
      {
        name: 'longest time to store a block, live at 4 a second',
        value: lag,
        unit: 'ms',
        most: MAX_LIVE_LAG_MS,
      },
      ...(await measureRows(database, ROWS_CHAIN)),
    ];
  } finally {
    await database.close();
  }
}

async function measureLive(head: { number: number }, catchUp: () => Promise<void>): Promise<number> {
  let longest = 0;
  for (let block = 0; block < LIVE_BLOCKS; block += 1) {
    head.number += 1;
    const startedAt = performance.now();
    await catchUp();
    const taken = performance.now() - startedAt;
    longest = Math.max(longest, taken);
    await sleep(Math.max(0, LIVE_INTERVAL_MS - taken));
  }
  return longest;
}

const memory = () => process.memoryUsage().rss / MEGABYTE;

await runBenchmark({ blocks: DEFAULT_BLOCKS }, async (show, { blocks }) =>
  show('Indexing', await measure(blocks)),
);
