import { type Sql, sql, ZERO_ADDRESS_SQL } from '../../shared/chain-database/sql.ts';

/** Which transfers count: all that are stored, or those below a range that is about to be deleted. */
interface Counted {
  /** SQL that a counted `transfer` fulfils, after others. */
  readonly transfers: Sql;
  /** SQL of the amount that a `holding` has by them, which the ledger has as of all that are stored. */
  readonly amount: Sql;
}

const STORED: Counted = { transfers: sql``, amount: sql`` };
const BELOW: Counted = { transfers: sql`AND transfer.block_number < :from`, amount: sql`- holding.moved` };

/**
 * Stores the owners of what moved in a range, once its transfers are stored. An ERC-721 item belongs to its last receiver,
 * an ERC-1155 item to every holder with an amount in the ledger. The order in which ranges are stored does not matter; the
 * result is true once the history of an item is complete. The items are locked until the transaction ends.
 */
export const SETTLE_OWNERS: Sql = ownersBy(STORED);

/** The same as of the block below a range that is about to be deleted. */
export const REWIND_OWNERS: Sql = ownersBy(BELOW);

function ownersBy(counted: Counted): Sql {
  return sql`WITH ${holdings(counted)}, ${truths(counted)},
     lost AS (
       DELETE FROM {{schema}}.nft_owners AS owner USING truth
       WHERE truth.standard IS NULL AND truth.known IS NOT NULL
         AND owner.owner = truth.owner AND owner.token = truth.token AND owner.token_id = truth.token_id
     )
     INSERT INTO {{schema}}.nft_owners AS owner
       (owner, token, token_id, standard, amount, acquired_block, acquired_time)
     SELECT owner, token, token_id, standard, amount, block_number, block_time
     FROM truth WHERE standard IS NOT NULL
     ON CONFLICT (owner, token, token_id) DO UPDATE
       SET standard = EXCLUDED.standard, amount = EXCLUDED.amount, acquired_block = EXCLUDED.acquired_block,
           acquired_time = EXCLUDED.acquired_time`;
}

/**
 * Holders whose amounts the transfers of a range may change, and the last receivers of its ERC-721 items. The owner of
 * an item so far is its last receiver below the range, or in it.
 */
function holdings(counted: Counted): Sql {
  return sql`moved AS MATERIALIZED (
      SELECT standard, token, token_id, from_address, to_address, amount FROM {{schema}}.nft_transfers
      WHERE block_number BETWEEN :from AND :to
    ),
    single AS MATERIALIZED (
      SELECT item.token, item.token_id, former.owner AS former, last.*
      FROM (SELECT DISTINCT token, token_id FROM moved WHERE standard = 721) AS item
      LEFT JOIN LATERAL (${lastSingle(BELOW)}) AS former ON true
      LEFT JOIN LATERAL (${lastSingle(counted)}) AS last ON true
    ),
    holding AS MATERIALIZED (
      SELECT owner, token, token_id, sum(moved) AS moved
      FROM (
        SELECT to_address, token, token_id, CASE standard WHEN 1155 THEN amount ELSE 0 END FROM moved
        UNION ALL SELECT from_address, token, token_id, -amount FROM moved WHERE standard = 1155
        UNION ALL SELECT former, token, token_id, 0 FROM single
      ) AS part (owner, token, token_id, moved)
      WHERE owner <> ${ZERO_ADDRESS_SQL} GROUP BY owner, token, token_id
    )`;
}

function lastSingle({ transfers }: Counted): Sql {
  return sql`SELECT transfer.to_address AS owner, transfer.amount, transfer.block_number, transfer.block_time
    FROM {{schema}}.nft_transfers AS transfer
    WHERE transfer.token = item.token AND transfer.token_id = item.token_id AND transfer.standard = 721 ${transfers}
    ORDER BY transfer.block_number DESC, transfer.log_index DESC, transfer.batch_index DESC LIMIT 1`;
}

/**
 * What is true of each holding, without a standard where it is none. An item that moves by both standards counts as
 * ERC-721 for its owner by that standard. Each is looked up by itself, so that no plan reads a table to its end.
 */
function truths({ transfers, amount }: Counted): Sql {
  return sql`state AS MATERIALIZED (
      SELECT holding.owner, holding.token, holding.token_id, single.token IS NOT NULL AS told,
             (SELECT owner.standard FROM {{schema}}.nft_owners AS owner
              WHERE owner.owner = holding.owner AND owner.token = holding.token
                AND owner.token_id = holding.token_id) AS known,
             CASE WHEN single.owner = holding.owner THEN 721 ELSE 1155 END AS standard,
             coalesce((SELECT held.amount FROM {{schema}}.nft_ledger AS held
              WHERE held.token = holding.token AND held.token_id = holding.token_id
                AND held.owner = holding.owner), 0) ${amount} AS held,
             single.amount, single.block_number, single.block_time
      FROM holding LEFT JOIN single ON single.token = holding.token AND single.token_id = holding.token_id
    ),
    truth AS MATERIALIZED (
      SELECT state.owner, state.token, state.token_id, state.known,
             (CASE WHEN state.standard = 721 OR state.held > 0 THEN state.standard END)::smallint AS standard,
             CASE state.standard WHEN 721 THEN state.amount ELSE least(state.held, 2::numeric ^ 256 - 1) END AS amount,
             CASE state.standard WHEN 721 THEN state.block_number ELSE received.block_number END AS block_number,
             CASE state.standard WHEN 721 THEN state.block_time ELSE received.block_time END AS block_time
      FROM state LEFT JOIN LATERAL (
        SELECT transfer.block_number, transfer.block_time FROM {{schema}}.nft_transfers AS transfer
        WHERE state.standard = 1155 AND state.held > 0 AND transfer.standard = 1155
          AND transfer.token = state.token AND transfer.token_id = state.token_id
          AND transfer.to_address = state.owner ${transfers}
        ORDER BY transfer.block_number DESC LIMIT 1
      ) AS received ON true
      WHERE state.told OR state.known IS DISTINCT FROM 721
    )`;
}

/**
 * Adds the stored transfers of a range to the ledger, once: what the trigger on the table does for rows that are inserted, and
 * not for those of a partition that is attached.
 */
export const ADD_STORED_TO_LEDGER: Sql = sql`MERGE INTO {{schema}}.nft_ledger AS held
  USING (
    SELECT token, token_id, owner, sum(amount) AS amount
    FROM (
      SELECT token, token_id, to_address AS owner, amount FROM {{schema}}.nft_transfers
      WHERE standard = 1155 AND block_number BETWEEN :from AND :to
      UNION ALL
      SELECT token, token_id, from_address, -amount FROM {{schema}}.nft_transfers
      WHERE standard = 1155 AND block_number BETWEEN :from AND :to
    ) AS part
    WHERE owner <> ${ZERO_ADDRESS_SQL} GROUP BY token, token_id, owner HAVING sum(amount) <> 0
  ) AS change
  ON held.token = change.token AND held.token_id = change.token_id AND held.owner = change.owner
  WHEN MATCHED AND held.amount + change.amount = 0 THEN DELETE
  WHEN MATCHED THEN UPDATE SET amount = held.amount + change.amount
  WHEN NOT MATCHED THEN INSERT VALUES (change.token, change.token_id, change.owner, change.amount)`;
