import type { RawBlock } from '../../chain-data/decode/raw-block.ts';
import { toRanges } from '../../chain-data/store/block-range.ts';
import { isOvertaken } from '../../chain-data/store/cursor.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { ReadDeadline } from './chain-reader.ts';
import type { FillParts, FillReport } from './fill-range.ts';
import { createIdleWork } from './idle-work.ts';

/** A little at a time: pauses in milliseconds, whether something is left or not. */
const TIMES = { workMs: 2_000, pauseMs: () => 10_000, completePauseMs: 10_000 };

/**
 * Completes the datasets that need the whole history, where that was stored later than the blocks above it:
 * some blocks in one transaction. Others may do the same.
 * @returns of how many blocks it completed them, and whether nothing is left to do
 * @throws {StrangeBlocksError}, and whatever the node or the database fails with
 */
export async function completeHistory(parts: FillParts, options: ReadDeadline): Promise<FillReport> {
  const { reader, index, decode } = parts;
  let blocks = 0;
  for (let step = await index.historyStep(); step !== undefined; step = await index.historyStep()) {
    if (parts.outOfTime()) return { blocks, complete: false };
    try {
      const read: RawBlock[] = [];
      for (const { from, to } of toRanges(step.read))
        for await (const page of reader.pages(from, to, options)) read.push(...page);
      await index.completeHistory(step, read, read.map(decode));
      blocks += step.to - step.from + 1;
    } catch (error) {
      if (blocks > 0 && parts.outOfTime()) return { blocks, complete: false };
      if (!isOvertaken(error)) throw error;
    }
  }
  return { blocks, complete: true };
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
  return createIdleWork(clock, TIMES, (until, options) =>
    completeHistory({ ...parts, outOfTime: () => clock.now() >= until }, options),
  );
}
