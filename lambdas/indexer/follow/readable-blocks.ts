import { BlockError } from '../blocks/block-error.ts';
import { NodeError } from '../fetch/node-error.ts';
import type { ChainReader } from './chain-reader.ts';

/** Reads in a row at the end of which the same block could not be read, before another node is to be asked for it. */
const FAILURES_TO_LEAVE = 3;

export interface ReadableBlocksParts {
  readonly reader: ChainReader;
  /** Is told that the node does not give a block, whatever else it answers. */
  readonly onUnreadable: () => void;
}

/**
 * A reader that tells when its node does not give a block: it closes the connection, has no receipts of it, or contradicts
 * itself. No count of failed requests shows that, for the node answers for its head and for all blocks before. Nor does it
 * show that a node refuses to tell its head, as one whose plan has not the chain does.
 */
export function ofReadableBlocks({ reader, onUnreadable }: ReadableBlocksParts): ChainReader {
  let unread: number | undefined;
  let failures = 0;
  let headFailures = 0;

  const fail = (block: number): void => {
    failures = block === unread ? failures + 1 : 1;
    unread = block;
    if (failures < FAILURES_TO_LEAVE) return;
    failures = 0;
    onUnreadable();
  };

  return {
    ...reader,
    async head(options) {
      try {
        const head = await reader.head(options);
        headFailures = 0;
        return head;
      } catch (error) {
        headFailures += 1;
        if (headFailures >= FAILURES_TO_LEAVE && error instanceof NodeError) {
          headFailures = 0;
          onUnreadable();
        }
        throw error;
      }
    },
    async *pages(from, to, options) {
      try {
        for await (const page of reader.pages(from, to, options)) {
          failures = 0;
          yield page;
        }
      } catch (error) {
        if (error instanceof BlockError) fail(error.blockNumber);
        throw error;
      }
    },
  };
}
