import { type DecodeOptions, transferRule } from '../../chain-data/decode/decode-logs.ts';
import type { BlockId } from '../../chain-data/decode/raw-block.ts';
import type { BlockRows } from '../../chain-data/decode/rows.ts';
import { type BlockRange, toRanges } from '../../chain-data/store/block-range.ts';
import { cover, coverBlocks, lockCoverage, missingRanges } from '../../chain-data/store/coverage.ts';
import {
  type Cursor,
  createCursor,
  haltCursor,
  moveCursor,
  noteNodeHead,
  readCursor,
} from '../../chain-data/store/cursor.ts';
import { findHistoryStep, storeHistory } from '../../chain-data/store/history.ts';
import { loadBlocks, loadTraces, rangeOf } from '../../chain-data/store/load-blocks.ts';
import { holdChain, requireNeighbours, requireStored } from '../../chain-data/store/neighbours.ts';
import { LEAD_BLOCKS } from '../../chain-data/store/partition-bounds.ts';
import { createPartitions } from '../../chain-data/store/partitions.ts';
import {
  addLevels,
  type BlockLevels,
  countLevels,
  type HashFindings,
  levelsOf,
  namedLevels,
  noteFindings,
  readContradicted,
} from '../../chain-data/store/proof-levels.ts';
import { extendRing, readRing } from '../../chain-data/store/ring.ts';
import {
  closeGaps,
  findDueGap,
  gapRanges,
  recordGaps,
  type TraceGapRange,
} from '../../chain-data/store/trace-gaps.ts';
import type { ChainConnection, ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { rewind } from './rewind.ts';

const NOTHING_BELIEVED: DecodeOptions = { wrappedNative: new Set() };

/** Blocks that follow each other and the cursor, in the order of the chain, each with its rows. */
interface NewBlocks {
  readonly ids: readonly BlockId[];
  readonly rows: readonly BlockRows[];
  /** The newest block of the node. */
  readonly head: BlockId;
  /** What other nodes said of hashes since the last were appended. @default nothing */
  readonly findings?: HashFindings | undefined;
}

/** The stored index of one chain. */
export type ChainIndex = ReturnType<typeof openChainIndex>;

/**
 * Opens the index of a chain, whose schema must be there. Each change is one transaction: what is stored is always one chain
 * without holes from the first block to the cursor, whichever indexer stops when, and however many there are.
 * @param options what the rows to store were decoded with
 */
export function openChainIndex(connection: ChainConnection, options: DecodeOptions = NOTHING_BELIEVED) {
  const partitions = createPartitions(connection);
  /** Stores rows of blocks in one transaction, once there are partitions for them. */
  const load: LoadRows = async (range, work, lead) => {
    await partitions.ensure(range, lead);
    await connection.transaction(work).catch((error: unknown) => {
      partitions.forget();
      throw error;
    });
  };
  const rule = transferRule(options);
  return {
    /** Begins the index above a block, unless another indexer has. */
    begin(base: BlockId) {
      partitions.forget();
      return connection.transaction((chain) => beginAbove(chain, base));
    },
    ...indexOfHead(connection, load, rule),
    ...indexOfPast(connection, load, rule),
  };
}

type LoadRows = (
  range: BlockRange,
  work: (chain: ChainQueries) => Promise<void>,
  lead?: number,
) => Promise<void>;

function indexOfHead(connection: ChainConnection, load: LoadRows, rule: string) {
  return {
    /** Undefined before the first start. */
    cursor: () => readCursor(connection),
    /** @throws {OvertakenError} if the cursor is not where it was seen; then nothing was stored */
    async append(seen: Cursor, { ids, rows, head, findings }: NewBlocks) {
      const last = ids.at(-1);
      const levels = rows.map(levelsOf);
      if (last === undefined) throw new Error('no blocks to append');
      const store = async (chain: ChainQueries) => {
        await moveCursor(chain, seen, { ...last, epoch: seen.epoch });
        await noteNodeHead(chain, head);
        await extendRing(chain, ids, levels);
        await loadCovered(chain, rows, levels, rule);
        if (findings !== undefined) await noteFindings(chain, findings);
        await recordGaps(chain, untracedRanges(rows));
      };
      await load(rangeOf(rows), store, LEAD_BLOCKS);
    },
    ring: () => readRing(connection),
    /**
     * Deletes everything above a block of the ring.
     * @throws {OvertakenError} if the cursor is not where it was seen
     */
    rollBack: (seen: Cursor, ancestor: BlockId) =>
      connection.transaction(async (chain) => {
        await moveCursor(chain, seen, { ...ancestor, epoch: seen.epoch + 1 });
        await rewind(chain, ancestor.number, seen.number);
      }),
    /** Notes how far the node is, unless that was noted when the cursor was seen. */
    async noteHead(seen: Cursor, head: BlockId) {
      if (seen.nodeHead !== head.hash) await noteNodeHead(connection, head);
    },
    /** Notes what other nodes said of hashes while nothing is appended. */
    noteFindings: (findings: HashFindings) =>
      connection.transaction(async (chain) => {
        // A reorganisation is waited for before the ring is read.
        await holdChain(chain);
        await noteFindings(chain, findings);
      }),
    /** The block of which an independent node had another hash when that was last noted, and nobody took it back. */
    contradicted: () => readContradicted(connection),
    /** Stops all indexing of the chain until an operator has looked. */
    halt: (seen: Cursor, reason: string) => haltCursor(connection, seen, reason),
  };
}

function indexOfPast(connection: ChainConnection, load: LoadRows, rule: string) {
  return {
    /**
     * Stores blocks below the cursor.
     * @param isNamed whether an independent node named the hash of the last
     * @throws {OvertakenError} if some are stored already
     * @throws {StrangeBlocksError} if they do not fit to their stored neighbours
     */
    fill: (ids: readonly BlockId[], rows: readonly BlockRows[], isNamed = false) =>
      load(rangeOf(rows), async (chain) => {
        await loadCovered(chain, rows, isNamed ? namedLevels(rows) : rows.map(levelsOf), rule);
        // Neighbours that another indexer has stored meanwhile are seen only now.
        await requireNeighbours(chain, ids);
        await closeGaps(chain, rangeOf(rows));
        await recordGaps(chain, untracedRanges(rows));
      }),
    /**
     * The next blocks without traces that are due to be traced once more, at most a few; it counts as an attempt. Undefined
     * if none are due.
     * @param nodeTraces whether the node is known to trace, so that blocks count too that another did not trace at all
     */
    async claimGap(nodeTraces: boolean) {
      if ((await findDueGap(connection, nodeTraces)) === undefined) return undefined;
      return connection.transaction((chain) => claimDueGap(chain, nodeTraces));
    },
    /**
     * Stores the traces of blocks that are stored without.
     * @param attempts how often the node was asked for them, where it did not give them again
     * @throws {StrangeBlocksError} if one is not the block that is stored
     */
    retrace: (ids: readonly BlockId[], rows: readonly BlockRows[], attempts: number) =>
      connection.transaction((chain) => storeTraces(chain, ids, rows, attempts)),
    /** The next blocks of which datasets lack what needs the whole history; undefined if there are none. */
    historyStep: () => findHistoryStep(connection),
    /**
     * Completes the datasets that need the whole history by these blocks.
     * @param ids the blocks to read again, with their rows
     * @throws {StrangeBlocksError} if one is not the block that is stored
     * @throws {OvertakenError} if the blocks were taken back
     */
    completeHistory: (step: BlockRange, ids: readonly BlockId[], rows: readonly BlockRows[]) =>
      connection.transaction(async (chain) => {
        await requireStored(chain, ids);
        await storeHistory(chain, step, rows);
      }),
    /** The parts of a range that are not stored. */
    missing: (range: BlockRange) => missingRanges(connection, range),
  };
}

/** The first indexer makes the cursor. Blocks up to the one that it begins above are gaps. */
async function beginAbove(chain: ChainQueries, base: BlockId): Promise<void> {
  const isFirst = await createCursor(chain, base);
  if (!isFirst || base.number < 0) return;
  await extendRing(chain, [base]);
  await recordGaps(chain, [{ from: 0, to: base.number, reason: 'not_started', lastError: '', attempts: 0 }]);
}

async function loadCovered(
  chain: ChainQueries,
  rows: readonly BlockRows[],
  levels: readonly BlockLevels[],
  rule: string,
) {
  await loadBlocks(chain, rows);
  await coverBlocks(chain, rangeOf(rows), wholeBlocks(rows), rule);
  await addLevels(chain, countLevels(levels));
}

/** Counts an attempt at the next due gap, which another indexer then does not claim. */
async function claimDueGap(chain: ChainQueries, nodeTraces: boolean): Promise<TraceGapRange | undefined> {
  await lockCoverage(chain);
  const due = await findDueGap(chain, nodeTraces);
  if (due === undefined) return undefined;
  const claimed = { ...due, attempts: due.attempts + 1 };
  await closeGaps(chain, due);
  await recordGaps(chain, [claimed]);
  return claimed;
}

async function storeTraces(
  chain: ChainQueries,
  ids: readonly BlockId[],
  rows: readonly BlockRows[],
  attempts: number,
): Promise<void> {
  await requireStored(chain, ids);
  await loadTraces(chain, rows);
  await lockCoverage(chain);
  await cover(chain, ['traces'], tracedRanges(rows));
  await closeGaps(chain, rangeOf(rows));
  await recordGaps(chain, untracedRanges(rows, attempts));
}

function untracedRanges(rows: readonly BlockRows[], attempts?: number): TraceGapRange[] {
  return gapRanges(
    rows.flatMap(({ trace_gap }) => trace_gap ?? []),
    attempts,
  );
}

function wholeBlocks(rows: readonly BlockRows[]) {
  const told = rows.filter(({ is_partial }) => is_partial !== true);
  return { traced: tracedRanges(rows), told: toRanges(told.map(({ block }) => block.number)) };
}

function tracedRanges(rows: readonly BlockRows[]): BlockRange[] {
  return toRanges(rows.filter(({ trace_gap }) => trace_gap === null).map(({ block }) => block.number));
}
