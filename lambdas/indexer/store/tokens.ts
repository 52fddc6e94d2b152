import type { Queries } from '../../chain-data/chain-database.ts';
import { loadRows } from '../../chain-data/load-rows.ts';
import type { Hex } from '../decode/raw-block.ts';
import type { SeenToken, TokenUri } from '../decode/rows.ts';
import type { BlockRange } from './block-range.ts';

/** Adds the transfers of tokens to what is known of these, in the order of their addresses so that nobody waits in a circle. */
export async function mergeTokens(
  queries: Queries,
  schema: string,
  seen: readonly SeenToken[],
): Promise<void> {
  const tokens = sumOfTokens(seen);
  await loadRows(queries, {
    table: `${schema}.tokens AS token`,
    columns: {
      address: 'bytea',
      standard: 'smallint',
      first_seen_block: 'bigint',
      transfer_count: 'bigint',
      updated_block: 'bigint',
    },
    rows: tokens.map(({ address, standard, first_seen_block, transfer_count, last_seen_block }) => [
      address,
      standard,
      first_seen_block,
      transfer_count,
      last_seen_block,
    ]),
    onConflict: `(address) DO UPDATE SET standard = greatest(token.standard, EXCLUDED.standard),
      first_seen_block = least(token.first_seen_block, EXCLUDED.first_seen_block),
      transfer_count = token.transfer_count + EXCLUDED.transfer_count,
      updated_block = greatest(token.updated_block, EXCLUDED.updated_block)`,
  });
}

interface TokenSum extends SeenToken {
  readonly last_seen_block: number;
}

/** Each token once. `seen`: in the order of the chain. */
function sumOfTokens(seen: readonly SeenToken[]): TokenSum[] {
  const tokens = new Map<Hex, TokenSum>();
  for (const token of seen) {
    const before = tokens.get(token.address);
    tokens.set(token.address, {
      address: token.address,
      standard: before !== undefined && before.standard > token.standard ? before.standard : token.standard,
      first_seen_block: before?.first_seen_block ?? token.first_seen_block,
      last_seen_block: token.first_seen_block,
      transfer_count: (before?.transfer_count ?? 0) + token.transfer_count,
    });
  }
  return [...tokens.values()].sort((one, other) => (one.address < other.address ? -1 : 1));
}

/** Adds the items that moved in a range, and what was announced of their URIs. */
export async function mergeNftItems(
  queries: Queries,
  schema: string,
  { from, to }: BlockRange,
  uris: readonly TokenUri[],
): Promise<void> {
  await queries.query(
    `INSERT INTO ${schema}.nft_items AS item (token, token_id, first_seen_block, updated_block)
     SELECT token, token_id, min(block_number), min(block_number) FROM ${schema}.nft_transfers
     WHERE block_number BETWEEN :from AND :to GROUP BY token, token_id ORDER BY token, token_id
     ON CONFLICT (token, token_id) DO UPDATE
       SET first_seen_block = EXCLUDED.first_seen_block,
           updated_block = CASE WHEN item.token_uri IS NULL THEN EXCLUDED.updated_block ELSE item.updated_block END
       WHERE EXCLUDED.first_seen_block < item.first_seen_block`,
    { from, to },
  );
  const newest = new Map(uris.map((uri) => [`${uri.token} ${uri.token_id}`, uri]));
  await loadRows(queries, {
    table: `${schema}.nft_items AS item`,
    columns: {
      token: 'bytea',
      token_id: 'numeric',
      token_uri: 'text',
      first_seen_block: 'bigint',
      updated_block: 'bigint',
    },
    rows: Array.from(newest.values(), ({ token, token_id, token_uri, block_number }) => [
      token,
      token_id,
      token_uri,
      block_number,
      block_number,
    ]),
    onConflict: `(token, token_id) DO UPDATE
      SET token_uri = EXCLUDED.token_uri, updated_block = EXCLUDED.updated_block,
          first_seen_block = least(item.first_seen_block, EXCLUDED.first_seen_block)
      WHERE item.updated_block <= EXCLUDED.updated_block OR item.token_uri IS NULL`,
  });
}

/** Makes tokens and items again what they were at the end of a block; to be done before its transfers are deleted. */
export async function rewindTokens(queries: Queries, schema: string, block: number): Promise<void> {
  const gone = `SELECT token FROM ${schema}.erc20_transfers WHERE block_number > :block
    UNION ALL SELECT token FROM ${schema}.nft_transfers WHERE block_number > :block`;
  await queries.query(
    `UPDATE ${schema}.tokens AS token
     SET transfer_count = token.transfer_count - gone.transfers,
         updated_block = greatest((SELECT max(block_number) FROM ${schema}.erc20_transfers AS transfer
                                   WHERE transfer.token = token.address AND transfer.block_number <= :block),
                                  (SELECT max(block_number) FROM ${schema}.nft_transfers AS transfer
                                   WHERE transfer.token = token.address AND transfer.block_number <= :block)),
         standard = greatest(20, (SELECT max(standard) FROM ${schema}.nft_transfers AS transfer
                                  WHERE transfer.token = token.address AND transfer.block_number <= :block))
     FROM (SELECT token, count(*) AS transfers FROM (${gone}) AS transfer GROUP BY token) AS gone
     WHERE token.address = gone.token AND token.first_seen_block <= :block`,
    { block },
  );
  await queries.query(`DELETE FROM ${schema}.stock_tokens WHERE registered_block > :block`, { block });
  await queries.query(`DELETE FROM ${schema}.tokens WHERE first_seen_block > :block`, { block });
  await queries.query(`DELETE FROM ${schema}.nft_items WHERE first_seen_block > :block`, { block });
  // What a URI was before is not kept: until it is announced again, there is none.
  await queries.query(
    `UPDATE ${schema}.nft_items SET token_uri = NULL, updated_block = first_seen_block
     WHERE updated_block > :block`,
    { block },
  );
}
