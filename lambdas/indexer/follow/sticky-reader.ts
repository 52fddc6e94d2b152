import type { Clock } from '../../shared/runtime/clock.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import type { StickyUpstream } from '../fetch/sticky-upstream.ts';
import { type BlockForm, createNodeReader, type NodeReader } from './node-reader.ts';
import { ofReadableBlocks } from './readable-blocks.ts';
import { withBestHead } from './with-best-head.ts';
import { withVanishedBlocks } from './with-vanished-blocks.ts';

interface StickyReaderParts {
  readonly connection: StickyUpstream;
  readonly form: BlockForm;
  readonly clock: Clock;
  /** Waits, or less if the signal says so; never rejects. */
  readonly wait: Sleep;
}

/**
 * Reads a chain through one upstream of several: one which gives its blocks, and whose head is not behind those of the
 * others. It has to forget whenever another upstream is read.
 */
export function createStickyReader({ connection, form, clock, wait }: StickyReaderParts): NodeReader {
  const nodeName = () => connection.current().name;
  const reader = createNodeReader(connection, clock, { ...form, nodeName }, wait);
  const nodes = connection.others().length + 1;
  const readable = ofReadableBlocks(reader, nodes, () => connection.moveOn());
  const best = withBestHead({ reader: readable, node: connection, clock });
  return { ...withVanishedBlocks({ reader: best, node: connection, clock }), forget: reader.forget };
}
