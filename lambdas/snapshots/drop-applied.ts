import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { sql, sqlName } from '../shared/chain-database/sql.ts';

/** Rows that one statement deletes. */
const PAGE_ROWS = 50_000;
/** What a snapshot found, which nothing reads once it is complete. */
const FOUND = ['balance_changes', 'balance_token_changes'];

/**
 * Deletes the next rows that complete snapshots left behind.
 * @param id the snapshot under way
 * @returns whether there may be more
 */
export async function dropApplied(chain: ChainQueries, id: number): Promise<boolean> {
  for (const table of FOUND) {
    const { updated } = await chain.query(
      sql`DELETE FROM {{schema}}.${sqlName(table)} WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM {{schema}}.${sqlName(table)} WHERE snapshot_id < :id LIMIT ${PAGE_ROWS}))`,
      { id },
    );
    if (updated === PAGE_ROWS) return true;
  }
  return false;
}
