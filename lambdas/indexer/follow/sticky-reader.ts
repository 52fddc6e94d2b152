import type { BlockId } from '../../chain-data/decode/raw-block.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import { BlockError } from '../blocks/block-error.ts';
import { NodeError } from '../fetch/node-error.ts';
import type { HeadOptions } from '../fetch/read-blocks.ts';
import type { VerifyBlock } from '../fetch/read-page.ts';
import { blockCall } from '../fetch/send-batch.ts';
import type { SteadyUpstream, StickyUpstream } from '../fetch/sticky-upstream.ts';
import type { ChainReader, ReadDeadline } from './chain-reader.ts';
import { type BlockForm, createNodeReader } from './node-reader.ts';
import { askEach, blockNumberOf, createVanishedWatch, OTHERS_ANSWER_MS } from './vanished-blocks.ts';

/**
 * Reads in a row at the end of which the same block could not be read, or no head, before another node is to be asked for it. A block
 * at whose traces so many ended is asked for once more, of that node, and is stored without where that fails too.
 */
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
  readonly form: Pick<BlockForm, 'traces' | 'isRelaxed'>;
  /** Makes what verifies the blocks of an upstream. @default they are taken as they are */
  readonly verifier?: ((upstream: string) => VerifyBlock) | undefined;
  readonly clock: Clock;
  /** Waits, or less if the signal says so; never rejects. */
  readonly wait: Sleep;
}

/**
 * Reads a chain through one upstream of several: one which gives its blocks, and whose head is not behind those of the
 * others. It is left when it does not give a block, as it closes the connection, has no receipts of it, or contradicts itself:
 * no count of failed requests shows that, for it answers for its head and for all blocks before. Nor does it show that a node
 * refuses to tell its head, as one whose plan has not the chain does. The next node is asked at once, within the same read.
 * Each upstream has a reader of its own, so that a page is of one node, and what was learnt of that is known when it is read again.
 */
export function createStickyReader(parts: StickyReaderParts): ChainReader {
  const { connection: node, clock } = parts;
  const readerOf = readersOf(parts);
  const current = () => readerOf(node.current());
  const best = createBestHead(node, clock);
  const vanished = createVanishedWatch(node, clock);
  const blocks = createBlockFailures(node);
  const readHead = createHeadReader(node, readerOf, (head) => {
    best.note(head);
    vanished.note(head);
  });

  return {
    async head(options) {
      const head = await readHead(options);
      if (best.leave()) return readHead(options);
      await best.look(options);
      return head;
    },
    header: (number, options) => current().header(number, options),
    async *pages(from, to, options) {
      let next = from;
      for (let asked = 1; ; asked += 1) {
        const upstream = node.current();
        const asking = { ...options, gapOf: options.gapOf ?? blocks.gapOf() };
        try {
          for await (const page of readerOf(upstream).pages(next, to, asking)) {
            blocks.reset();
            asked = 1;
            next = (page.at(-1)?.number ?? next) + 1;
            yield page;
          }
          return;
        } catch (error) {
          // That the time is up says nothing of the block, and leaves none for another upstream.
          if (!(error instanceof BlockError) || clock.now() >= options.deadline) throw error;
          blocks.add(error, upstream);
          // Until the block is a gap: the next read may be of a process that has counted nothing.
          if (error.kind === 'untraced' && options.signal?.aborted !== true) asked -= 1;
          else if (node.current() === upstream || asked > node.others().length) throw error;
        }
      }
    },
    canTrace: () => current().canTrace?.(),
    isGone: vanished.isGone,
    blocksBehind: best.blocksBehind,
  };
}

/** A reader of each upstream, made when it is first read. */
function readersOf({ connection, form, verifier, clock, wait }: StickyReaderParts) {
  const readers = new Map<string, ChainReader>();
  return (upstream: SteadyUpstream): ChainReader => {
    const { name } = upstream;
    const ofNode = { ...form, name, verify: verifier?.(name) };
    const reader = readers.get(name) ?? createNodeReader(connection.through(upstream), clock, ofNode, wait);
    readers.set(name, reader);
    return reader;
  };
}

/**
 * Reads heads of the upstream in use, which is left when it tells none.
 * @param note learns a head of it
 */
function createHeadReader(
  node: StickyUpstream,
  readerOf: (upstream: SteadyUpstream) => ChainReader,
  note: (head: BlockId) => void,
) {
  const heads = createFailureCount(node);
  return async (options: HeadOptions) => {
    const upstream = node.current();
    try {
      const head = await readerOf(upstream).head(options);
      heads.reset();
      // Another one may be read by now: this head is not its word.
      if (node.current() === upstream) note(head);
      return head;
    } catch (error) {
      if (error instanceof NodeError) heads.add('head');
      throw error;
    }
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

/** Counts blocks that could not be read, for which an upstream may be left. */
function createBlockFailures(node: StickyUpstream) {
  const { reset, add } = createFailureCount(node);
  /** The block at whose traces reads ended, of whichever node. */
  let untraced = { number: -1, times: 0 };
  return {
    reset,
    add({ kind, blockNumber: number }: BlockError, upstream: SteadyUpstream): void {
      if (kind === 'untraced')
        untraced = { number, times: number === untraced.number ? untraced.times + 1 : 1 };
      if (node.current() !== upstream) return;
      if (kind === 'wrong_answer') node.moveOn();
      else add(number);
    },
    /** The block that is not worth stopping at for its traces. */
    gapOf: () => (untraced.times >= FAILURES_TO_LEAVE ? untraced.number : undefined),
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
