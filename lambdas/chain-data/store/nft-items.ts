import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { type Sql, sql } from '../../shared/chain-database/sql.ts';
import type { BlockRange } from './block-range.ts';

/** An item that is there already was seen at the earlier of both blocks, and is locked in any case. */
const SEEN_EARLIER = sql`(token, token_id) DO UPDATE
      SET first_seen_block = EXCLUDED.first_seen_block,
          updated_block = CASE WHEN item.uri_size IS NULL THEN EXCLUDED.updated_block ELSE item.updated_block END
      WHERE EXCLUDED.first_seen_block < item.first_seen_block`;

/**
 * Adds the items that the stored rows of a range name, and keeps all others that do the same with one of them waiting until the
 * transaction ends: what these stored, the statements after it see. Always in one order: no two wait for each other.
 */
export const ADD_STORED_ITEMS: Sql = sql`
  INSERT INTO {{schema}}.nft_items AS item (token, token_id, first_seen_block, updated_block)
  SELECT token, token_id, min(block_number), min(block_number)
  FROM (
    SELECT token, token_id, block_number FROM {{schema}}.nft_transfers WHERE block_number BETWEEN :from AND :to
    UNION ALL
    SELECT token, token_id, block_number FROM {{schema}}.nft_uris WHERE block_number BETWEEN :from AND :to
  ) AS seen
  GROUP BY token, token_id ORDER BY token, token_id ON CONFLICT ${SEEN_EARLIER}`;

/** Makes items again what they were below a range that is about to be deleted, and keeps others from changing them. */
export async function rewindNftItems(chain: ChainQueries, { from, to }: BlockRange): Promise<void> {
  const touched = sql`(
    SELECT token, token_id FROM {{schema}}.nft_transfers WHERE block_number BETWEEN :from AND :to
    UNION SELECT token, token_id FROM {{schema}}.nft_uris WHERE block_number BETWEEN :from AND :to) AS touched`;
  await chain.query(
    sql`SELECT count(*) AS locked FROM (
       SELECT FROM ${touched} JOIN {{schema}}.nft_items AS item USING (token, token_id)
       ORDER BY item.token, item.token_id FOR UPDATE OF item
     ) AS item`,
    { from, to },
  );
  await chain.query(
    sql`DELETE FROM {{schema}}.nft_items AS item USING ${touched}
     WHERE item.token = touched.token AND item.token_id = touched.token_id AND item.first_seen_block >= :from`,
    { from, to },
  );
  await chain.query(newestUris(sql`AND uri.block_number < :from`), { from, to });
}

/** Gives the items that were announced a URI in a range the newest that counts, if there is one. */
function newestUris(counted: Sql): Sql {
  return sql`UPDATE {{schema}}.nft_items AS item
     SET token_uri = newest.token_uri, uri_size = newest.uri_size, updated_block = coalesce(newest.block_number, item.first_seen_block)
     FROM (SELECT DISTINCT token, token_id FROM {{schema}}.nft_uris WHERE block_number BETWEEN :from AND :to) AS named
     LEFT JOIN LATERAL (
       SELECT uri.token_uri, uri.uri_size, uri.block_number FROM {{schema}}.nft_uris AS uri
       WHERE uri.token = named.token AND uri.token_id = named.token_id ${counted}
       ORDER BY uri.block_number DESC, uri.log_index DESC LIMIT 1
     ) AS newest ON true
     WHERE item.token = named.token AND item.token_id = named.token_id`;
}

/** Gives the items that the stored rows of a range announce a URI of their newest. */
export const SET_STORED_URIS: Sql = newestUris(sql``);
