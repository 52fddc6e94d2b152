import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { blockHash } from '../fetch/node-chain.ts';

/** What following a chain asks of its index, as far as it only grows: block 1 is the first of `stored`. */
export function indexInMemory(stored: RawBlock[]) {
  return {
    noteHead: async () => undefined,
    cursor: async () => ({
      number: stored.length,
      hash: blockHash(stored.length),
      parentHash: blockHash(stored.length - 1),
      timestamp: 0,
      epoch: 0,
      halted: null,
      nodeHead: undefined,
    }),
    append: async (_: unknown, { rows }: { rows: RawBlock[] }) => {
      stored.push(...rows);
    },
  };
}
