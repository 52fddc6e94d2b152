import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { sql } from '../shared/chain-database/sql.ts';
import { FINALITY_BLOCKS } from '../shared/runtime/finality.ts';

/** Time from one snapshot to the next, in hours, by the specification. */
const INTERVAL_HOURS = 6;
/** An index that is further behind its node than this is still catching up, in blocks. */
const MAX_LAG_BLOCKS = 256;

/**
 * A chain whose finalized blocks are so many times those of the last snapshot gets one at once: in its first hours there
 * would else be none of its transfers. The number of such snapshots is the logarithm of the chain's length.
 */
const YOUNG_CHAIN_GROWTH = 2;

/** How old the balances of a chain are. */
export interface BalancesAge {
  /** Whether any are in force. */
  readonly inForce: boolean;
  /**
   * Time since those in force were completed. Without any: since the first were begun, and before that the age of the
   * last indexed block, because they wait for an index that is at the head. Undefined if no block is indexed.
   */
  readonly seconds: number | undefined;
}

/** Reads how old the balances of a chain are. */
export async function ageOfBalances(chain: ChainQueries): Promise<BalancesAge> {
  const { rows } = await chain.query(
    sql`WITH snapshots AS (
       SELECT max(completed_at) AS completed, min(started_at) AS begun FROM {{schema}}.balance_snapshots
       WHERE NOT rewound
     )
     SELECT completed IS NOT NULL AS in_force, extract(epoch FROM now() - coalesce(completed, begun, (
       SELECT block_time FROM {{schema}}.cursors WHERE name = 'indexed' AND block_number >= 0
     )))::bigint AS age FROM snapshots`,
  );
  const [row] = rows;
  return {
    inForce: row?.in_force === true,
    seconds: typeof row?.age === 'number' ? Math.max(0, row.age) : undefined,
  };
}

/** A snapshot under way. */
export interface Snapshot {
  readonly id: number;
  /** The finalized block that it is of. */
  readonly block: number;
  /** 0x-prefixed. */
  readonly blockHash: string;
}

/**
 * The snapshot under way; if there is none and the last is old enough, or of half of the chain at most, a new one at the finalized block. Undefined if
 * nothing is to be done: the last is young, or of a higher block as the chain became shorter; the index is halted, or still
 * catches up. Those that were rewound count for nothing.
 */
export async function openSnapshot(chain: ChainQueries): Promise<Snapshot | undefined> {
  const { rows } = await chain.query(
    sql`WITH indexed AS (
       SELECT greatest(block_number - ${FINALITY_BLOCKS}, 0) AS finalized, block_number
       FROM {{schema}}.cursors WHERE name = 'indexed' AND halted IS NULL AND block_number >= 0
     ), last AS (
       SELECT block_number, completed_at, started_at, folded FROM {{schema}}.balance_snapshots
       WHERE NOT rewound ORDER BY snapshot_id DESC LIMIT 1
     ), due AS (
       SELECT coalesce((SELECT max(snapshot_id) FROM {{schema}}.balance_snapshots), 0) + 1 AS snapshot_id,
              block.number, block.hash, block.time
       FROM indexed JOIN {{schema}}.blocks AS block ON block.number = indexed.finalized
       WHERE indexed.block_number >= (SELECT block_number FROM {{schema}}.cursors WHERE name = 'node') - ${MAX_LAG_BLOCKS}
         AND NOT EXISTS (SELECT 1 FROM last WHERE completed_at IS NULL OR indexed.finalized < last.block_number
           OR (started_at > now() - make_interval(hours => ${INTERVAL_HOURS})
             AND indexed.finalized < greatest(1, ${YOUNG_CHAIN_GROWTH} * last.block_number)))
     ), begun AS (
       INSERT INTO {{schema}}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, folded)
       SELECT due.*, coalesce((SELECT folded FROM last), '{}')
       FROM due ON CONFLICT DO NOTHING RETURNING snapshot_id, block_number, block_hash
     )
     SELECT snapshot_id, block_number, '0x' || encode(block_hash, 'hex') AS hash FROM begun
     UNION ALL
     SELECT snapshot_id, block_number, '0x' || encode(block_hash, 'hex') FROM {{schema}}.balance_snapshots
     WHERE completed_at IS NULL AND NOT rewound`,
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return { id: Number(row.snapshot_id), block: Number(row.block_number), blockHash: String(row.hash) };
}
