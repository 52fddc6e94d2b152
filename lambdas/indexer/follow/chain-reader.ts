import type { BlockId, RawBlock } from '../../chain-data/decode/raw-block.ts';
import type { HeadOptions } from '../fetch/read-blocks.ts';
import type { PageOptions } from '../fetch/send-batch.ts';

export interface ReadDeadline {
  /** When the answer must be there, in milliseconds since the epoch. */
  readonly deadline: number;
}

/** A chain as its node has it. Every method fails where the node does not say, or contradicts itself. */
export interface ChainReader {
  /** The newest block. */
  head(options: HeadOptions): Promise<BlockId>;
  /** One block; undefined if the node has none of that number. */
  header(number: number, options: ReadDeadline): Promise<BlockId | undefined>;
  /**
   * Whole blocks from one to another, each the child of the one before, in pages that memory and a transaction have room
   * for. What comes before a failure is good.
   */
  pages(from: number, to: number, options: PageOptions): AsyncGenerator<readonly RawBlock[], void>;
  /**
   * Whether the chain no longer has a block that is above the newest block of the node: that became shorter, and does not
   * only lag. Takes some seconds of asking again to become true.
   */
  readonly isGone?: (block: Pick<BlockId, 'number' | 'hash'>, options: ReadDeadline) => Promise<boolean>;
  /** Whether the node traces; undefined as long as that is not known. */
  readonly canTrace?: () => boolean | undefined;
  /** By how many blocks another node was seen to be ahead of the newest block of the last report. */
  readonly blocksBehind?: () => number;
}
