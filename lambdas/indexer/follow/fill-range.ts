import type { RawBlock } from '../../chain-data/decode/raw-block.ts';
import type { BlockRange } from '../../chain-data/store/block-range.ts';
import { type Cursor, isOvertaken } from '../../chain-data/store/cursor.ts';
import type { ReadDeadline } from './chain-reader.ts';
import type { FollowParts } from './follow-step.ts';

/** Times that a range is looked at again after another indexer has stored a part of it. */
const MAX_ROUNDS = 20;

export interface FillParts extends Omit<FollowParts, 'onStored'> {
  /** Asked before each transaction. */
  readonly outOfTime: () => boolean;
}

/** What became of a range: how many blocks were stored, and whether all of it is there now. */
export interface FillReport {
  readonly blocks: number;
  readonly complete: boolean;
}

/** A range that reaches above the cursor, where the index follows the head by itself. */
export class UnindexedRangeError extends Error {
  override readonly name = 'UnindexedRangeError';
}

/**
 * Stores what is missing of a range below the cursor, in one transaction for each page of blocks. Others may work on the
 * same range: every block is stored once.
 * @throws {UnindexedRangeError}, StrangeBlocksError, and whatever the node or the database fails with
 */
export async function fillRange(
  parts: FillParts,
  range: BlockRange,
  options: ReadDeadline,
): Promise<FillReport> {
  requireIndexedTo(await parts.index.cursor(), range);
  let blocks = 0;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const missing = await parts.index.missing(range);
    if (missing.length === 0) return { blocks, complete: true };
    try {
      for (const gap of missing) {
        for await (const page of parts.reader.pages(gap.from, gap.to, options)) {
          if (parts.outOfTime()) return { blocks, complete: false };
          const isNamed = await isPageNamed(parts, page);
          await parts.index.fill(page, page.map(parts.decode), isNamed);
          blocks += page.length;
        }
      }
    } catch (error) {
      // What the node could not answer before the deadline is left for later, like all that is behind it.
      if (blocks > 0 && parts.outOfTime()) return { blocks, complete: false };
      if (!isOvertaken(error)) throw error;
    }
  }
  return { blocks, complete: false };
}

/** Whether another node has the hash of the last block of a page. @throws {BlockError} where one has another, and no third the same */
export async function isPageNamed(
  { witnesses }: Pick<FillParts, 'witnesses'>,
  page: readonly RawBlock[],
): Promise<boolean> {
  const last = page.at(-1);
  return last !== undefined && (await witnesses?.names(last)) === true;
}

/** @throws {UnindexedRangeError} if a range is not below the head of the index, or nothing may be stored */
export function requireIndexedTo(cursor: Cursor | undefined, { to }: BlockRange): void {
  if (cursor === undefined || to > cursor.number)
    throw new UnindexedRangeError(`the index has not come to block ${to}`);
  if (cursor.halted !== null) throw new UnindexedRangeError('the index is halted');
}
