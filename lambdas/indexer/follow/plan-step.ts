import type { BlockId } from '../../chain-data/decode/raw-block.ts';
import type { BlockRange } from '../../chain-data/store/block-range.ts';
import type { Cursor } from '../../chain-data/store/cursor.ts';
import { FINALITY_BLOCKS } from '../../shared/runtime/finality.ts';

/** Blocks of the past that a new index begins with; what is older comes by backfill. */
const FIRST_BLOCKS = 10_000;
/** Most blocks that are read before the node is asked for its head again. */
const MAX_STEP_BLOCKS = 5_000;

/** What a step is to do, as far as the heights tell. */
type StepPlan =
  /** The node is where the index is. */
  | { readonly kind: 'idle' }
  /** The node is not as far as the index: it lags, or its chain became shorter. */
  | { readonly kind: 'behind' }
  /** The block of the cursor was replaced. */
  | { readonly kind: 'reorganised' }
  | { readonly kind: 'read'; readonly range: BlockRange };

/** What to do with an index whose cursor is here and whose node is there. */
export function planStep(cursor: Cursor, head: BlockId): StepPlan {
  if (head.number < cursor.number) return { kind: 'behind' };
  if (head.number === cursor.number) return { kind: head.hash === cursor.hash ? 'idle' : 'reorganised' };
  const from = cursor.number + 1;
  return { kind: 'read', range: { from, to: Math.min(head.number, cursor.number + MAX_STEP_BLOCKS) } };
}

/** Number of the first block that a new index holds. */
export function firstBlock(head: number): number {
  return Math.max(0, head - FIRST_BLOCKS + 1);
}

/** The block that no reorganisation may replace, nor any below. */
export function finalizedBelow(cursor: number): number {
  return Math.max(0, cursor - FINALITY_BLOCKS);
}

/** Whether a block follows the cursor. Nothing is below the first block of a chain. */
export function follows(cursor: Cursor, block: Pick<BlockId, 'number' | 'parentHash'>): boolean {
  return block.number === cursor.number + 1 && (cursor.number < 0 || block.parentHash === cursor.hash);
}
