import type { ChainConnection, ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { sql, sqlName } from '../shared/chain-database/sql.ts';
import { type HeldSnapshot, whileHeld } from './hold-snapshot.ts';

/** Rows that one statement deletes or changes. */
const PAGE_ROWS = 50_000;
/** What a snapshot found, which nothing reads once it is complete. */
const FOUND = ['balance_changes', 'balance_token_changes'];
/** What snapshots put in force, which nothing reads once no complete one is left. */
const IN_FORCE = ['balances', 'balance_history'];

/**
 * Deletes the next rows that former snapshots left behind: what they found, and if none of them is in force (there were
 * none, or they were rewound) also what they had put in force.
 * @param snapshot the one under way
 * @returns whether there may be more
 * @throws {SnapshotLostError} if the run does not hold it any more
 */
export async function dropFormer(connection: ChainConnection, snapshot: HeldSnapshot): Promise<boolean> {
  return whileHeld(connection, snapshot, async (chain) => {
    const anew = await beginsAnew(chain);
    for (const table of anew ? [...FOUND, ...IN_FORCE] : FOUND) {
      if (await dropRows(chain, table, snapshot.id)) return true;
    }
    return anew && (await forgetHolders(chain));
  });
}

async function beginsAnew(chain: ChainQueries): Promise<boolean> {
  const { rows } = await chain.query(
    sql`SELECT NOT EXISTS (SELECT FROM {{schema}}.balance_snapshots WHERE completed_at IS NOT NULL) AS anew`,
  );
  return rows[0]?.anew === true;
}

async function dropRows(chain: ChainQueries, table: string, id: number): Promise<boolean> {
  const { updated } = await chain.query(
    sql`DELETE FROM {{schema}}.${sqlName(table)} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM {{schema}}.${sqlName(table)} WHERE snapshot_id < :id LIMIT ${PAGE_ROWS}))`,
    { id },
  );
  return updated === PAGE_ROWS;
}

/** Counts of tokens that each snapshot adds to. How a token's balances behave is not forgotten: it costs a reading at most. */
async function forgetHolders(chain: ChainQueries): Promise<boolean> {
  const { updated } = await chain.query(
    sql`UPDATE {{schema}}.tokens SET holder_count = 0, balance_mismatches = 0 WHERE address IN (
       SELECT address FROM {{schema}}.tokens WHERE holder_count <> 0 OR balance_mismatches <> 0
       ORDER BY address LIMIT ${PAGE_ROWS} FOR UPDATE)`,
  );
  return updated === PAGE_ROWS;
}
