import type { ChainUpstreams } from '../upstream/chain-upstreams.ts';
import { type ChainView, createChainView } from './chain-head.ts';
import { NewestBlocks } from './newest-blocks.ts';
import { SentTransactions } from './sent-transactions.ts';

/** What serves the JSON-RPC calls of one chain: its upstreams, and what this instance remembers of their answers. */
export interface ChainNode extends ChainUpstreams {
  readonly head: ChainView;
  readonly newestBlocks: NewestBlocks;
  readonly sentTransactions: SentTransactions;
}

/** Makes the node of a chain out of its upstreams. */
export function createChainNode(upstreams: ChainUpstreams): ChainNode {
  return {
    ...upstreams,
    head: createChainView(upstreams),
    newestBlocks: new NewestBlocks(),
    sentTransactions: new SentTransactions(upstreams.clock),
  };
}
