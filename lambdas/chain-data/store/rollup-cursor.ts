import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { sql } from '../../shared/chain-database/sql.ts';

/** How far everything is derived. */
export interface RollupCursor {
  /** The last block that is derived. */
  readonly block: number;
  /** The first block that was derived. */
  readonly first: number;
}

/** What is stored of the chain that the derivation could go on with. */
export interface StoredChain {
  /** The first of the blocks that are stored without a hole up to the head. */
  readonly from: number;
  /** The last block that is stored whole, trades of pools that became known later included. */
  readonly to: number;
}

/**
 * What is stored; undefined before the first block is. Where the whole history is, blocks may still lack the trades of
 * pools whose creation was stored after them: what is derived waits until these are complete.
 */
export async function readStored(chain: ChainQueries): Promise<StoredChain | undefined> {
  const { rows } = await chain.query(
    sql`SELECT lower(run) AS first_block,
            CASE WHEN lower(run) > 0 THEN cursor.block_number ELSE coalesce((
              SELECT upper(part) - 1 FROM {{schema}}.coverage AS trades, unnest(trades.covered) AS part
              WHERE trades.dataset = 'dex_swaps' AND part @> 0::bigint), -1) END AS last_block
     FROM {{schema}}.cursors AS cursor, {{schema}}.coverage, unnest(covered) AS run
     WHERE cursor.name = 'indexed' AND dataset = 'blocks' AND run @> cursor.block_number`,
  );
  const [row] = rows;
  return row && { from: Number(row.first_block), to: Number(row.last_block) };
}

/**
 * Reads the cursor and locks it: until the transaction ends, no other run derives, and no reorganisation goes
 * on. Begins with the stored blocks where there is none.
 */
export async function lockCursor(chain: ChainQueries, stored: StoredChain): Promise<RollupCursor> {
  await chain.query(
    sql`INSERT INTO {{schema}}.cursors (name, block_number, block_hash, block_time)
     VALUES ('rollups', :from - 1, '', to_timestamp(0)) ON CONFLICT DO NOTHING`,
    { from: stored.from },
  );
  await chain.query(
    sql`INSERT INTO {{schema}}.rollup_origin (first_block, stored_from)
     SELECT block_number + 1, block_number + 1 FROM {{schema}}.cursors WHERE name = 'rollups'
     ON CONFLICT DO NOTHING`,
  );
  const block = await lockIfThere(chain);
  const { rows } = await chain.query(sql`SELECT first_block FROM {{schema}}.rollup_origin`);
  if (block === undefined) throw new Error('the derivation has no cursor');
  return { block, first: Number(rows[0]?.first_block) };
}

/** Locks the cursor; undefined if nothing was derived ever. */
export async function lockIfThere(chain: ChainQueries): Promise<number | undefined> {
  const { rows } = await chain.query(
    sql`SELECT block_number FROM {{schema}}.cursors WHERE name = 'rollups' FOR UPDATE`,
  );
  return rows[0] && Number(rows[0].block_number);
}

/** Moves the cursor, which is locked, to a block that is stored, or to one below all that are. */
export async function moveRollups(chain: ChainQueries, block: number): Promise<void> {
  await chain.query(
    sql`UPDATE {{schema}}.cursors AS cursor
     SET block_number = :block, block_hash = coalesce((SELECT hash FROM {{schema}}.blocks
       WHERE number = :block), ''),
         block_time = coalesce((SELECT time FROM {{schema}}.blocks WHERE number = :block), to_timestamp(0)),
         reorg_epoch = coalesce((SELECT reorg_epoch FROM {{schema}}.cursors WHERE name = 'indexed'), 0),
         updated_at = now()
     WHERE name = 'rollups'`,
    { block },
  );
}
