import type { BlockId } from '../../chain-data/decode/raw-block.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import { BlockError } from '../blocks/block-error.ts';
import { NodeError } from '../fetch/node-error.ts';
import type { HeadOptions } from '../fetch/read-blocks.ts';
import { blockCall } from '../fetch/send-batch.ts';
import type { StickyUpstream } from '../fetch/sticky-upstream.ts';
import type { ReadDeadline } from './chain-reader.ts';
import { type BlockForm, createNodeReader, type NodeReader } from './node-reader.ts';
import { askEach, blockNumberOf, createVanishedWatch, OTHERS_ANSWER_MS } from './vanished-blocks.ts';

/** Reads in a row at the end of which the same block could not be read, or no head, before another node is to be asked for it. */
const FAILURES_TO_LEAVE = 3;
/** Time between two questions to the other upstreams for their heads, in milliseconds. */
const ASK_INTERVAL_MS = 30_000;
/**
 * How far a node may be behind another, in milliseconds: it is left if by then it does not have the block that the
 * other had. A time and not a number of blocks, of which chains make one in ten seconds, or a hundred.
 */
const MAX_BEHIND_MS = 15_000;

interface StickyReaderParts {
  readonly connection: StickyUpstream;
  readonly form: BlockForm;
  readonly clock: Clock;
  /** Waits, or less if the signal says so; never rejects. */
  readonly wait: Sleep;
}

/**
 * Reads a chain through one upstream of several: one which gives its blocks, and whose head is not behind those of the
 * others. It is left when it does not give a block, as it closes the connection, has no receipts of it, or contradicts itself:
 * no count of failed requests shows that, for it answers for its head and for all blocks before. Nor does it show that a node
 * refuses to tell its head, as one whose plan has not the chain does. A wrong answer is asked of the next node at once, within
 * the same read. The reader has to forget whenever another upstream is read.
 */
export function createStickyReader({ connection: node, form, clock, wait }: StickyReaderParts): NodeReader {
  const nodeName = () => node.current().name;
  const reader = createNodeReader(node, clock, { ...form, nodeName }, wait);
  const best = createBestHead(node, clock);
  const vanished = createVanishedWatch(node, clock);
  const heads = createFailureCount(node);
  const blocks = createFailureCount(node);

  const readHead = async (options: HeadOptions) => {
    try {
      const head = await reader.head(options);
      heads.reset();
      best.note(head);
      vanished.note(head);
      return head;
    } catch (error) {
      if (error instanceof NodeError) heads.add('head');
      throw error;
    }
  };

  return {
    ...reader,
    async head(options) {
      const head = await readHead(options);
      if (best.leave()) return readHead(options);
      await best.look(options);
      return head;
    },
    async *pages(from, to, options) {
      let next = from;
      for (let wrongAnswers = 0; ; ) {
        try {
          for await (const page of reader.pages(next, to, options)) {
            blocks.reset();
            wrongAnswers = 0;
            next = (page.at(-1)?.number ?? next) + 1;
            yield page;
          }
          return;
        } catch (error) {
          if (!(error instanceof BlockError)) throw error;
          if (error.kind !== 'wrong_answer') {
            blocks.add(error.blockNumber);
            throw error;
          }
          node.moveOn();
          wrongAnswers += 1;
          if (wrongAnswers > node.others().length) throw error;
        }
      }
    },
    isGone: vanished.isGone,
    blocksBehind: best.blocksBehind,
  };
}

/** Counts failures in a row of the same thing, and leaves the node after some. */
function createFailureCount(node: StickyUpstream) {
  let last: unknown;
  let failures = 0;
  const reset = () => {
    failures = 0;
  };
  return {
    reset,
    add(what: unknown): void {
      failures = what === last ? failures + 1 : 1;
      last = what;
      if (failures < FAILURES_TO_LEAVE) return;
      reset();
      node.moveOn();
    },
  };
}

/** Leaves a node for one whose head is ahead for too long: a node that stands still answers as well as a good one. */
function createBestHead(node: StickyUpstream, clock: Clock) {
  let askAt = -Infinity;
  let own = 0;

  const askOthers = async (options: ReadDeadline) => {
    const seenAt = clock.now();
    const deadline = Math.min(options.deadline, seenAt + OTHERS_ANSWER_MS);
    const numbers = await askEach(node.others(), [blockCall('latest')], deadline, ([head]) =>
      blockNumberOf(head),
    );
    const heads = numbers.map(({ upstream, said = -Infinity }) => ({ upstream, number: said, seenAt }));
    return heads.sort((a, b) => b.number - a.number)[0];
  };

  /** What another upstream had and this one did not. */
  let ahead: Awaited<ReturnType<typeof askOthers>>;

  return {
    /** Learns the head of the node that is read. */
    note({ number }: BlockId): void {
      own = number;
      if (ahead !== undefined && ahead.number <= own) ahead = undefined;
    },
    /** Whether another node is read from now on. */
    leave(): boolean {
      if (ahead === undefined || clock.now() - ahead.seenAt < MAX_BEHIND_MS) return false;
      node.moveTo(ahead.upstream);
      ahead = undefined;
      return true;
    },
    /** Asks the others for their heads, where that is due. */
    async look(options: ReadDeadline): Promise<void> {
      if (ahead !== undefined || clock.now() < askAt) return;
      askAt = clock.now() + ASK_INTERVAL_MS;
      const best = await askOthers(options);
      if (best !== undefined && best.number > own) ahead = best;
    },
    blocksBehind: () => (ahead === undefined ? 0 : ahead.number - own),
  };
}
