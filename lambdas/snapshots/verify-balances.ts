import type { RetryingClient } from '../indexer/fetch/retrying-client.ts';
import type { BatchOptions } from '../indexer/fetch/send-batch.ts';
import type { ChainConnection } from '../shared/chain-database/chain-queries.ts';
import { sql } from '../shared/chain-database/sql.ts';
import { type HeldSnapshot, whileHeld } from './hold-snapshot.ts';
import { readBalances } from './read-balances.ts';

/** Balances that one step reads. */
const PAGE_HOLDINGS = 1_000;

export interface VerifyParts {
  readonly connection: ChainConnection;
  readonly node: RetryingClient;
}

/**
 * Reads the next balances that changed from the chain, as of the snapshot's block. What the chain does not say is noted
 * as such: those balances stay what their transfers add up to, unverified.
 * @returns whether there may be more
 * @throws {SnapshotLostError} if the run does not hold the snapshot any more
 * @throws {NodeError} where the node cannot be asked, and whatever the database fails with
 */
export async function verifyBalances(
  { connection, node }: VerifyParts,
  snapshot: HeldSnapshot,
  options: BatchOptions,
): Promise<boolean> {
  const { id, blockHash } = snapshot;
  const { rows } = await connection.query(
    sql`SELECT encode(change.token, 'hex') AS token, encode(change.holder, 'hex') AS holder,
            (coalesce(balance.amount, 0) + change.delta)::text AS ledger
     FROM {{schema}}.balance_changes AS change
     LEFT JOIN {{schema}}.balances AS balance ON balance.holder = change.holder AND balance.token = change.token
     WHERE change.snapshot_id = :id AND change.state = 'pending' ORDER BY change.token, change.holder
     LIMIT ${PAGE_HOLDINGS}`,
    { id },
  );
  if (rows.length === 0) return false;
  const holdings = rows.map(({ token, holder, ledger }) => ({
    ...{ token: `0x${token}`, holder: `0x${holder}` },
    ledger: String(ledger),
  }));
  const amounts = await readBalances(node, holdings, blockHash, options);
  const column = (values: readonly unknown[]) => `{${values.join(',')}}`;
  await whileHeld(connection, snapshot, async (chain) => {
    await chain.query(
      sql`UPDATE {{schema}}.balance_changes AS change
       SET read_amount = said.amount, state = CASE WHEN said.amount IS NULL THEN 'failed' ELSE 'read' END
       FROM unnest(:tokens::text::text[], :holders::text::text[], :amounts::text::numeric[])
         AS said (token, holder, amount)
       WHERE change.snapshot_id = :id AND change.token = decode(said.token, 'hex')
         AND change.holder = decode(said.holder, 'hex') AND change.state = 'pending'`,
      {
        id,
        tokens: column(rows.map(({ token }) => token)),
        holders: column(rows.map(({ holder }) => holder)),
        amounts: column(amounts.map((amount) => amount ?? 'NULL')),
      },
    );
  });
  return true;
}
