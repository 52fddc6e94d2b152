import { finalizedBlock, type HeadTracker } from '../../lambdas/shared/upstream/routing/head-tracker.ts';

/** The head of a chain that makes no block. */
export function stillHead(head: bigint, finalized = head): HeadTracker {
  const read = async () => head;
  return {
    known: head,
    readFinal: async () => finalizedBlock(head),
    settled: async () => {},
    peek: read,
    glance: read,
    reach: () => undefined,
    watch: () => undefined,
    isYoung: () => true,
    bounds: () => ({ least: head, most: head }),
    askBeside: () => undefined,
    tagged: async (block) => (block === 'latest' ? head : finalized),
    doubt: () => {},
    isSyncing: () => false,
    whyUnknown: () => ({ reason: 'upstream_unavailable' }),
  };
}
