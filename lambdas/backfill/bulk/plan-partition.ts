import type { BlockRange } from '../../chain-data/store/block-range.ts';
import type { ReadDeadline } from '../../indexer/follow/chain-reader.ts';
import type { BulkParts } from './write-files.ts';

/** Rows that a partition is to have: some 80 GB with its indexes. */
const PARTITION_ROWS = 100_000_000;
/** Rows that one message has written: what a run reads and writes within minutes. */
const MESSAGE_ROWS = 1_000_000;
/** Blocks of a partition at most, however few rows they have. Fewer than the least are left to the other path. */
const MAX_PARTITION_BLOCKS = 10_000_000;
export const MIN_PARTITION_BLOCKS = 10_000;
const MAX_MESSAGE_BLOCKS = 20_000;
const MIN_MESSAGE_BLOCKS = 100;
/** Blocks that the first guess looks at, and how many of a stretch are read. */
const FIRST_BLOCKS = 250_000;
const SAMPLED_BLOCKS = 8;

/** How blocks are divided. */
interface PartitionPlan extends BlockRange {
  /** Blocks of one message. */
  readonly messageBlocks: number;
}

/** Reads a few blocks of the beginning of a range, and decides which of it are a partition. */
export async function planPartition(
  parts: Pick<BulkParts, 'reader' | 'decode'>,
  range: BlockRange,
  options: ReadDeadline,
): Promise<PartitionPlan> {
  const guess = await sampleRows(parts, stretch(range, FIRST_BLOCKS), options);
  const blocks = blocksOf(guess);
  // What follows may be heavier than what the guess was made of.
  const rows = Math.max(guess, await sampleRows(parts, stretch(range, blocks), options));
  return divide(range, rows);
}

/** @param rows of a block */
export function divide({ from, to }: BlockRange, rows: number): PartitionPlan {
  const blocks = blocksOf(rows);
  const left = to - from + 1;
  // What would be left for a small one joins it.
  const taken = left < blocks + Math.min(blocks / 2, MAX_PARTITION_BLOCKS) ? left : blocks;
  const messageBlocks = Math.floor(MESSAGE_ROWS / Math.max(rows, 1));
  return {
    from,
    to: from + taken - 1,
    messageBlocks: Math.min(MAX_MESSAGE_BLOCKS, Math.max(MIN_MESSAGE_BLOCKS, messageBlocks)),
  };
}

function blocksOf(rows: number): number {
  const blocks = Math.floor(PARTITION_ROWS / Math.max(rows, 1));
  return Math.min(MAX_PARTITION_BLOCKS, Math.max(MIN_PARTITION_BLOCKS, blocks));
}

function stretch({ from, to }: BlockRange, blocks: number): BlockRange {
  return { from, to: Math.min(to, from + blocks - 1) };
}

/** Rows of a block, as blocks that are evenly apart have them. */
async function sampleRows(
  { reader, decode }: Pick<BulkParts, 'reader' | 'decode'>,
  { from, to }: BlockRange,
  options: ReadDeadline,
): Promise<number> {
  const count = Math.min(SAMPLED_BLOCKS, to - from + 1);
  let rows = 0;
  for (let place = 0; place < count; place += 1) {
    const number = from + Math.floor((place * (to - from)) / Math.max(count - 1, 1));
    for await (const page of reader.pages(number, number, options))
      for (const { transactions, logs, traces, erc20_transfers, nft_transfers } of page.map(decode)) {
        const counted = [transactions, transactions, logs, traces, erc20_transfers, nft_transfers];
        rows += 1 + counted.flat().length;
      }
  }
  return rows / count;
}
