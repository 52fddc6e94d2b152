import { SharedNodes } from './shared-nodes.ts';
import type { SharedText } from './shared-text.ts';
import { forgiveStore } from './shared-text.ts';
import { SharedView, type SharedViewOptions } from './shared-view.ts';

/** One text that instances share; `unread` where the store does not answer. Neither method rejects. */
export interface SharedTextItem {
  /** @param options `isNow`: as it is now, and not as it was a moment ago. @default false */
  read(options?: { readonly isNow?: boolean }): Promise<SharedText | undefined | 'unread'>;
  /** Stores a text in the place of just the one that was read; resolves to whether that was there. */
  write(text: SharedText, read: SharedText | undefined): Promise<boolean | 'unread'>;
}

/** What instances share of a chain and its nodes. Neither method rejects. */
export interface ChainSharing {
  /** Learns what others have heard. */
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
  const { chain, store, telemetry } = options;
  const ask = forgiveStore({
    chain,
    clock: options.node.clock,
    telemetry,
    event: 'chain_view_unavailable',
  });
  const name = `tags ${chain}`;
  return {
    read: async () => {
      await Promise.all([view.read(), nodes.read()]);
    },
    publish: async (askedAt) => {
      await Promise.all([askedAt === undefined ? undefined : view.publish(askedAt), nodes.publish()]);
    },
    tags: {
      read: (read) => ask(() => store.read(name, read)),
      write: (text, read) => ask(() => store.write(name, text, read)),
    },
  };
}
