import type { Hex } from '../decode/raw-block.ts';

/** A block as far as its place in the chain needs it. */
export interface BlockId {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Seconds since the epoch. */
  readonly timestamp: number;
}
