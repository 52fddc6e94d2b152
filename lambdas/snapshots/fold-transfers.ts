import type { ChainDatabase } from '../chain-data/chain-database.ts';
import type { Snapshot } from './snapshot.ts';

/** Blocks whose transfers one transaction adds. */
const PAGE_BLOCKS = 5_000;
const NOBODY = `'\\x0000000000000000000000000000000000000000'::bytea`;

/**
 * Adds the transfers of the next blocks that the snapshot does not have yet, in one transaction: they are noted as added
 * with it, so that nobody adds them twice.
 * @returns whether there may be more
 */
export async function foldTransfers(
  database: ChainDatabase,
  schema: string,
  { id, block }: Snapshot,
): Promise<boolean> {
  return database.transaction(async (queries) => {
    const { rows } = await queries.query(
      `SELECT lower(part) AS first, least(upper(part) - 1, lower(part) + ${PAGE_BLOCKS - 1}) AS last
       FROM ${schema}.balance_snapshots AS snapshot, LATERAL unnest(
         coalesce((SELECT covered FROM ${schema}.coverage WHERE dataset = 'erc20_transfers'), '{}')
           * int8multirange(int8range(0, :block, '[]')) - snapshot.folded) AS part
       WHERE snapshot.snapshot_id = :id AND snapshot.completed_at IS NULL
       ORDER BY 1 LIMIT 1 FOR UPDATE OF snapshot`,
      { id, block },
    );
    const [range] = rows;
    if (range === undefined) return false;
    const { first, last } = range;
    await queries.query(
      `INSERT INTO ${schema}.balance_changes AS change (token, holder, delta)
       SELECT token, holder, sum(amount) FROM (
         SELECT token, to_address AS holder, amount FROM ${schema}.erc20_transfers
         WHERE block_number BETWEEN :first AND :last
         UNION ALL
         SELECT token, from_address, -amount FROM ${schema}.erc20_transfers WHERE block_number BETWEEN :first AND :last
       ) AS moved
       WHERE holder <> ${NOBODY} GROUP BY token, holder ORDER BY token, holder
       ON CONFLICT (token, holder) DO UPDATE SET delta = change.delta + EXCLUDED.delta`,
      { first: Number(first), last: Number(last) },
    );
    await queries.query(
      `UPDATE ${schema}.balance_snapshots
       SET folded = folded + int8multirange(int8range(:first, :last, '[]')) WHERE snapshot_id = :id`,
      { id, first: Number(first), last: Number(last) },
    );
    return true;
  });
}

/** Adds the holders of tokens whose balances do not follow their transfers: they are read every time. */
export async function addUnsteadyHolders(database: ChainDatabase, schema: string): Promise<void> {
  await database.query(
    `INSERT INTO ${schema}.balance_changes (token, holder)
     SELECT balance.token, balance.holder FROM ${schema}.tokens AS token
     JOIN ${schema}.balances AS balance ON balance.token = token.address
     WHERE token.balance_model <> 'standard' ON CONFLICT DO NOTHING`,
  );
}
