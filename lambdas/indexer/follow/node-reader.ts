import type { Clock } from '../../shared/runtime/clock.ts';
import { type Sleep, sleep } from '../../shared/runtime/sleep.ts';
import { type BlockReaderOptions, createBlockReader } from '../fetch/read-blocks.ts';
import type { NodePost } from '../fetch/send-batch.ts';
import { blockPages } from './block-pages.ts';
import type { ChainReader } from './chain-reader.ts';

/** What is read of blocks, and how strictly. */
export type BlockForm = Pick<BlockReaderOptions, 'traces' | 'isRelaxed' | 'verify' | 'name'>;

/**
 * Reads a chain through one node.
 * @param pause waits, or less if the signal says so; never rejects
 */
export function createNodeReader(
  node: NodePost,
  clock: Clock,
  form: BlockForm,
  pause: Sleep = sleep,
): ChainReader {
  const blocks = createBlockReader({ node, clock, wait: pause, ...form });
  return { ...blocks, pages: (from, to, options) => blockPages(blocks.read(from, to, options)) };
}
