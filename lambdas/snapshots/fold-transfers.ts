import type { ChainConnection } from '../shared/chain-database/chain-queries.ts';
import { sql, sqlIndexed, ZERO_ADDRESS_SQL } from '../shared/chain-database/sql.ts';
import { log } from '../shared/runtime/log.ts';
import { type HeldSnapshot, whileHeld } from './hold-snapshot.ts';

/** Blocks whose transfers one transaction adds. */
const PAGE_BLOCKS = 5_000;
/** Parts in which holders are added, by the last bits of their addresses: a statement has 45 seconds. */
const UNSTEADY_PARTS = 8;
const LAST_BYTE = 19;
/** Transfers of a token that one statement counts. Anybody can make a token of more, which must not stop the others' snapshots. */
const MAX_RECOUNTED = 100_000;
/** In place of the snapshot that counted a token: it has too many transfers. */
const LEFT_OUT = -1;

/**
 * Adds the transfers of the next blocks that the snapshot does not have yet, in one transaction: they are noted as added
 * with it, so that they are added once.
 * @returns whether there may be more
 * @throws {SnapshotLostError} if the run does not hold the snapshot any more
 */
export async function foldTransfers(connection: ChainConnection, snapshot: HeldSnapshot): Promise<boolean> {
  const { id, block } = snapshot;
  return whileHeld(connection, snapshot, async (chain) => {
    const { rows } = await chain.query(
      sql`SELECT lower(part) AS first, least(upper(part) - 1, lower(part) + ${PAGE_BLOCKS - 1}) AS last
       FROM {{schema}}.balance_snapshots AS snapshot, LATERAL unnest(
         coalesce((SELECT covered FROM {{schema}}.coverage WHERE dataset = 'erc20_transfers'), '{}')
           * int8multirange(int8range(0, :block, '[]')) - snapshot.folded) AS part
       WHERE snapshot.snapshot_id = :id ORDER BY 1 LIMIT 1`,
      { id, block },
    );
    const [range] = rows;
    if (range === undefined) return false;
    const [first, last] = [Number(range.first), Number(range.last)];
    await chain.query(
      sql`INSERT INTO {{schema}}.balance_changes AS change (snapshot_id, token, holder, delta)
       SELECT :id, token, holder, sum(amount) FROM (
         SELECT token, to_address AS holder, amount FROM {{schema}}.erc20_transfers
         WHERE block_number BETWEEN :first AND :last
         UNION ALL
         SELECT token, from_address, -amount FROM {{schema}}.erc20_transfers WHERE block_number BETWEEN :first AND :last
       ) AS moved
       WHERE holder <> ${ZERO_ADDRESS_SQL} GROUP BY token, holder ORDER BY token, holder
       ON CONFLICT (snapshot_id, token, holder) DO UPDATE SET delta = change.delta + EXCLUDED.delta`,
      { id, first, last },
    );
    await chain.query(
      sql`UPDATE {{schema}}.balance_snapshots
       SET folded = folded + int8multirange(int8range(:first, :last, '[]')) WHERE snapshot_id = :id`,
      { id, first, last },
    );
    return true;
  });
}

/**
 * Counts the balances of the next token whose transfers came late (`recastTransfers`) anew, from all that the snapshot has so
 * far. Those of a snapshot that was never completed are counted again. A token of too many transfers is left out for good: its
 * holders that are known are read from the chain from here on, and its list of holders is never called full.
 * @returns whether there may be more
 * @throws {SnapshotLostError} if the run does not hold the snapshot any more
 */
export async function recountToken(connection: ChainConnection, snapshot: HeldSnapshot): Promise<boolean> {
  const { id } = snapshot;
  return whileHeld(connection, snapshot, async (chain) => {
    const { rows } = await chain.query(
      sql`UPDATE {{schema}}.tokens AS token
       SET recount_snapshot = CASE WHEN is_large THEN ${LEFT_OUT} ELSE :id END,
           balance_model = CASE WHEN is_large AND balance_model = 'standard' THEN 'non_standard' ELSE balance_model END
       FROM (
         SELECT address AS late, transfer_count > ${MAX_RECOUNTED} AS is_large FROM {{schema}}.tokens
         WHERE amounts IS NOT NULL AND recount_snapshot NOT IN (:id, ${LEFT_OUT}) AND NOT EXISTS (
           SELECT FROM {{schema}}.balance_snapshots WHERE snapshot_id = recount_snapshot AND completed_at IS NOT NULL)
         ORDER BY address LIMIT 1 FOR UPDATE
       ) AS next WHERE token.address = late
       RETURNING encode(address, 'hex') AS token, is_large, transfer_count AS transfers`,
      { id },
    );
    const [late] = rows;
    if (late === undefined) return false;
    if (late.is_large === true) {
      log('warn', 'token_left_out', {
        chain: connection.name,
        count: Number(late.transfers),
      });
      return true;
    }
    const counted = sql`FROM {{schema}}.erc20_transfers
      WHERE ${sqlIndexed(sql`token`, sql`decode(:token, 'hex')`)} AND folded @> block_number::bigint`;
    await chain.query(
      sql`INSERT INTO {{schema}}.balance_changes (snapshot_id, token, holder, delta)
       SELECT :id, decode(:token, 'hex'), holder, sum(moved.amount) - coalesce((
         SELECT balance.amount FROM {{schema}}.balances AS balance
         WHERE balance.holder = moved.holder AND balance.token = decode(:token, 'hex')), 0)
       FROM {{schema}}.balance_snapshots, LATERAL (
         SELECT to_address AS holder, amount ${counted} UNION ALL SELECT from_address, -amount ${counted}
       ) AS moved
       WHERE snapshot_id = :id AND holder <> ${ZERO_ADDRESS_SQL} GROUP BY holder ORDER BY holder
       ON CONFLICT (snapshot_id, token, holder) DO UPDATE SET delta = EXCLUDED.delta`,
      { id, token: String(late.token) },
    );
    return true;
  });
}

/**
 * Adds the next part of the holders of tokens whose balances do not follow their transfers: they are read every time.
 * @returns whether there are more
 * @throws {SnapshotLostError} if the run does not hold the snapshot any more
 */
export async function addUnsteadyHolders(
  connection: ChainConnection,
  snapshot: HeldSnapshot,
): Promise<boolean> {
  const { id } = snapshot;
  return whileHeld(connection, snapshot, async (chain) => {
    const { rows } = await chain.query(
      sql`UPDATE {{schema}}.balance_snapshots SET unsteady_parts = unsteady_parts + 1
       WHERE snapshot_id = :id AND unsteady_parts < ${UNSTEADY_PARTS} RETURNING unsteady_parts`,
      { id },
    );
    const [added] = rows;
    if (added === undefined) return false;
    await chain.query(
      sql`INSERT INTO {{schema}}.balance_changes (snapshot_id, token, holder)
       SELECT :id, balance.token, balance.holder FROM {{schema}}.tokens AS token
       JOIN {{schema}}.balances AS balance ON balance.token = token.address
       WHERE token.balance_model <> 'standard'
         AND get_byte(balance.holder, ${LAST_BYTE}) % ${UNSTEADY_PARTS} = :part - 1 ON CONFLICT DO NOTHING`,
      { id, part: Number(added.unsteady_parts) },
    );
    return true;
  });
}
