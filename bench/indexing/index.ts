/**
 * How fast a chain is indexed: blocks and transfers a second through decoding, the RDS Data API server and PostgreSQL,
 * memory over the run, what deriving a block takes, and what verifying blocks adds. The node is one in memory: what is measured is
 * ours. `npm run bench -- index [--blocks N] [--only TITLE]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeBlock } from '../../lambdas/chain-data/decode/decode-block.ts';
import type { RawBlock } from '../../lambdas/chain-data/decode/raw-block.ts';
import { openChainIndex } from '../../lambdas/indexer/chain-index/chain-index.ts';
import type { ChainReader } from '../../lambdas/indexer/follow/chain-reader.ts';
import { followStep } from '../../lambdas/indexer/follow/follow-step.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import {
  address,
  PLAIN,
  rawBlock,
  rawTransaction,
  TIMESTAMP,
  word,
} from '../../test/chain-data/decode/raw-blocks.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../test/database/migrated-database.ts';
import { runBenchmark } from '../benchmark.ts';
import type { Figure } from '../figures.ts';
import { measureDerivation } from './derivation.ts';
import { measureProof, PROOF_CHAINS } from './proof.ts';

const CHAIN = 'bench';
const TRADING_CHAIN = 'trading';
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
const TRANSFERS_PER_BLOCK = 20;
const HOLDERS = 5_000;
const TOKENS = 50;
const PAGE_BLOCKS = 250;
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** What hashes of blocks and of transactions begin with. */
const BLOCK_HASHES = 0xbbn << 248n;
const TRANSACTION_HASHES = 0xccn << 248n;

/** A block with a transaction of transfers between a few thousand holders. */
function makeBlock(number: number): RawBlock {
  const logs = Array.from({ length: TRANSFERS_PER_BLOCK }, (_, logIndex) => ({
    logIndex,
    address: address(0x70_0000 + ((number * 7 + logIndex) % TOKENS)),
    topics: [
      TRANSFER_TOPIC,
      word(1 + ((number * 13 + logIndex) % HOLDERS)),
      word(1 + ((number * 17 + logIndex * 3) % HOLDERS)),
    ] as const,
    data: word(BigInt(number) * 1_000n + BigInt(logIndex)),
  }));
  const plain = rawTransaction(number);
  const transaction = {
    ...plain,
    hash: word(TRANSACTION_HASHES + BigInt(number)),
    from: address(1 + (number % HOLDERS)),
    receipt: { ...plain.receipt, logs },
  };
  return rawBlock([transaction], {
    number,
    hash: word(BLOCK_HASHES + BigInt(number)),
    parentHash: number === 0 ? word(0) : word(BLOCK_HASHES + BigInt(number - 1)),
    timestamp: TIMESTAMP + number,
    traces: { kind: 'gap', reason: 'unsupported', message: '' },
  });
}

/** A node in memory whose head is moved by hand. */
function makeReader(head: { number: number }): ChainReader {
  return {
    head: async () => makeBlock(head.number),
    header: async (number) => (number > head.number ? undefined : makeBlock(number)),
    async *pages(from, to) {
      for (let first = from; first <= to; first += PAGE_BLOCKS) {
        const count = Math.min(PAGE_BLOCKS, to - first + 1);
        yield Array.from({ length: count }, (_, index) => makeBlock(first + index));
      }
    },
  };
}

async function measure(database: MigratedDatabase, blocks: number): Promise<Figure[]> {
  const head = { number: WARM_UP_BLOCKS - 1 };
  const parts = {
    reader: makeReader(head),
    index: openChainIndex(connectionTo(database.writer, CHAIN)),
    decode: (block: RawBlock) => decodeBlock(block, PLAIN),
  };
  const catchUp = async () => {
    while ((await followStep(parts, { deadline: Date.now() + FAR_DEADLINE_MS })).kind !== 'idle');
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
  ];
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

/** What is measured under a title, and the chains that it needs. */
interface Group {
  readonly title: string;
  readonly chains: readonly string[];
  measureGroup(database: MigratedDatabase, blocks: number): Promise<Figure[]>;
}

const GROUPS: readonly Group[] = [
  { title: 'Indexing', chains: [CHAIN], measureGroup: measure },
  { title: 'Proof', chains: PROOF_CHAINS, measureGroup: measureProof },
  {
    title: 'Derivation',
    chains: [TRADING_CHAIN],
    async measureGroup(database) {
      const { among, alone } = await measureDerivation(database.writer, TRADING_CHAIN);
      return [
        { name: 'a block of four trades, among thousands', value: among, unit: 'ms' },
        { name: 'the same by itself', value: alone, unit: 'ms', most: 1_000 },
      ];
    },
  },
];

const memory = () => process.memoryUsage().rss / MEGABYTE;

await runBenchmark({ blocks: DEFAULT_BLOCKS, only: '' }, async (show, { blocks, only }) => {
  const chosen = GROUPS.filter(({ title }) => title.toLowerCase().includes(only.toLowerCase()));
  if (chosen.length === 0)
    throw new Error(`--only is of ${GROUPS.map(({ title }) => title).join(', ')}: there is no ${only}`);
  const database = await startMigratedDatabase(chosen.flatMap(({ chains }) => chains));
  try {
    for (const { title, measureGroup } of chosen) show(title, await measureGroup(database, blocks));
  } finally {
    await database.close();
  }
});
