import { MAX_CONSECUTIVE_ITEMS } from '../../chain-data/decode/decode-transfers.ts';
import type { Hex, RawBlock, RawCall, RawLog, RawTransaction } from '../../chain-data/decode/raw-block.ts';
import { TOPICS } from '../../chain-data/decode/topics.ts';
import type { BlockId } from '../../chain-data/store/block-id.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { type Sleep, sleep } from '../../shared/runtime/sleep.ts';
import { readHash, readInteger, readObject } from '../blocks/json-shape.ts';
import { readTimestamp } from '../blocks/parse-block.ts';
import { ALL_STRICT } from '../blocks/relaxed-checks.ts';
import { quantityOf } from '../fetch/quantity.ts';
import { type BlockReaderOptions, createBlockReader } from '../fetch/read-blocks.ts';
import { createRetryingClient } from '../fetch/retrying-client.ts';
import type { NodePost } from '../fetch/send-batch.ts';
import type { ChainReader, ReadDeadline } from './chain-reader.ts';

/** A page ends with the block that makes it this long or this heavy: one heavy block is a page by itself. */
const MAX_PAGE_BLOCKS = 500;
const MAX_PAGE_WEIGHT = 20_000;
/** Hex digits of data that weigh as much as a row. */
const ROW_DATA_LENGTH = 1_024;

/** Reads a chain through a node, and learns what it can do. */
export interface NodeReader extends ChainReader {
  /** Forgets what was learnt of the node: it is another one from now on. */
  forget(): void;
}

/** What is read of blocks, and how strictly. */
export type BlockForm = Pick<BlockReaderOptions, 'traces' | 'isRelaxed'>;

/**
 * Reads a chain through a node.
 * @param pause waits, or less if the signal says so; never rejects
 */
export function createNodeReader(
  node: NodePost,
  clock: Clock,
  form: BlockForm,
  pause: Sleep = sleep,
): NodeReader {
  const patient = createRetryingClient({ node, clock, wait: pause });
  const blocks = createBlockReader({ node, clock, wait: pause, ...form });

  const readHeader = async (tag: string, options: ReadDeadline): Promise<BlockId | undefined> => {
    const call = { method: 'eth_getBlockByNumber', params: [tag, false] };
    const [answer] = (await patient.send([call], options)).answers;
    if (answer === undefined || 'error' in answer) throw answer?.error ?? new Error('no answer');
    return answer.result === null ? undefined : toBlockId(answer.result, form.isRelaxed);
  };

  return {
    async head(options) {
      const head = await readHeader('latest', options);
      if (head === undefined) throw new Error('the node has no newest block');
      return head;
    },
    header: (number, options) => readHeader(quantityOf(number), options),
    pages: (from, to, options) => inPages(blocks.read(from, to, options)),
    canTrace: () => blocks.canTrace(),
    forget: () => blocks.forget(),
  };
}

/** Gathers blocks to pages. Those that were read before one that cannot be are a page too. */
async function* inPages(blocks: AsyncIterable<RawBlock>): AsyncGenerator<readonly RawBlock[], void> {
  let page: RawBlock[] = [];
  let weight = 0;
  const failure: unknown[] = [];
  try {
    for await (const block of blocks) {
      page.push(block);
      weight += weightOf(block);
      if (page.length < MAX_PAGE_BLOCKS && weight < MAX_PAGE_WEIGHT) continue;
      yield page;
      page = [];
      weight = 0;
    }
  } catch (error) {
    failure.push(error);
  }
  if (page.length > 0) yield page;
  if (failure.length > 0) throw failure[0];
}

/** About as many rows as a block makes, where long data counts as several. */
function weightOf({ transactions, traces }: RawBlock): number {
  const calls = traces.kind === 'traced' ? traces.calls : [];
  return 1 + sum(transactions, weightOfTransaction) + sum(calls, weightOfCall);
}

function weightOfTransaction({ input, receipt }: RawTransaction): number {
  return weightOfData(input) + sum(receipt.logs, weightOfLog);
}

function weightOfLog({ topics, data }: RawLog): number {
  return topics[0] === TOPICS.consecutiveTransfer ? MAX_CONSECUTIVE_ITEMS : weightOfData(data);
}

function weightOfCall({ input, output, calls }: RawCall): number {
  return weightOfData(input) + weightOfData(output) - 1 + sum(calls, weightOfCall);
}

function weightOfData(data: Hex): number {
  return 1 + Math.floor(data.length / ROW_DATA_LENGTH);
}

function sum<T>(items: readonly T[], weight: (item: T) => number): number {
  return items.reduce((total, item) => total + weight(item), 0);
}

function toBlockId(value: unknown, isRelaxed = ALL_STRICT): BlockId {
  const block = readObject(value, 'block');
  const number = readInteger(block.number, 'block.number');
  return {
    number,
    hash: readHash(block.hash, 'block.hash'),
    parentHash: readHash(block.parentHash, 'block.parentHash'),
    timestamp: readTimestamp(block.timestamp, isRelaxed('millisecondTimes', number)),
  };
}
