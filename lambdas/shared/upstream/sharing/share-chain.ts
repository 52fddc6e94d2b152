import { SharedNodes } from './shared-nodes.ts';
import { SharedView, type SharedViewOptions } from './shared-view.ts';

/** What instances share of a chain and its nodes. Neither method rejects. */
export interface ChainSharing {
  /** Learns what others have heard. */
  read(): Promise<void>;
  /** Tells the others what this instance knows. `askedAt`: when it asked for the head, in milliseconds since the epoch, if it did. */
  publish(askedAt?: number): Promise<void>;
}

/** For a function that shares nothing. */
export const NO_SHARING: ChainSharing = { read: async () => {}, publish: async () => {} };

/** Shares a chain's newest blocks, and what its nodes are: each is an item of its own. */
export function shareChain(options: SharedViewOptions): ChainSharing {
  const view = new SharedView(options);
  const nodes = new SharedNodes(options);
  return {
    read: async () => {
      await Promise.all([view.read(), nodes.read()]);
    },
    publish: async (askedAt) => {
      await Promise.all([askedAt === undefined ? undefined : view.publish(askedAt), nodes.publish()]);
    },
  };
}
