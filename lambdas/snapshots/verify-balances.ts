import type { ChainDatabase } from '../chain-data/chain-database.ts';
import { loadRows } from '../chain-data/load-rows.ts';
import type { PatientNode } from '../indexer/fetch/patient-node.ts';
import type { BatchOptions } from '../indexer/fetch/send-batch.ts';
import { readBalances } from './read-balances.ts';
import type { Snapshot } from './snapshot.ts';

/** Balances that one step reads. */
const PAGE_HOLDINGS = 1_000;

export interface VerifyParts {
  readonly database: ChainDatabase;
  readonly schema: string;
  readonly node: PatientNode;
}

/**
 * Reads the next balances that changed from the chain, as of the snapshot's block. What the chain does not say is noted
 * as such: those balances stay what their transfers add up to, unverified.
 * @returns whether there may be more
 * @throws {NodeError} where the node cannot be asked, and whatever the database fails with
 */
export async function verifyBalances(
  { database, schema, node }: VerifyParts,
  { blockHash }: Snapshot,
  options: BatchOptions,
): Promise<boolean> {
  const { rows } = await database.query(
    `SELECT '0x' || encode(token, 'hex') AS token, '0x' || encode(holder, 'hex') AS holder
     FROM ${schema}.balance_changes WHERE state = 'pending' ORDER BY token, holder LIMIT ${PAGE_HOLDINGS}`,
  );
  if (rows.length === 0) return false;
  const holdings = rows.map(({ token, holder }) => ({ token: String(token), holder: String(holder) }));
  const amounts = await readBalances(node, holdings, blockHash, options);
  await loadRows(database, {
    table: `${schema}.balance_changes AS change`,
    columns: { token: 'bytea', holder: 'bytea', read_amount: 'numeric', state: 'text' },
    rows: holdings.map(({ token, holder }, index) => {
      const amount = amounts[index] ?? null;
      return [token, holder, amount, amount === null ? 'failed' : 'read'];
    }),
    onConflict: '(token, holder) DO UPDATE SET read_amount = EXCLUDED.read_amount, state = EXCLUDED.state',
  });
  return true;
}
