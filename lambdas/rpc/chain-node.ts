import type { ChainUpstreams } from '../upstream/chain-upstreams.ts';
import { type Bulkhead, NO_BULKHEAD } from './bulkhead.ts';
import { type ChainView, createChainView } from './chain-head.ts';
import { NewestBlocks } from './newest-blocks.ts';
import { SentTransactions } from './sent-transactions.ts';

/** What serves the JSON-RPC calls of one chain: its upstreams, and what this instance remembers of their answers. */
export interface ChainNode extends ChainUpstreams {
  readonly head: ChainView;
  readonly bulkhead: Bulkhead;
  readonly newestBlocks: NewestBlocks;
  readonly sentTransactions: SentTransactions;
}

/** Makes the node of a chain out of its upstreams. `bulkhead`: absent, anybody may wait for it. */
export function createChainNode(upstreams: ChainUpstreams, bulkhead: Bulkhead = NO_BULKHEAD): ChainNode {
  return {
    ...upstreams,
    head: createChainView(upstreams, bulkhead),
    bulkhead,
    newestBlocks: new NewestBlocks(),
    sentTransactions: new SentTransactions(upstreams.clock),
  };
}
