import type { PoolRow } from '../../chain-data/decode/rows.ts';
import type { BlockRange } from '../../chain-data/store/block-range.ts';
import { isOvertaken, OvertakenError } from '../../chain-data/store/cursor.ts';
import { insertPools } from '../../chain-data/store/load-blocks.ts';
import { holdChain, requireNeighbours } from '../../chain-data/store/neighbours.ts';
import { settleClaims } from '../../chain-data/store/pool-claims.ts';
import { POOL_COLUMNS, toPool } from '../../chain-data/store/pools.ts';
import type { ChainConnection, ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { type Sql, sql, sqlName } from '../../shared/chain-database/sql.ts';
import { type BulkPartition, doneTo } from './manifest.ts';

export const POOLS_STEP = 'pools';
/** Claims that are settled in one transaction: one answer of the RDS Data API has room for these. */
const CLAIMS_AT_ONCE = 1_000;
/** Times that a transaction is begun anew, each after another one has changed the same pools. */
const MAX_ROUNDS = 20;

/**
 * Settles the claims of pools in a partition as blocks that are stored do it: in the order of the chain, each against those that
 * are stored.
 * @returns whether all of them are; else the time was over
 * @throws {StrangeBlocksError} if the partition does not fit to the stored blocks: dropping it would leave its pools behind
 */
export async function storePools(
  chain: ChainConnection,
  partition: BulkPartition,
  outOfTime: () => boolean,
): Promise<boolean> {
  let rounds = 0;
  for (;;) {
    const done = await doneTo(chain, partition.from, POOLS_STEP);
    if (done >= partition.to) return true;
    if (outOfTime()) return false;
    try {
      await chain.transaction((queries) => storeNext(queries, partition, done));
    } catch (error) {
      rounds += 1;
      if (!isOvertaken(error) || rounds >= MAX_ROUNDS) throw error;
    }
  }
}

async function storeNext(chain: ChainQueries, partition: BulkPartition, done: number): Promise<void> {
  await holdChain(chain);
  await requireFit(chain, partition);
  const staged = sql`{{schema}}.${sqlName(`staged_pools_b${partition.from}`)}`;
  const claims = await readClaims(chain, staged, done);
  const made = await settleClaims(chain, claims);
  await insertPools(chain, made);
  const reached =
    claims.length < CLAIMS_AT_ONCE ? partition.to : (claims.at(-1)?.created_block ?? partition.to);
  const { updated } = await chain.query(
    sql`INSERT INTO {{schema}}.bulk_steps AS done (partition, step, done_to) VALUES (:partition, :step, :reached)
     ON CONFLICT (partition, step) DO UPDATE SET done_to = EXCLUDED.done_to WHERE done.done_to = :before`,
    { partition: partition.from, step: POOLS_STEP, reached, before: done },
  );
  if (updated !== 1) throw new OvertakenError('others store the same pools');
}

/**
 * Checks that a partition fits to the stored blocks beside it, in a transaction that holds the chain.
 * @throws {StrangeBlocksError} if it does not
 */
export async function requireFit(chain: ChainQueries, { from, to }: BlockRange): Promise<void> {
  const { rows } = await chain.query(
    sql`SELECT number, encode(hash, 'hex') AS hash, encode(parent_hash, 'hex') AS parent_hash
     FROM {{schema}}.${sqlName(`blocks_b${from}`)} WHERE number IN (:from, :to) ORDER BY number`,
    { from, to },
  );
  const ends = rows.map(({ number, hash, parent_hash }) => ({
    number: Number(number),
    hash: `0x${hash}` as const,
    parentHash: `0x${parent_hash}` as const,
  }));
  await requireNeighbours(chain, ends);
}

/** The next claims, with all of the last block. */
async function readClaims(chain: ChainQueries, staged: Sql, done: number): Promise<PoolRow[]> {
  const { rows } = await chain.query(
    sql`SELECT ${POOL_COLUMNS} FROM (
       SELECT * FROM ${staged} WHERE created_block > :done
       ORDER BY created_block FETCH FIRST ${CLAIMS_AT_ONCE} ROWS WITH TIES
     ) AS next ORDER BY next.created_block, next.created_log_index`,
    { done },
  );
  return rows.map(toPool);
}
