/** Blocks that the finalized block is behind the indexed head, by the specification. */
export const FINALITY_BLOCKS = 256;

/** The block that no reorganisation may replace, nor any below, where this is the head. */
export function finalizedBelow(head: number): number {
  return Math.max(0, head - FINALITY_BLOCKS);
}
