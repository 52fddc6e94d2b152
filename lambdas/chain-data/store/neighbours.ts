import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { findUnlikeRows } from '../../shared/chain-database/load-rows.ts';
import { sql } from '../../shared/chain-database/sql.ts';
import type { BlockId } from '../decode/raw-block.ts';

/** Blocks are of another chain than those that are stored there or next to them. */
export class StrangeBlocksError extends Error {
  override readonly name = 'StrangeBlocksError';
}

/**
 * Checks that blocks fit to the stored ones right below and right above them.
 * @throws {StrangeBlocksError} if they do not
 */
export async function requireNeighbours(
  chain: ChainQueries,
  blocks: readonly Pick<BlockId, 'number' | 'hash' | 'parentHash'>[],
): Promise<void> {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) throw new Error('no blocks to store');
  const { rows } = await chain.query(
    sql`SELECT number, encode(hash, 'hex') AS hash, encode(parent_hash, 'hex') AS parent_hash
     FROM {{schema}}.blocks WHERE number IN (:below, :above)`,
    { below: first.number - 1, above: last.number + 1 },
  );
  for (const { number, hash, parent_hash } of rows) {
    const fits =
      Number(number) < first.number ? `0x${hash}` === first.parentHash : `0x${parent_hash}` === last.hash;
    if (!fits)
      throw new StrangeBlocksError(`blocks ${first.number} to ${last.number} do not fit to ${number}`);
  }
}

/**
 * Checks that blocks are those that are stored, and keeps them so until the transaction ends.
 * @throws {StrangeBlocksError} if one is not
 */
export async function requireStored(chain: ChainQueries, blocks: readonly BlockId[]): Promise<void> {
  await holdChain(chain);
  const unlike = await findUnlikeRows(chain, {
    table: sql`{{schema}}.blocks`,
    columns: { number: 'bigint', hash: 'bytea' },
    rows: blocks.map(({ number, hash }) => [number, hash]),
  });
  if (unlike.size > 0)
    throw new StrangeBlocksError(`blocks from ${blocks[0]?.number} are not those that are stored`);
}

/** Keeps the stored chain as it is until the transaction ends: a reorganisation, and the head, wait for it. */
export async function holdChain(chain: ChainQueries): Promise<void> {
  await chain.query(sql`SELECT true AS locked FROM {{schema}}.cursors WHERE name = 'indexed' FOR SHARE`);
}
