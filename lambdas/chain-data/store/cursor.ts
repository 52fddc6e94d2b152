import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { DEADLOCK, hasState } from '../../shared/chain-database/database-error.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import { sql } from '../../shared/chain-database/sql.ts';
import type { BlockId, Hex } from '../decode/raw-block.ts';

/** The last block that is stored whole, of those that follow each other up to the head. */
export interface Cursor {
  /** One below the first block to index before that is stored. */
  readonly number: number;
  readonly hash: Hex;
  /** Time of the block, in seconds since the epoch. */
  readonly timestamp: number;
  /** Counts reorganisations. */
  readonly epoch: number;
  /** Why nothing may be stored until an operator has looked; null while the indexer runs. */
  readonly halted: string | null;
  /** Hash of the newest block of the node that is noted; undefined before the first. */
  readonly nodeHead: Hex | undefined;
}

/** Another indexer has moved the cursor in the meantime, or halted: this step must leave no trace. */
export class OvertakenError extends Error {
  override readonly name = 'OvertakenError';
}

/**
 * Whether a transaction only failed because others were at work on the same: another one sees what is left.
 */
export function isOvertaken(error: unknown): boolean {
  return error instanceof OvertakenError || hasState(error, DEADLOCK);
}

/** Reads the cursor; undefined before the first start. */
export async function readCursor(chain: ChainQueries): Promise<Cursor | undefined> {
  const { rows } = await chain.query(
    sql`SELECT block_number, encode(block_hash, 'hex') AS hash,
            extract(epoch FROM block_time)::bigint AS time, reorg_epoch, halted,
            (SELECT encode(block_hash, 'hex') FROM {{schema}}.cursors WHERE name = 'node') AS node_head
     FROM {{schema}}.cursors WHERE name = 'indexed'`,
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { block_number, hash, time, reorg_epoch, halted, node_head } = row;
  return {
    number: Number(block_number),
    hash: `0x${hash}`,
    timestamp: Number(time),
    epoch: Number(reorg_epoch),
    halted: halted === null ? null : String(halted),
    nodeHead: node_head === null ? undefined : `0x${node_head}`,
  };
}

/**
 * Moves the cursor, if it still is where it was seen. Until the transaction ends, no other can move it.
 * @throws {OvertakenError} if it is somewhere else
 */
export async function moveCursor(
  chain: ChainQueries,
  seen: Cursor,
  target: Pick<Cursor, 'number' | 'hash' | 'timestamp' | 'epoch'>,
): Promise<void> {
  const { updated } = await chain.query(
    sql`UPDATE {{schema}}.cursors
     SET block_number = :number, block_hash = decode(:hash, 'hex'), block_time = to_timestamp(:time),
         reorg_epoch = :epoch, updated_at = now()
     WHERE name = 'indexed' AND halted IS NULL AND block_number = :seen_number
       AND block_hash = decode(:seen_hash, 'hex') AND reorg_epoch = :seen_epoch`,
    {
      number: target.number,
      hash: hexDigits(target.hash),
      time: target.timestamp,
      epoch: target.epoch,
      seen_number: seen.number,
      seen_hash: hexDigits(seen.hash),
      seen_epoch: seen.epoch,
    },
  );
  if (updated !== 1) throw new OvertakenError(`the cursor is no longer at block ${seen.number}`);
}

/** Makes the cursors of a chain, below the first block to index; false if there are some. */
export async function createCursor(chain: ChainQueries, base: BlockId): Promise<boolean> {
  const { updated } = await chain.query(
    sql`INSERT INTO {{schema}}.cursors (name, block_number, block_hash, block_time)
     SELECT name, :number, decode(:hash, 'hex'), to_timestamp(:time) FROM unnest(ARRAY['indexed', 'agreed']) AS name
     ON CONFLICT DO NOTHING`,
    { number: base.number, hash: hexDigits(base.hash), time: base.timestamp },
  );
  return updated > 0;
}

/** Notes how far the node is. */
export async function noteNodeHead(chain: ChainQueries, head: BlockId): Promise<void> {
  await chain.query(
    sql`INSERT INTO {{schema}}.cursors (name, block_number, block_hash, block_time)
     VALUES ('node', :number, decode(:hash, 'hex'), to_timestamp(:time))
     ON CONFLICT (name) DO UPDATE SET block_number = EXCLUDED.block_number, block_hash = EXCLUDED.block_hash,
       block_time = EXCLUDED.block_time, updated_at = now()`,
    { number: head.number, hash: hexDigits(head.hash), time: head.timestamp },
  );
}

/** Stops all indexing of the chain. The first reason stays, and so does the time when blocks last came. */
export async function haltCursor(chain: ChainQueries, seen: Cursor, reason: string): Promise<void> {
  await chain.query(
    sql`UPDATE {{schema}}.cursors SET halted = :reason
     WHERE name = 'indexed' AND halted IS NULL AND block_number = :number AND reorg_epoch = :epoch`,
    { reason, number: seen.number, epoch: seen.epoch },
  );
}
