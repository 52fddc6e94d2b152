import type { ChainUpstreams } from '../chain-upstreams.ts';
import { NewestBlocks } from '../head/answered-head.ts';
import { LateTurns } from '../health/late-turns.ts';
import { type ChainSharing, NO_SHARING } from '../sharing/share-chain.ts';
import { type Bulkhead, NO_BULKHEAD, Semaphore } from './bulkhead.ts';
import { createHeadTracker, type HeadTracker } from './head-tracker.ts';

/** Serves the JSON-RPC calls of one chain: its upstreams, and this instance's memory of their responses. */
export interface ChainClient extends ChainUpstreams {
  readonly head: HeadTracker;
  /** One for each request of a client that waits for its upstreams in this process. */
  readonly slots: Semaphore;
  readonly bulkhead: Bulkhead;
  readonly newestBlocks: NewestBlocks;
  /** Of groups of calls that are to be hedged. */
  readonly lateGroups: LateTurns;
}

/** Makes the node of a chain out of its upstreams. `bulkhead`: absent, any request may wait for it; `sharing`: absent, it has none. */
export function createChainClient(
  upstreams: ChainUpstreams,
  bulkhead: Bulkhead = NO_BULKHEAD,
  sharing: ChainSharing = NO_SHARING,
): ChainClient {
  return {
    ...upstreams,
    head: createHeadTracker(upstreams, bulkhead, sharing),
    slots: new Semaphore(upstreams.waits),
    bulkhead,
    newestBlocks: new NewestBlocks(),
    lateGroups: new LateTurns(upstreams),
  };
}
