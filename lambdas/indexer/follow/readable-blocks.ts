import { BlockError } from '../blocks/block-error.ts';
import { NodeError } from '../fetch/node-error.ts';
import type { ChainReader } from './chain-reader.ts';

/** Reads in a row at the end of which the same block could not be read, before another node is to be asked for it. */
const FAILURES_TO_LEAVE = 3;

/**
 * A reader that tells when its node does not give a block: it closes the connection, has no receipts of it, or contradicts
 * itself. No count of failed requests shows that, for the node answers for its head and for all blocks before. Nor does it
 * show that a node refuses to tell its head, as one whose plan has not the chain does. A wrong answer is asked of the next
 * node at once, within the same read.
 * @param nodes that there are: so many wrong answers for a block in a row, and the read fails
 * @param onUnreadable is told that the node does not give a block, whatever else it answers
 */
export function ofReadableBlocks(reader: ChainReader, nodes: number, onUnreadable: () => void): ChainReader {
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
      let next = from;
      for (let wrongAnswers = 0; ; ) {
        try {
          for await (const page of reader.pages(next, to, options)) {
            failures = 0;
            wrongAnswers = 0;
            next = (page.at(-1)?.number ?? next) + 1;
            yield page;
          }
          return;
        } catch (error) {
          if (!(error instanceof BlockError)) throw error;
          if (error.kind !== 'wrong_answer') {
            fail(error.blockNumber);
            throw error;
          }
          onUnreadable();
          wrongAnswers += 1;
          if (wrongAnswers >= nodes) throw error;
        }
      }
    },
  };
}
