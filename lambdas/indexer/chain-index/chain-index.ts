import type { DecodeOptions } from '../../chain-data/decode/decode-logs.ts';
import type { BlockRows } from '../../chain-data/decode/rows.ts';
import type { BlockId } from '../../chain-data/store/block-id.ts';
import { type BlockRange, toRanges } from '../../chain-data/store/block-range.ts';
import { coverBlocks, coverTraces, lockCoverage, missingRanges } from '../../chain-data/store/coverage.ts';
import {
  type Cursor,
  createCursor,
  haltCursor,
  moveCursor,
  noteNodeHead,
  readCursor,
} from '../../chain-data/store/cursor.ts';
import { findHistoryStep, type HistoryStep, storeHistory } from '../../chain-data/store/history.ts';
import { loadBlocks, loadTraces, rangeOf } from '../../chain-data/store/load-blocks.ts';
import { requireNeighbours, requireStored } from '../../chain-data/store/neighbours.ts';
import { Partitions } from '../../chain-data/store/partitions.ts';
import { extendRing, type Ring, readRing } from '../../chain-data/store/ring.ts';
import {
  closeGaps,
  findDueGap,
  gapRanges,
  recordGaps,
  type TraceGapRange,
} from '../../chain-data/store/trace-gaps.ts';
import { transferRule } from '../../chain-data/store/transfer-rule.ts';
import type { ChainDatabase, Queries } from '../../shared/chain-database/chain-database.ts';
import { chainSchema } from '../../shared/chain-database/chain-schema.ts';
import { rewind } from './rewind.ts';

const NOTHING_BELIEVED: DecodeOptions = { wrappedNative: new Set() };

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
  /**
   * The next blocks without traces that are due to be traced once more, at most a few; it counts as an attempt. Undefined
   * if none are due.
   * @param nodeTraces whether the node is known to trace, so that blocks count too that another did not trace at all
   */
  claimGap(nodeTraces: boolean): Promise<TraceGapRange | undefined>;
  /**
   * Stores the traces of blocks that are stored without.
   * @param attempts how often the node was asked for them, where it did not give them again
   * @throws {StrangeBlocksError} if one is not the block that is stored
   */
  retrace(ids: readonly BlockId[], rows: readonly BlockRows[], attempts: number): Promise<void>;
  /** The next blocks of which datasets lack what needs the whole history; undefined if there are none. */
  historyStep(): Promise<HistoryStep | undefined>;
  /**
   * Completes the datasets that need the whole history by these blocks.
   * @param ids the blocks to read again, with their rows
   * @throws {StrangeBlocksError} if one is not the block that is stored
   * @throws {OvertakenError} if the blocks were taken back
   */
  completeHistory(step: BlockRange, ids: readonly BlockId[], rows: readonly BlockRows[]): Promise<void>;
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

/**
 * Opens the index of a chain, whose schema must be there.
 * @param options what the rows to store were decoded with
 */
export function openChainIndex(
  database: ChainDatabase,
  chain: string,
  options: DecodeOptions = NOTHING_BELIEVED,
): ChainIndex {
  const schema = chainSchema(chain);
  const rule = transferRule(options);
  const partitions = new Partitions(database, schema);
  const load = async (range: BlockRange, work: (queries: Queries) => Promise<void>) => {
    await partitions.ensure(range);
    try {
      await database.transaction(work);
    } catch (error) {
      partitions.forget();
      throw error;
    }
  };
  return {
    cursor: () => readCursor(database, schema),
    begin: async (base) => {
      partitions.forget();
      await database.transaction(async (queries) => {
        const isFirst = await createCursor(queries, schema, base);
        if (!isFirst || base.number < 0) return;
        await extendRing(queries, schema, [base]);
        await recordGaps(queries, schema, [
          { from: 0, to: base.number, reason: 'not_started', lastError: '', attempts: 0 },
        ]);
      });
    },
    append: async (seen, { ids, rows, head }) => {
      const last = ids.at(-1);
      if (last === undefined) throw new Error('no blocks to append');
      await load(rangeOf(rows), async (queries) => {
        await moveCursor(queries, schema, seen, { ...last, epoch: seen.epoch });
        await noteNodeHead(queries, schema, head);
        await extendRing(queries, schema, ids);
        await loadBlocks(queries, schema, rows);
        await coverBlocks(queries, schema, rangeOf(rows), tracedRanges(rows), rule);
        await recordGaps(queries, schema, untracedRanges(rows));
      });
    },
    fill: (ids, rows) =>
      load(rangeOf(rows), async (queries) => {
        await loadBlocks(queries, schema, rows);
        await coverBlocks(queries, schema, rangeOf(rows), tracedRanges(rows), rule);
        // Neighbours that somebody else has stored meanwhile are seen only now.
        await requireNeighbours(queries, schema, ids);
        await closeGaps(queries, schema, rangeOf(rows));
        await recordGaps(queries, schema, untracedRanges(rows));
      }),
    claimGap: async (nodeTraces) => {
      if ((await findDueGap(database, schema, nodeTraces)) === undefined) return undefined;
      return database.transaction(async (queries) => {
        await lockCoverage(queries, schema);
        const due = await findDueGap(queries, schema, nodeTraces);
        if (due === undefined) return undefined;
        const claimed = { ...due, attempts: due.attempts + 1 };
        await closeGaps(queries, schema, due);
        await recordGaps(queries, schema, [claimed]);
        return claimed;
      });
    },
    retrace: (ids, rows, attempts) =>
      database.transaction(async (queries) => {
        await requireStored(queries, schema, ids);
        await loadTraces(queries, schema, rows);
        await lockCoverage(queries, schema);
        await coverTraces(queries, schema, tracedRanges(rows));
        await closeGaps(queries, schema, rangeOf(rows));
        await recordGaps(queries, schema, untracedRanges(rows, attempts));
      }),
    historyStep: () => findHistoryStep(database, schema),
    completeHistory: (step, ids, rows) =>
      database.transaction(async (queries) => {
        await requireStored(queries, schema, ids);
        await storeHistory(queries, schema, step, rows);
      }),
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

function untracedRanges(rows: readonly BlockRows[], attempts?: number): TraceGapRange[] {
  return gapRanges(
    rows.flatMap(({ trace_gap }) => trace_gap ?? []),
    attempts,
  );
}

function tracedRanges(rows: readonly BlockRows[]): BlockRange[] {
  return toRanges(rows.filter(({ trace_gap }) => trace_gap === null).map(({ block }) => block.number));
}
