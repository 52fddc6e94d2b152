import type { Queries } from '../../chain-data/chain-database.ts';
import type { BlockRange } from './block-range.ts';

const NOBODY = `'\\x0000000000000000000000000000000000000000'::bytea`;

/** Items that moved in a range, by all of their transfers that are stored. */
const owners = (schema: string, upTo: string) => `
  touched AS MATERIALIZED (
    SELECT DISTINCT token, token_id FROM ${schema}.nft_transfers WHERE block_number BETWEEN :from AND :to
  ),
  transfers AS MATERIALIZED (
    SELECT transfer.* FROM touched JOIN ${schema}.nft_transfers AS transfer
      ON transfer.token = touched.token AND transfer.token_id = touched.token_id ${upTo}
  ),
  single AS (
    SELECT DISTINCT ON (token, token_id) to_address AS owner, token, token_id, standard, amount, block_number, block_time
    FROM transfers WHERE standard = 721
    ORDER BY token, token_id, block_number DESC, log_index DESC, batch_index DESC
  ),
  moves AS (
    SELECT to_address AS owner, token, token_id, amount, block_number, block_time FROM transfers WHERE standard = 1155
    UNION ALL
    SELECT from_address, token, token_id, -amount, NULL, NULL FROM transfers WHERE standard = 1155
  ),
  held AS (
    SELECT owner, token, token_id, 1155::smallint AS standard, least(sum(amount), 2::numeric ^ 256 - 1) AS amount,
           max(block_number) AS block_number, max(block_time) AS block_time
    FROM moves GROUP BY owner, token, token_id HAVING sum(amount) > 0 AND max(block_number) IS NOT NULL
  )`;

/**
 * Makes out anew who owns the items that moved in a range, from all of their transfers. The result does not depend on
 * the order in which ranges are stored; it is true once the history of an item is complete.
 */
export async function rebuildNftOwners(queries: Queries, schema: string, range: BlockRange): Promise<void> {
  await rebuild(queries, schema, range, '');
}

/** The same as of the block below a range that is about to be deleted. */
export async function rewindNftOwners(queries: Queries, schema: string, range: BlockRange): Promise<void> {
  await rebuild(queries, schema, range, 'AND transfer.block_number < :from');
}

async function rebuild(
  queries: Queries,
  schema: string,
  { from, to }: BlockRange,
  upTo: string,
): Promise<void> {
  await queries.query(
    `DELETE FROM ${schema}.nft_owners AS owner
     USING (SELECT DISTINCT token, token_id FROM ${schema}.nft_transfers
            WHERE block_number BETWEEN :from AND :to) AS touched
     WHERE owner.token = touched.token AND owner.token_id = touched.token_id`,
    { from, to },
  );
  await queries.query(
    `WITH ${owners(schema, upTo)}
     INSERT INTO ${schema}.nft_owners (owner, token, token_id, standard, amount, acquired_block, acquired_time)
     SELECT * FROM single WHERE owner <> ${NOBODY} UNION ALL SELECT * FROM held WHERE owner <> ${NOBODY}
     ON CONFLICT (owner, token, token_id) DO NOTHING`,
    { from, to },
  );
}
