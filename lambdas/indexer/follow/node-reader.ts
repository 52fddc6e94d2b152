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
import { blockPages } from './block-pages.ts';
import type { ChainReader, ReadDeadline } from './chain-reader.ts';

/** Reads a chain through a node, and learns what it can do. */
export interface NodeReader extends ChainReader {
  /** Forgets what was learnt of the node: it is another one from now on. */
  forget(): void;
}

/** What is read of blocks, and how strictly. */
export type BlockForm = Pick<BlockReaderOptions, 'traces' | 'isRelaxed' | 'verifier'>;

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
    const [answer] = (await patient.send([call], options)).responses;
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
    pages: (from, to, options) => blockPages(blocks.read(from, to, options)),
    canTrace: () => blocks.canTrace(),
    forget: () => blocks.forget(),
  };
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
