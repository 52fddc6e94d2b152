import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { sql } from '../../shared/chain-database/sql.ts';

const BELOW_ALL = -1;

/**
 * Takes back the snapshots of blocks above one. If one of them was complete, the balances are of a chain that is no more:
 * then all are taken back, no balances are in force, and the next snapshot folds anew. Balances are only deleted by that
 * one, as a large chain has too many for this transaction. A run that writes to such a snapshot is waited for first;
 * none writes to it afterwards.
 */
export async function rewindSnapshots(chain: ChainQueries, block: number): Promise<void> {
  // Locked before they are judged: a run may be about to complete one.
  const { rows } = await chain.query(
    sql`SELECT completed_at IS NOT NULL AS complete FROM {{schema}}.balance_snapshots
     WHERE block_number > :block AND NOT rewound ORDER BY snapshot_id FOR UPDATE`,
    { block },
  );
  if (rows.length === 0) return;
  const anew = rows.some(({ complete }) => complete === true);
  await chain.query(
    sql`UPDATE {{schema}}.balance_snapshots SET rewound = true, completed_at = NULL, lease = lease + 1
     WHERE block_number > :block AND NOT rewound`,
    { block: anew ? BELOW_ALL : block },
  );
  if (anew) await chain.query(sql`DELETE FROM {{schema}}.coverage WHERE dataset = 'balances'`);
}
