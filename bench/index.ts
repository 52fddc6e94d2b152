/**
 * How fast a chain is indexed: blocks and transfers a second through decoding, the RDS Data API server and PostgreSQL,
 * and memory over the run. The node is one in memory: what is measured is ours. `npm run bench -- index [blocks]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeBlock } from '../lambdas/chain-data/decode/decode-block.ts';
import type { Hex, RawBlock } from '../lambdas/chain-data/decode/raw-block.ts';
import { openChainIndex } from '../lambdas/indexer/chain-index/chain-index.ts';
import type { ChainReader } from '../lambdas/indexer/follow/chain-reader.ts';
import { followStep } from '../lambdas/indexer/follow/follow-step.ts';
import { startMigratedDatabase } from '../test/database/migrated-database.ts';
import { type Figure, printFigures, printMachine } from './rpc-figures.ts';

const CHAIN = 'bench';
const TRANSFERS_PER_BLOCK = 20;
const DEFAULT_BLOCKS = 10_000;
const PAGE_BLOCKS = 250;
const WARM_UP_BLOCKS = 1_000;
const LIVE_BLOCKS = 20;
const LIVE_INTERVAL_MS = 250;
const FAR_DEADLINE_MS = 3_600_000;
const MIN_TRANSFERS_PER_SECOND = 20_000;
const MIN_BLOCKS_PER_SECOND = 1_000;
const MAX_LIVE_LAG_MS = 2_000;
const MAX_MEMORY_GROWTH = 1.5;
const MEGABYTE = 1_048_576;
const TRANSFER_TOPIC: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const START_TIME = 1_700_000_000;
const HOLDERS = 5_000;
const TOKENS = 50;

const word = (value: number | bigint, prefix = ''): Hex =>
  `0x${prefix}${value.toString(16).padStart(64 - prefix.length, '0')}`;
const address = (value: number): Hex => `0x${value.toString(16).padStart(40, '0')}`;
const padded = (value: number) => word(value);

/** A block with transfers between a few thousand holders. */
function makeBlock(number: number): RawBlock {
  const logs = Array.from({ length: TRANSFERS_PER_BLOCK }, (_, logIndex) => ({
    logIndex,
    address: address(0x70_0000 + ((number * 7 + logIndex) % TOKENS)),
    topics: [
      TRANSFER_TOPIC,
      padded(1 + ((number * 13 + logIndex) % HOLDERS)),
      padded(1 + ((number * 17 + logIndex * 3) % HOLDERS)),
    ],
    data: word(BigInt(number) * 1_000n + BigInt(logIndex)),
  }));
  return {
    number,
    hash: word(number, 'bb'),
    parentHash: number === 0 ? word(0) : word(number - 1, 'bb'),
    timestamp: START_TIME + number,
    miner: address(0),
    gasLimit: 30_000_000n,
    gasUsed: 1_000_000n,
    baseFeePerGas: 7n,
    stateRoot: word(number, 'aa'),
    transactionsRoot: word(number, 'ab'),
    receiptsRoot: word(number, 'ac'),
    extraData: '0x',
    size: 900,
    l1BlockNumber: null,
    sendCount: null,
    sendRoot: null,
    extra: {},
    transactions: [
      {
        hash: word(number, 'cc'),
        type: 2,
        from: address(1 + (number % HOLDERS)),
        to: address(0x70_0000),
        nonce: BigInt(number),
        value: 0n,
        gas: 1_000_000n,
        gasPrice: 7n,
        maxFeePerGas: 7n,
        maxPriorityFeePerGas: 0n,
        input: '0xa9059cbb',
        requestId: null,
        extra: {},
        receipt: {
          status: 1,
          contractAddress: null,
          gasUsed: 1_000_000n,
          gasUsedForL1: null,
          cumulativeGasUsed: 1_000_000n,
          effectiveGasPrice: 7n,
          l1BlockNumber: null,
          logs,
        },
      },
    ],
    traces: { kind: 'gap', reason: 'unsupported', message: '' },
  };
}

/** A node in memory whose head is moved by hand. */
function makeReader(head: { number: number }): ChainReader {
  const idOf = ({ number, hash, parentHash, timestamp }: RawBlock) => ({
    number,
    hash,
    parentHash,
    timestamp,
  });
  return {
    head: async () => idOf(makeBlock(head.number)),
    header: async (number) => (number > head.number ? undefined : idOf(makeBlock(number))),
    async *pages(from, to) {
      for (let first = from; first <= to; first += PAGE_BLOCKS) {
        const count = Math.min(PAGE_BLOCKS, to - first + 1);
        yield Array.from({ length: count }, (_, index) => makeBlock(first + index));
      }
    },
  };
}

async function main(blocks: number): Promise<number> {
  printMachine();
  const database = await startMigratedDatabase([CHAIN]);
  try {
    const head = { number: WARM_UP_BLOCKS - 1 };
    const decode = (block: RawBlock) => decodeBlock(block, { wrappedNative: new Set() });
    const parts = { reader: makeReader(head), index: openChainIndex(database.writer, CHAIN), decode };
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
    const figures: Figure[] = [
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
    return printFigures('indexing', figures).length > 0 ? 1 : 0;
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

process.exitCode = await main(Number(process.argv[2] ?? DEFAULT_BLOCKS));
