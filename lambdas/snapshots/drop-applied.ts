import type { Queries } from '../shared/chain-database/chain-database.ts';
import type { ChainSchema } from '../shared/chain-database/chain-schema.ts';

/** Rows that one statement deletes. */
const PAGE_ROWS = 50_000;
/** What a snapshot found, which nobody reads once it is complete. */
const FOUND = ['balance_changes', 'balance_token_changes'];

/**
 * Deletes the next rows that complete snapshots left behind.
 * @param id the snapshot under way
 * @returns whether there may be more
 */
export async function dropApplied(queries: Queries, schema: ChainSchema, id: number): Promise<boolean> {
  for (const table of FOUND) {
    const { updated } = await queries.query(
      `DELETE FROM ${schema}.${table} WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${schema}.${table} WHERE snapshot_id < :id LIMIT ${PAGE_ROWS}))`,
      { id },
    );
    if (updated === PAGE_ROWS) return true;
  }
  return false;
}
