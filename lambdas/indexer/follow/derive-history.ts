import type { BlockRange } from '../../chain-data/store/block-range.ts';
import { isOvertaken } from '../../chain-data/store/cursor.ts';
import type { TransferDerivation } from '../../chain-data/store/transfer-derivation.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { inParallel } from '../../shared/runtime/in-parallel.ts';
import { log } from '../../shared/runtime/log.ts';
import type { FillReport } from './fill-range.ts';
import { createIdleWork } from './idle-work.ts';

/** Transactions at once: more wait for each other. */
const MAX_AT_ONCE = 4;
/** Two seconds at a time: pauses in milliseconds, and until it is looked again where there was nothing to derive. */
const TIMES = { workMs: 2_000, pauseMs: () => 5_000, completePauseMs: 600_000 };

/**
 * Derives the transfers of all stored blocks that do not have those of the rule in force: page by page, each in a
 * transaction of its own, some at once. Others may do the same, and store or take back blocks.
 * @returns how many blocks got their transfers, and whether all have them now
 * @throws whatever the database fails with
 */
export async function deriveHistory(
  transfers: TransferDerivation,
  outOfTime: () => boolean,
): Promise<FillReport> {
  let blocks = 0;
  for (let pages = await transfers.pages(); pages.length > 0; pages = await transfers.pages()) {
    const derive = async (page: BlockRange) => {
      try {
        await transfers.derive(page);
        blocks += page.to - page.from + 1;
      } catch (error) {
        // Its blocks were taken back meanwhile.
        if (!isOvertaken(error)) throw error;
      }
    };
    await inParallel(pages, MAX_AT_ONCE, derive, outOfTime);
    if (outOfTime()) return { blocks, complete: false };
  }
  return { blocks, complete: true };
}

/**
 * Brings the transfers in line with the rule, a few seconds at a time, for as long as some are not.
 * @returns what does so: resolves to of how many blocks, and rejects with what the database fails with
 */
export function createHistoryDeriver(chain: string, transfers: TransferDerivation, clock: Clock) {
  return createIdleWork(clock, TIMES, async (until) => {
    await transfers.enforce();
    const report = await deriveHistory(transfers, () => clock.now() >= until);
    if (report.blocks > 0) log('info', 'transfers_derived', { chain, count: report.blocks });
    return report;
  });
}
