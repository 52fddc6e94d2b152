/** Bytes that a partition is to have, with the indexes of all its tables: one that can be indexed anew, vacuumed, copied. */
export const PARTITION_BYTES = 80 * 2 ** 30;

/** Blocks above the head that have their partition before they come. */
export const LEAD_BLOCKS = 1_000;

/** Width of a partition before anything was measured: some 70 GB of Ethereum today. */
export const FIRST_BLOCKS = 100_000;

const MIN_BLOCKS = 5 * LEAD_BLOCKS;
const MAX_BLOCKS = 10_000_000;

/** Widths are whole thousands. */
const BLOCKS_STEP = 1_000;

/** Stored blocks from which on their bytes say something of those that come. */
export const MEASURED_BLOCKS = 1_000;

/**
 * How many times as wide a partition is at most as the one that was measured: a chain whose blocks were empty may fill them
 * in the midst of it.
 */
const MAX_GROWTH = 2;

/** Where partitions end: the number of a block has 4 bytes in rows. A chain with four blocks a second gets there in 17 years. */
export const END_OF_BLOCKS = 2 ** 31 - 1;

/** Blocks of a partition: from the first to below the end. */
export interface Bounds {
  readonly from: number;
  readonly end: number;
}

/** What a partition takes. */
interface Volume {
  /** Blocks that it has room for. */
  readonly width: number;
  /** Blocks that are stored there. */
  readonly blocks: number;
  /** Of its tables and indexes. */
  readonly bytes: number;
}

/**
 * How many blocks the next partition is to have.
 * @param volume of the nearest partition that says something; undefined if none does
 * @param target bytes of a partition
 */
export function partitionWidth(volume: Volume | undefined, target = PARTITION_BYTES): number {
  if (volume === undefined) return FIRST_BLOCKS;
  const { width, blocks, bytes } = volume;
  const fitting = Math.min(target / (Math.max(bytes, 1) / blocks), MAX_GROWTH * width, MAX_BLOCKS);
  return Math.max(Math.floor(fitting / BLOCKS_STEP) * BLOCKS_STEP, MIN_BLOCKS);
}

/** The first block from one on that is in no partition. */
export function firstUnbound(partitions: readonly Bounds[], from: number): number {
  for (let block = from; ; ) {
    const found = partitions.find((one) => one.from <= block && block < one.end);
    if (found === undefined) return block;
    block = found.end;
  }
}

/**
 * Bounds of a new partition for a block that is in none. Where the chain continues it begins at the end of the last one.
 * In a gap, which is filled from anywhere, gaps are cut at multiples of the width; what would be left narrower than half of
 * it belongs to its neighbour, so no partition is wider than twice the width.
 */
export function nextBounds(partitions: readonly Bounds[], block: number, width: number): Bounds {
  const below = Math.max(0, ...partitions.filter(({ end }) => end <= block).map(({ end }) => end));
  const above = Math.min(Infinity, ...partitions.filter(({ from }) => from > block).map(({ from }) => from));
  const hasBelow = partitions.some(({ end }) => end <= block);
  if (above === Infinity && hasBelow && block < below + width)
    return { from: below, end: Math.min(below + width, END_OF_BLOCKS) };
  const cut = Math.floor(block / width) * width;
  const from = cut - below < width / 2 ? below : cut;
  const end = above - (cut + width) < width / 2 ? above : cut + width;
  return { from, end: Math.min(end, END_OF_BLOCKS) };
}
