import type { ChainDatabase } from '../../chain-data/chain-database.ts';
import { schemaIdentifier } from '../../chain-data/names.ts';
import type { BlockRows } from '../decode/rows.ts';
import type { BlockId } from './block-id.ts';
import { type BlockRange, toRanges } from './block-range.ts';
import { coverBlocks, missingRanges } from './coverage.ts';
import { type Cursor, createCursor, haltCursor, moveCursor, noteNodeHead, readCursor } from './cursor.ts';
import { loadBlocks, rangeOf } from './load-blocks.ts';
import { requireNeighbours } from './neighbours.ts';
import { Partitions } from './partitions.ts';
import { rewind } from './rewind.ts';
import { extendRing, type Ring, readRing } from './ring.ts';
import { closeGaps, gapRanges, recordGaps } from './trace-gaps.ts';

/** Blocks that follow each other and the cursor, in the order of the chain, each with its rows. */
export interface NewBlocks {
  readonly ids: readonly BlockId[];
  readonly rows: readonly BlockRows[];
  /** The newest block of the node. */
  readonly head: BlockId;
}

/**
 * The stored index of one chain. Each change is one transaction: what is stored is always one chain without holes from
 * the first block to the cursor, whoever stops when, and however many indexers there are.
 */
export interface ChainIndex {
  /** Undefined before the first start. */
  cursor(): Promise<Cursor | undefined>;
  /** Begins the index above a block, unless another indexer has. */
  begin(base: BlockId): Promise<void>;
  /** @throws {OvertakenError} if the cursor is not where it was seen; then nothing was stored */
  append(seen: Cursor, blocks: NewBlocks): Promise<void>;
  /**
   * Stores blocks below the cursor.
   * @throws {OvertakenError} if some are stored already
   * @throws {StrangeBlocksError} if they do not fit to their stored neighbours
   */
  fill(ids: readonly BlockId[], rows: readonly BlockRows[]): Promise<void>;
  /** The parts of a range that are not stored. */
  missing(range: BlockRange): Promise<BlockRange[]>;
  ring(): Promise<Ring>;
  /**
   * Deletes everything above a block of the ring.
   * @throws {OvertakenError} if the cursor is not where it was seen
   */
  rollBack(seen: Cursor, ancestor: BlockId): Promise<void>;
  /** Stops all indexing of the chain until somebody has looked. */
  halt(seen: Cursor, reason: string): Promise<void>;
}

/** Opens the index of a chain, whose schema must be there. */
export function openChainIndex(database: ChainDatabase, chain: string): ChainIndex {
  const schema = schemaIdentifier(chain);
  const partitions = new Partitions(database, schema);
  return {
    cursor: () => readCursor(database, schema),
    begin: (base) =>
      database.transaction(async (queries) => {
        const isFirst = await createCursor(queries, schema, base);
        if (!isFirst || base.number < 0) return;
        await extendRing(queries, schema, [base]);
        await recordGaps(queries, schema, [
          { from: 0, to: base.number, reason: 'not_started', lastError: '' },
        ]);
      }),
    append: async (seen, { ids, rows, head }) => {
      const last = ids.at(-1);
      if (last === undefined) throw new Error('no blocks to append');
      await partitions.ensure(rangeOf(rows));
      await database.transaction(async (queries) => {
        await moveCursor(queries, schema, seen, { ...last, epoch: seen.epoch });
        await noteNodeHead(queries, schema, head);
        await extendRing(queries, schema, ids);
        await loadBlocks(queries, schema, rows);
        await recordGaps(queries, schema, gapRanges(rows.flatMap(({ trace_gap }) => trace_gap ?? [])));
        await coverBlocks(queries, schema, rangeOf(rows), tracedRanges(rows));
      });
    },
    fill: async (ids, rows) => {
      await partitions.ensure(rangeOf(rows));
      await database.transaction(async (queries) => {
        await requireNeighbours(queries, schema, ids);
        await loadBlocks(queries, schema, rows);
        await closeGaps(queries, schema, rangeOf(rows));
        await recordGaps(queries, schema, gapRanges(rows.flatMap(({ trace_gap }) => trace_gap ?? [])));
        await coverBlocks(queries, schema, rangeOf(rows), tracedRanges(rows));
      });
    },
    missing: (range) => missingRanges(database, schema, range),
    ring: () => readRing(database, schema),
    rollBack: (seen, ancestor) =>
      database.transaction(async (queries) => {
        await moveCursor(queries, schema, seen, { ...ancestor, epoch: seen.epoch + 1 });
        await rewind(queries, schema, ancestor.number, seen.number);
      }),
    halt: (seen, reason) => haltCursor(database, schema, seen, reason),
  };
}

function tracedRanges(rows: readonly BlockRows[]): BlockRange[] {
  return toRanges(rows.filter(({ trace_gap }) => trace_gap === null).map(({ block }) => block.number));
}
