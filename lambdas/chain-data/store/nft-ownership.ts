import { type Sql, sql, ZERO_ADDRESS_SQL } from '../../shared/chain-database/sql.ts';

/** SQL that a `transfer` fulfils, after others, which is below a range. */
const BELOW = sql`AND transfer.block_number < :from`;

/**
 * Adds what moved in a range to the ledger, and stores its owners: once, when its transfers are stored. An ERC-721 item
 * belongs to its last receiver, an ERC-1155 item to every holder with an amount in the ledger. The order in which ranges are
 * stored does not matter; the result is true once the history of an item is complete. The items are locked until the
 * transaction ends.
 */
export const SETTLE_OWNERS: readonly Sql[] = [
  sql`SELECT {{schema}}.add_to_nft_ledger(:from, :to, 1) AS added`,
  ownersBy(sql``),
];

/** Makes ledger and owners what they were below a range whose transfers are about to be deleted. */
export const REWIND_OWNERS: readonly Sql[] = [
  sql`SELECT {{schema}}.add_to_nft_ledger(:from, :to, -1) AS taken_out`,
  ownersBy(BELOW),
];

/** @param counted which transfers count: all that are stored, or those {@link BELOW} the range */
function ownersBy(counted: Sql): Sql {
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
function holdings(counted: Sql): Sql {
  return sql`moved AS MATERIALIZED (
      SELECT standard, token, token_id, from_address, to_address FROM {{schema}}.nft_transfers
      WHERE block_number BETWEEN :from AND :to
    ),
    single AS MATERIALIZED (
      SELECT item.token, item.token_id, former.owner AS former, last.*
      FROM (SELECT DISTINCT token, token_id FROM moved WHERE standard = 721) AS item
      LEFT JOIN LATERAL (${lastSingle(BELOW)}) AS former ON true
      LEFT JOIN LATERAL (${lastSingle(counted)}) AS last ON true
    ),
    holding AS MATERIALIZED (
      SELECT DISTINCT owner, token, token_id
      FROM (
        SELECT to_address, token, token_id FROM moved
        UNION ALL SELECT from_address, token, token_id FROM moved WHERE standard = 1155
        UNION ALL SELECT former, token, token_id FROM single
      ) AS part (owner, token, token_id)
      WHERE owner <> ${ZERO_ADDRESS_SQL}
    )`;
}

function lastSingle(counted: Sql): Sql {
  return sql`SELECT transfer.to_address AS owner, transfer.amount, transfer.block_number, transfer.block_time
    FROM {{schema}}.nft_transfers AS transfer
    WHERE transfer.token = item.token AND transfer.token_id = item.token_id AND transfer.standard = 721 ${counted}
    ORDER BY transfer.block_number DESC, transfer.log_index DESC, transfer.batch_index DESC LIMIT 1`;
}

/**
 * What is true of each holding, without a standard where it is none. An item that moves by both standards counts as
 * ERC-721 for its owner by that standard. Each is looked up by itself, so that no plan reads a table to its end.
 */
function truths(counted: Sql): Sql {
  return sql`state AS MATERIALIZED (
      SELECT holding.owner, holding.token, holding.token_id, single.token IS NOT NULL AS told,
             (SELECT owner.standard FROM {{schema}}.nft_owners AS owner
              WHERE owner.owner = holding.owner AND owner.token = holding.token
                AND owner.token_id = holding.token_id) AS known,
             CASE WHEN single.owner = holding.owner THEN 721 ELSE 1155 END AS standard,
             coalesce((SELECT held.amount FROM {{schema}}.nft_ledger AS held
              WHERE held.token = holding.token AND held.token_id = holding.token_id
                AND held.owner = holding.owner), 0) AS held,
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
          AND transfer.to_address = state.owner ${counted}
        ORDER BY transfer.block_number DESC LIMIT 1
      ) AS received ON true
      WHERE state.told OR state.known IS DISTINCT FROM 721
    )`;
}
