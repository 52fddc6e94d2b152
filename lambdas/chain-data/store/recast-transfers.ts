import type { ChainConnection, ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import { type Sql, sql, sqlBytes } from '../../shared/chain-database/sql.ts';
import { FINALITY_BLOCKS } from '../../shared/runtime/finality.ts';
import type { Hex } from '../decode/raw-block.ts';
import { TOPICS } from '../decode/topics.ts';
import { holdChain } from './neighbours.ts';

/** Transfers that one transaction recasts. */
const PAGE_ROWS = 2_000;

/**
 * Makes the next transfers that a token logged as ERC-721 does (its `Transfer` indexes no argument, or all of them) transfers of
 * ERC-20: what stands in the place of the item is the amount. The items and owners that they made end, and the next snapshot
 * counts the token's balances anew if the blocks may be in one already.
 * @param token one that is known to be an ERC-20
 */
export async function recastTransfers(connection: ChainConnection, token: Hex): Promise<void> {
  const parameters = { token: hexDigits(token) };
  await connection.transaction(async (chain) => {
    await holdChain(chain);
    const { items, lowest } = await movePage(chain, parameters);
    await dropItems(chain, { ...parameters, items: `{${items.join(',')}}` });
    // The token last, as whoever stores blocks does; what such a transaction brings is seen once it has let the token go.
    // A snapshot that another transaction begins meanwhile is of the finalized block at most, which stays while the chain is held.
    await chain.query(
      sql`SELECT amounts FROM {{schema}}.tokens WHERE address = decode(:token, 'hex') FOR UPDATE`,
      parameters,
    );
    await chain.query(
      sql`UPDATE {{schema}}.tokens SET amounts = CASE WHEN EXISTS (${shapedAsItems()}) THEN 'due' ELSE 'done' END,
         standard = 20,
         recount_snapshot = CASE WHEN coalesce(recount_snapshot, 0) >= 0 AND (
             EXISTS (SELECT FROM {{schema}}.balance_snapshots WHERE NOT rewound AND block_number >= :lowest)
             OR EXISTS (SELECT FROM {{schema}}.cursors
               WHERE name = 'indexed' AND greatest(block_number - ${FINALITY_BLOCKS}, 0) >= :lowest)
           ) THEN 0 ELSE recount_snapshot END
         WHERE address = decode(:token, 'hex')`,
      { ...parameters, lowest },
    );
  });
}

/** SQL of the transfers of a token that a `Transfer` with the shape of ERC-721 made. */
function shapedAsItems(): Sql {
  return sql`SELECT moved.block_number, moved.log_index, moved.token_id FROM {{schema}}.nft_transfers AS moved
    JOIN {{schema}}.logs AS log ON log.block_number = moved.block_number AND log.log_index = moved.log_index
    WHERE moved.token = decode(:token, 'hex') AND moved.standard = 721 AND moved.batch_index = 0
      AND log.topic0 = ${sqlBytes(TOPICS.transfer)}`;
}

/** @returns the items that the transfers of the page named, and the lowest of their blocks; above all blocks if there are none */
async function movePage(chain: ChainQueries, parameters: Readonly<Record<'token', string>>) {
  const page = sql`page AS MATERIALIZED (${shapedAsItems()}
    ORDER BY moved.block_number, moved.log_index LIMIT ${PAGE_ROWS})`;
  await chain.query(
    sql`WITH ${page} SELECT count(*) AS locked FROM (
       SELECT FROM {{schema}}.nft_items WHERE token = decode(:token, 'hex') AND token_id IN (SELECT token_id FROM page)
       ORDER BY token_id FOR UPDATE
     ) AS item`,
    parameters,
  );
  const { rows } = await chain.query(
    sql`WITH ${page}, moved AS (
       DELETE FROM {{schema}}.nft_transfers AS transfer USING page
       WHERE transfer.block_number = page.block_number AND transfer.log_index = page.log_index RETURNING transfer.*
     ), added AS (
       INSERT INTO {{schema}}.erc20_transfers
         (block_number, log_index, block_time, tx_index, tx_hash, token, from_address, to_address, amount, kind)
       SELECT block_number, log_index, block_time, tx_index, tx_hash, token, from_address, to_address, token_id, kind
       FROM moved ON CONFLICT DO NOTHING
     )
     SELECT token_id::text AS item, min(block_number) AS lowest FROM moved GROUP BY token_id`,
    parameters,
  );
  return {
    items: rows.map(({ item }) => String(item)),
    lowest: Math.min(Number.MAX_SAFE_INTEGER, ...rows.map(({ lowest }) => Number(lowest))),
  };
}

/** Ends the items of a token that no transfer names any more, and what their owners had of them. */
async function dropItems(
  chain: ChainQueries,
  parameters: Readonly<Record<'token' | 'items', string>>,
): Promise<void> {
  const left = (table: Sql) =>
    sql`SELECT FROM {{schema}}.${table} AS other WHERE other.token = item.token AND other.token_id = item.token_id`;
  await chain.query(
    sql`WITH ended AS (
       DELETE FROM {{schema}}.nft_items AS item
       WHERE item.token = decode(:token, 'hex') AND item.token_id = ANY (:items::text::numeric[])
         AND NOT EXISTS (${left(sql`nft_transfers`)}) AND NOT EXISTS (${left(sql`nft_uris`)})
     )
     DELETE FROM {{schema}}.nft_owners
     WHERE token = decode(:token, 'hex') AND token_id = ANY (:items::text::numeric[]) AND standard = 721`,
    parameters,
  );
}
