import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { type Sql, sql, sqlIndexed } from '../../shared/chain-database/sql.ts';

/**
 * What becomes of a token that is there already when more of its transfers are counted. Of an ERC-20 that moved as one of
 * ERC-721, the transfers are still to be recast.
 */
const ADDED_TO_TOKEN = sql`(address) DO UPDATE SET
      standard = CASE WHEN token.amounts IS NOT NULL AND EXCLUDED.standard = 721 THEN token.standard
                      ELSE greatest(token.standard, EXCLUDED.standard) END,
      amounts = CASE WHEN token.amounts IS NOT NULL AND EXCLUDED.standard = 721 THEN 'due' ELSE token.amounts END,
      first_seen_block = least(token.first_seen_block, EXCLUDED.first_seen_block),
      transfer_count = token.transfer_count + EXCLUDED.transfer_count,
      updated_block = greatest(token.updated_block, EXCLUDED.updated_block)`;

/**
 * Counts the stored transfers of a range into their tokens, once. A contract that moves like several standards is the highest of
 * them. Always in the order of addresses: no two transactions wait for each other.
 */
export const COUNT_STORED_TRANSFERS: Sql = sql`
  INSERT INTO {{schema}}.tokens AS token (address, standard, first_seen_block, transfer_count, updated_block)
  SELECT token, max(standard), min(block_number), count(*), max(block_number)
  FROM (
    SELECT token, 20::smallint AS standard, block_number FROM {{schema}}.erc20_transfers
    WHERE block_number BETWEEN :from AND :to
    UNION ALL
    SELECT token, standard, block_number FROM {{schema}}.nft_transfers WHERE block_number BETWEEN :from AND :to
  ) AS moved
  GROUP BY token ORDER BY token ON CONFLICT ${ADDED_TO_TOKEN}`;

/** Registers stocks in the blocks that their tokens were first seen in, as far as these are stored now. */
export const REGISTER_STOCKS: Sql = sql`UPDATE {{schema}}.stock_tokens AS stock
  SET registered_block = token.first_seen_block, updated_block = token.first_seen_block
  FROM {{schema}}.tokens AS token
  WHERE token.address = stock.token AND stock.registered_block <> token.first_seen_block`;

/**
 * Makes tokens again what they were at the end of a block; to be done before the transfers above it are deleted. The next
 * snapshot reads the supply of those that moved above it, if theirs is of a block that is gone.
 */
export async function rewindTokens(chain: ChainQueries, block: number): Promise<void> {
  const gone = sql`SELECT token FROM {{schema}}.erc20_transfers WHERE block_number > :block
    UNION ALL SELECT token FROM {{schema}}.nft_transfers WHERE block_number > :block`;
  // In the order of those who count: what a fill has counted of them is seen by the statements after this one.
  await chain.query(
    sql`SELECT count(*) AS locked FROM (
       SELECT FROM {{schema}}.tokens WHERE address IN (${gone}) ORDER BY address FOR UPDATE
     ) AS token`,
    { block },
  );
  await chain.query(
    sql`UPDATE {{schema}}.tokens AS token
     SET transfer_count = token.transfer_count - gone.transfers,
         supply_block = CASE WHEN token.supply_block <= :block THEN token.supply_block END,
         -- Those below may be gone, as another rule derives them.
         updated_block = coalesce(greatest((SELECT max(block_number) FROM {{schema}}.erc20_transfers AS transfer
                                   WHERE ${sqlIndexed(sql`transfer.token`, sql`token.address`)} AND transfer.block_number <= :block),
                                  (SELECT max(block_number) FROM {{schema}}.nft_transfers AS transfer
                                   WHERE transfer.token = token.address AND transfer.block_number <= :block)),
                                  token.first_seen_block),
         standard = CASE WHEN ${hasMovedAs(1155)} THEN 1155 WHEN ${hasMovedAs(721)} THEN 721 ELSE 20 END
     FROM (SELECT token, count(*) AS transfers FROM (${gone}) AS transfer GROUP BY token) AS gone
     WHERE token.address = gone.token AND token.first_seen_block <= :block`,
    { block },
  );
  await chain.query(
    sql`UPDATE {{schema}}.tokens SET described_block = NULL, new_decimals = NULL
     WHERE described_block > :block AND address IN (
       SELECT address FROM {{schema}}.tokens WHERE new_decimals IS NOT NULL
       UNION SELECT token FROM {{schema}}.token_names WHERE to_block > :block)`,
    { block },
  );
  await chain.query(sql`DELETE FROM {{schema}}.token_names WHERE to_block > :block`, { block });
  await chain.query(sql`DELETE FROM {{schema}}.tokens WHERE first_seen_block > :block`, { block });
}

/** Takes back stocks above a block, in a transaction that holds the coverage, as whoever registers them does. */
export async function rewindStocks(chain: ChainQueries, block: number): Promise<void> {
  // Blocks below may have been stored since, where a token was seen before.
  await chain.query(REGISTER_STOCKS);
  await chain.query(sql`DELETE FROM {{schema}}.stock_tokens WHERE registered_block > :block`, { block });
}

/**
 * SQL of whether a token has transfers of a standard up to a block: each standard has an index of its own, which passes
 * by nothing but what is about to be deleted.
 */
function hasMovedAs(standard: 721 | 1155): Sql {
  return sql`(SELECT true FROM {{schema}}.nft_transfers AS transfer
    WHERE transfer.token = token.address AND transfer.standard = ${standard} AND transfer.block_number <= :block
    LIMIT 1)`;
}
