import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { loadRows } from '../../shared/chain-database/load-rows.ts';
import { sql } from '../../shared/chain-database/sql.ts';
import { isoTime } from '../decode/iso-time.ts';
import type { BlockId, Hex } from '../decode/raw-block.ts';
import type { BlockLevels } from './proof-levels.ts';

/** Newest blocks whose hashes are kept: twice as many as a reorganisation can concern. */
export const RING_BLOCKS = 512;

/** Hashes of the newest blocks by number, in ascending order. */
export type Ring = ReadonlyMap<number, Hex>;

/**
 * Keeps the hashes of further blocks, in the order of the chain, and forgets as many.
 * @param levels of the same blocks; none of one that is not stored
 */
export async function extendRing(
  chain: ChainQueries,
  blocks: readonly BlockId[],
  levels: readonly BlockLevels[] = [],
): Promise<void> {
  const newest = blocks.slice(-RING_BLOCKS);
  const letters = levels.slice(-RING_BLOCKS);
  await loadRows(chain, {
    table: sql`{{schema}}.ring`,
    columns: {
      ...{ block_number: 'bigint', block_hash: 'bytea', parent_hash: 'bytea', block_time: 'timestamptz' },
      levels: 'text',
    },
    rows: newest.map(({ number, hash, parentHash, timestamp }, index) => [
      number,
      hash,
      parentHash,
      isoTime(timestamp),
      letters[index]?.levels ?? '',
    ]),
  });
  const last = newest.at(-1)?.number ?? 0;
  await chain.query(sql`DELETE FROM {{schema}}.ring WHERE block_number <= :last`, {
    last: last - RING_BLOCKS,
  });
}

/** Reads the hashes of the newest blocks. */
export async function readRing(chain: ChainQueries): Promise<Ring> {
  const { rows } = await chain.query(
    sql`SELECT block_number, encode(block_hash, 'hex') AS hash FROM {{schema}}.ring ORDER BY block_number`,
  );
  return new Map(rows.map(({ block_number, hash }) => [Number(block_number), `0x${hash}`]));
}
