import { type SharedTextItem, shareText } from './shared-item.ts';
import { SharedNodes } from './shared-nodes.ts';
import { SharedView, type SharedViewOptions } from './shared-view.ts';

/** What instances share of a chain and its nodes. Neither method rejects. */
export interface ChainSharing {
  /** Learns what others know. */
  read(): Promise<void>;
  /** Tells the others what this instance knows. `askedAt`: when it asked for the head, in milliseconds since the epoch, if it did. */
  publish(askedAt?: number): Promise<void>;
  /** Where the numbers of its safe and finalized blocks are stored. @default each instance has its own */
  readonly tags?: SharedTextItem;
}

/** For a function that shares nothing. */
export const NO_SHARING: ChainSharing = { read: async () => {}, publish: async () => {} };

/** Shares a chain's newest blocks, what its nodes are, and the numbers of its tags: each is an item of its own. */
export function shareChain(options: SharedViewOptions): ChainSharing {
  const view = new SharedView(options);
  const nodes = new SharedNodes(options);
  const { chain, node, store, telemetry } = options;
  return {
    read: async () => {
      await Promise.all([view.read(), nodes.read()]);
    },
    publish: async (askedAt) => {
      await Promise.all([askedAt === undefined ? undefined : view.publish(askedAt), nodes.publish()]);
    },
    tags: shareText(`tags ${chain}`, {
      ...{ chain, clock: node.clock, store, telemetry },
      event: 'chain_view_unavailable',
    }),
  };
}
