import type { BlockId, RawBlock } from '../../chain-data/decode/raw-block.ts';
import type { BlockRange } from '../../chain-data/store/block-range.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import { withRetry } from '../../shared/runtime/with-retry.ts';
import { ALL_STRICT, BlockError, type BlockErrorKind, type IsRelaxed } from '../blocks/block-error.ts';
import { readHash, readInteger, readObject } from '../blocks/json-shape.ts';
import { readTimestamp } from '../blocks/parse-block.ts';
import { BatchSize } from './call-in-batches.ts';
import { NodeError, type NodeErrorKind } from './node-error.ts';
import { type PageSource, readPage, type VerifyBlock } from './read-page.ts';
import { createTraceReader } from './read-traces.ts';
import { createRetryingClient } from './retrying-client.ts';
import { type BatchOptions, blockCall, type NodePost, type PageOptions, resultOf } from './send-batch.ts';

const START_PAGE_BLOCKS = 16;
const MAX_PAGE_BLOCKS = 64;
/** Most pages that are read at a time; memory holds no more of them. */
const MAX_PARALLEL_PAGES = 4;
const START_BATCH_RECEIPTS = 50;
const MAX_BATCH_RECEIPTS = 200;
/** Waits until a block is asked for again which the node does not have, or not as a whole, in milliseconds. */
const RETRY_WAITS_MS = [300, 600, 900];

/** Failures that a node which is still at work on its head gets over by itself. */
const PASSING: ReadonlySet<BlockErrorKind> = new Set(['missing', 'inconsistent']);

/** A block with its transactions may be so much where its header is not. */
const TOO_MUCH_WHOLE: ReadonlySet<NodeErrorKind> = new Set(['too_large', 'timeout']);

export interface HeadOptions extends BatchOptions {
  /** Whether the newest block is likely to be read next: its node then sends it whole, and is not asked for it again. */
  readonly isReadNext?: boolean;
}

export interface BlockReaderOptions {
  /** Its limit for a response bounds what a page can be. */
  readonly node: NodePost;
  readonly clock: Clock;
  /** Waits, or less if the signal says so; never rejects. */
  readonly wait: Sleep;
  /** Whether traces are read too. */
  readonly traces: boolean;
  /** What blocks of the chain need not be. @default every check is strict */
  readonly isRelaxed?: IsRelaxed | undefined;
  /** Name of the node. @default blocks do not say whose they are */
  readonly name?: string | undefined;
  /** Verifies its blocks. @default they are taken as they are */
  readonly verify?: VerifyBlock | undefined;
}

export type BlockReader = ReturnType<typeof createBlockReader>;

/** Makes what reads the blocks of one node, and learns what that can do: use one for many ranges. */
export function createBlockReader(options: BlockReaderOptions) {
  const { node, clock, wait, traces, isRelaxed = ALL_STRICT, name, verify } = options;
  const pages = new BatchSize(MAX_PARALLEL_PAGES, MAX_PARALLEL_PAGES);
  const patient = createRetryingClient(node, clock, wait, () => pages.shrink(pages.current));
  const source: PageSource = {
    ...{ node: patient, isRelaxed, name, verify, pages, clock },
    size: new BatchSize(START_PAGE_BLOCKS, MAX_PAGE_BLOCKS),
    receipts: new BatchSize(START_BATCH_RECEIPTS, MAX_BATCH_RECEIPTS),
    traces: traces ? createTraceReader(patient, clock) : undefined,
    blockReceiptsAt: -Infinity,
    newest: undefined,
  };

  const readWithRetries = (from: number, to: number, options: PageOptions): Promise<RawBlock[]> => {
    const { signal, deadline } = options;
    const isInTime = () => signal?.aborted !== true && clock.now() < deadline;
    return withRetry(() => readPage(source, from, to, options), {
      pausesMs: RETRY_WAITS_MS,
      isRetryable: (error) => error instanceof BlockError && PASSING.has(error.kind) && isInTime(),
      pause: (waitMs) => wait(waitMs, signal),
    });
  };

  return {
    /** The node's newest block. @throws {NodeError}, or ShapeError where the node sends something else */
    head: (options: HeadOptions) => readHead(source, options),
    /** One block; undefined if the node has none of that number. Fails as `head` does. */
    header: (number: number, options: BatchOptions) => readHeader(source, number, options),
    /**
     * Blocks `from` to `to`, in order and none left out, each whole and the child of the one before. The caller looks at the
     * parent of the first.
     * @throws {BlockError} at the first block that cannot be read; blocks before it were yielded
     */
    read: (from: number, to: number, options: PageOptions) =>
      readRange(source, readWithRetries, { from, to }, options),
    /** Whether the node traces; undefined as long as that is not known. */
    canTrace: () => source.traces?.canTrace(),
  };
}

async function readHead(
  source: PageSource,
  { isReadNext = false, ...options }: HeadOptions,
): Promise<BlockId> {
  source.newest = undefined;
  const head = await readHeader(source, 'latest', options, isReadNext).catch((error: unknown) => {
    if (!isReadNext || !(error instanceof NodeError) || !TOO_MUCH_WHOLE.has(error.kind)) throw error;
    return readHeader(source, 'latest', options);
  });
  if (head === undefined) throw new Error('the node has no newest block');
  return head;
}

async function readHeader(
  source: PageSource,
  asked: number | 'latest',
  options: BatchOptions,
  isWhole = false,
): Promise<BlockId | undefined> {
  const [answer] = (await source.node.send([blockCall(asked, isWhole)], options)).responses;
  const result = resultOf(answer);
  if (result === null) return undefined;
  const block = toBlockId(result, source.isRelaxed);
  if (isWhole) source.newest = { number: block.number, answer: { result } };
  return block;
}

function toBlockId(value: unknown, isRelaxed: IsRelaxed): BlockId {
  const block = readObject(value, 'block');
  const number = readInteger(block.number, 'block.number');
  return {
    number,
    hash: readHash(block.hash, 'block.hash'),
    parentHash: readHash(block.parentHash, 'block.parentHash'),
    timestamp: readTimestamp(block.timestamp, isRelaxed('millisecondTimes', number)),
  };
}

/** Keeps a few pages on their way and yields their blocks in order. */
async function* readRange(
  source: PageSource,
  read: (from: number, to: number, options: PageOptions) => Promise<RawBlock[]>,
  { from, to }: BlockRange,
  options: PageOptions,
): AsyncGenerator<RawBlock, void> {
  const abort = new AbortController();
  const signal =
    options.signal === undefined ? abort.signal : AbortSignal.any([options.signal, abort.signal]);
  const start = (first: number, last: number) => {
    const blocks = read(first, last, { ...options, signal });
    // A page after one that failed is never waited for.
    blocks.catch(() => undefined);
    return { from: first, to: last, blocks };
  };
  const pages: ReturnType<typeof start>[] = [];
  let next = from;
  let parent: RawBlock | undefined;
  try {
    for (;;) {
      while (pages.length < source.pages.current && next <= to) {
        const last = Math.min(to, next + source.size.current - 1);
        pages.push(start(next, last));
        next = last + 1;
      }
      const page = pages.shift();
      if (page === undefined) return;
      const blocks = await page.blocks;
      source.pages.grow();
      const rest = page.from + blocks.length;
      if (rest <= page.to) pages.unshift(start(rest, page.to));
      for (const block of blocks) {
        if (parent !== undefined && block.parentHash !== parent.hash)
          throw new BlockError('wrong_parent', block.number, 'it follows another block');
        parent = block;
        yield block;
      }
    }
  } finally {
    abort.abort();
  }
}
