import type { RawBlock } from '../../chain-data/decode/raw-block.ts';
import { toRanges } from '../../chain-data/store/block-range.ts';
import { isOvertaken } from '../../chain-data/store/cursor.ts';
import type { HistoryStep } from '../../chain-data/store/history.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { ReadDeadline } from './chain-reader.ts';
import type { FillParts, FillReport } from './fill-range.ts';
import { createIdleWork } from './idle-work.ts';

/** Pause before it is looked again whether something is to be done, in milliseconds. */
const PAUSE_MS = 10_000;

/**
 * Completes the datasets that need the whole history, where that was stored later than the blocks above it:
 * some blocks in one transaction. Others may do the same.
 * @returns of how many blocks it completed them, and whether nothing is left to do
 * @throws {StrangeBlocksError}, and whatever the node or the database fails with
 */
export async function completeHistory(parts: FillParts, options: ReadDeadline): Promise<FillReport> {
  const { index, decode } = parts;
  let blocks = 0;
  for (let step = await index.historyStep(); step !== undefined; step = await index.historyStep()) {
    if (parts.outOfTime()) return { blocks, complete: false };
    try {
      const read = await readBlocks(parts, step, options);
      await index.completeHistory(step, read, read.map(decode));
      blocks += step.to - step.from + 1;
    } catch (error) {
      if (blocks > 0 && parts.outOfTime()) return { blocks, complete: false };
      if (!isOvertaken(error)) throw error;
    }
  }
  return { blocks, complete: true };
}

async function readBlocks(
  { reader }: FillParts,
  { read }: HistoryStep,
  options: ReadDeadline,
): Promise<RawBlock[]> {
  const blocks: RawBlock[] = [];
  for (const { from, to } of toRanges(read))
    for await (const page of reader.pages(from, to, options)) blocks.push(...page);
  return blocks;
}

/**
 * Completes the history where a pool turned out to be another one, which can be at any time and is not for a backfill to
 * wait for: a few steps at a time.
 * @returns what does so: resolves to of how many blocks, and rejects with what the node or the database fails with
 */
export function createHistoryCompleter({
  clock,
  ...parts
}: Omit<FillParts, 'outOfTime'> & { readonly clock: Clock }) {
  return createIdleWork({
    work: (options, outOfTime) => completeHistory({ ...parts, outOfTime }, options),
    clock,
    pauseMs: PAUSE_MS,
  });
}
