import type { ChainConnection, ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { hasState, LOCKED } from '../../shared/chain-database/database-error.ts';
import { sql } from '../../shared/chain-database/sql.ts';
import { errorField, log } from '../../shared/runtime/log.ts';
import { withRetry } from '../../shared/runtime/with-retry.ts';
import type { BlockRange } from './block-range.ts';
import {
  type Bounds,
  END_OF_BLOCKS,
  firstUnbound,
  MEASURED_BLOCKS,
  nextBounds,
  PARTITION_BYTES,
  partitionWidth,
} from './partition-bounds.ts';

/**
 * A lock is waited for three times, 2 s each by the migrations, before the blocks are left for a later attempt. Each is a
 * transaction of its own, so that what waits behind its locks continues in between.
 */
const LOCK_RETRY = { pausesMs: [0, 0], isRetryable: (error: unknown) => hasState(error, LOCKED) };

/** Partitions that one call makes at most: more are no range of blocks that come together. */
const MAX_MADE = 200;

/**
 * Makes partitions before the blocks come that belong there, and remembers which there are.
 * @param targetBytes what a partition is to have, with its indexes
 */
export function createPartitions(connection: ChainConnection, targetBytes = PARTITION_BYTES) {
  let bounds: readonly Bounds[] = [];

  const make = async (range: BlockRange): Promise<void> => {
    bounds = await readBounds(connection);
    if (firstUnbound(bounds, range.from) > range.to) return;
    await connection.transaction((chain) => makePartitions(chain, range, targetBytes));
    bounds = await readBounds(connection);
  };
  return {
    /**
     * @param lead blocks above the range that are to have theirs as well; if that fails, it is tried again with the next range
     * @throws {DatabaseError} as a query does, for a table that stays locked too: nothing was made then
     */
    async ensure({ from, to }: BlockRange, lead = 0) {
      if (firstUnbound(bounds, from) > to + lead) return;
      try {
        await withRetry(() => make({ from, to: to + lead }), LOCK_RETRY);
      } catch (error) {
        if (firstUnbound(bounds, from) <= to) throw error;
        log('warn', 'partition_not_made', { chain: connection.name, error: errorField(error) });
      }
    },
    /** Forgets which there are: a schema that is made anew does not say so. */
    forget() {
      bounds = [];
    },
  };
}

/** All partitions that rows can be stored in, in the order of the chain. */
async function readBounds(chain: ChainQueries): Promise<Bounds[]> {
  const { rows } = await chain.query(
    sql`SELECT from_block, to_block FROM {{schema}}.partitions ORDER BY from_block`,
  );
  return rows.map(({ from_block, to_block }) => ({ from: Number(from_block), end: Number(to_block) }));
}

/** Makes the partitions that a range lacks: each alone, then attached. */
async function makePartitions(chain: ChainQueries, { from, to }: BlockRange, targetBytes: number) {
  await chain.query(sql`SELECT {{schema}}.lock_partitions() AS locked`);
  let bounds = await readBounds(chain);
  for (let made = 0; made <= MAX_MADE; made += 1) {
    const block = firstUnbound(bounds, from);
    if (block > to) return;
    if (block >= END_OF_BLOCKS)
      throw new RangeError(`block ${block} cannot be stored: partitions end at ${END_OF_BLOCKS}`);
    const next = nextBounds(bounds, block, await widthNear(chain, block, targetBytes));
    const parameters = { from: next.from, end: next.end, suffix: `_r${next.from}` };
    await chain.query(sql`SELECT {{schema}}.create_partition(:from, :end, :suffix) AS made`, parameters);
    await chain.query(sql`SELECT {{schema}}.attach_partition(:from, :end, :suffix) AS made`, parameters);
    bounds = [...bounds, next];
  }
  throw new RangeError(`blocks ${from} to ${to} need more than ${MAX_MADE} partitions`);
}

/** How many blocks a new partition at a block is to have, by what the nearest takes of those with enough stored blocks. */
export async function widthNear(
  chain: ChainQueries,
  block: number,
  targetBytes = PARTITION_BYTES,
): Promise<number> {
  const { rows } = await chain.query(
    sql`SELECT nearest.width, nearest.blocks, (
       SELECT sum(pg_total_relation_size(part.oid))::bigint
       FROM {{schema}}.partitioned_tables() AS whole
       JOIN pg_class AS part ON part.relname = whole.parent || nearest.suffix
         AND part.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = '{{schema}}.blocks'::regclass)
     ) AS bytes
     FROM (
       SELECT part.suffix, part.to_block - part.from_block AS width, stored.blocks
       FROM {{schema}}.partitions AS part CROSS JOIN LATERAL (
         SELECT sum(upper(piece) - lower(piece))::bigint AS blocks
         FROM {{schema}}.coverage, unnest(covered * int8multirange(int8range(part.from_block, part.to_block))) AS piece
         WHERE dataset = 'blocks'
       ) AS stored
       WHERE stored.blocks >= ${MEASURED_BLOCKS}
       ORDER BY greatest(part.from_block - :block, :block - part.to_block) LIMIT 1
     ) AS nearest`,
    { block },
  );
  const [row] = rows;
  return partitionWidth(
    row && { width: Number(row.width), blocks: Number(row.blocks), bytes: Number(row.bytes) },
    targetBytes,
  );
}
