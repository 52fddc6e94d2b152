/** Blocks that the finalized block is behind the indexed head, by the specification. */
export const FINALITY_BLOCKS = 256;
