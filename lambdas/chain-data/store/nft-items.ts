import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { loadRows } from '../../shared/chain-database/load-rows.ts';
import { type Sql, sql } from '../../shared/chain-database/sql.ts';
import { valuesOf } from '../decode/load-columns.ts';
import type { NftTransferRow, TokenUri } from '../decode/rows.ts';
import type { BlockRange } from './block-range.ts';

const COLUMNS = {
  token: 'bytea',
  token_id: 'numeric',
  first_seen_block: 'bigint',
  updated_block: 'bigint',
} as const;

/** An item that is there already was seen at the earlier of both blocks, and is locked in any case. */
const SEEN_EARLIER = sql`(token, token_id) DO UPDATE
      SET first_seen_block = EXCLUDED.first_seen_block,
          updated_block = CASE WHEN item.uri_size IS NULL THEN EXCLUDED.updated_block ELSE item.updated_block END
      WHERE EXCLUDED.first_seen_block < item.first_seen_block`;

/** Adds the items that the stored rows of a range name, and locks them, as {@link lockNftItems} does before they are stored. */
export const ADD_STORED_ITEMS: Sql = sql`
  INSERT INTO {{schema}}.nft_items AS item (token, token_id, first_seen_block, updated_block)
  SELECT token, token_id, min(block_number), min(block_number)
  FROM (
    SELECT token, token_id, block_number FROM {{schema}}.nft_transfers WHERE block_number BETWEEN :from AND :to
    UNION ALL
    SELECT token, token_id, block_number FROM {{schema}}.nft_uris WHERE block_number BETWEEN :from AND :to
  ) AS seen
  GROUP BY token, token_id ORDER BY token, token_id ON CONFLICT ${SEEN_EARLIER}`;

/**
 * Adds the items that moved or were announced a URI, and keeps all others that do the same with one of them waiting until the
 * transaction ends: to be done before its transfers are stored. Always in one order: no two wait for each other.
 * @param seen in the order of the chain
 */
export async function lockNftItems(
  chain: ChainQueries,
  seen: readonly (NftTransferRow | TokenUri)[],
): Promise<void> {
  await loadRows(chain, {
    table: sql`{{schema}}.nft_items AS item`,
    columns: COLUMNS,
    rows: valuesOf(COLUMNS, itemsOf(seen)),
    onConflict: SEEN_EARLIER,
  });
}

/** Each item once, with the first block that names it. */
function itemsOf(seen: readonly (NftTransferRow | TokenUri)[]) {
  const items = new Map(
    seen.toReversed().map(({ token, token_id, block_number }) => {
      const item = { token, token_id, first_seen_block: block_number, updated_block: block_number };
      return [`${token} ${token_id}`, item];
    }),
  );
  return [...items.values()].sort((one, other) => {
    if (one.token !== other.token) return one.token < other.token ? -1 : 1;
    return one.token_id < other.token_id ? -1 : 1;
  });
}

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
