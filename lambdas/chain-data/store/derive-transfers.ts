import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import {
  joinSql,
  type Sql,
  sql,
  sqlBytes,
  sqlIndexed,
  sqlName,
  sqlText,
  sqlUint,
  ZERO_ADDRESS_SQL,
} from '../../shared/chain-database/sql.ts';
import type { DecodeOptions } from '../decode/decode-logs.ts';
import { LOAD_COLUMNS } from '../decode/load-columns.ts';
import { TOPICS } from '../decode/topics.ts';
import type { BlockRange } from './block-range.ts';

/** Bytes of an ABI word, and the first of an address in one. */
const WORD_BYTES = 32;
const ADDRESS_START = 13;
const TRANSFER = sqlBytes(TOPICS.transfer);
const DEPOSIT = sqlBytes(TOPICS.deposit);
const WITHDRAWAL = sqlBytes(TOPICS.withdrawal);
/** What two logs of the same movement in one transaction have in common. */
const MOVEMENT = sql`block_number, tx_index, token, from_address, to_address, amount`;
const COLUMN_NAMES = Object.keys(LOAD_COLUMNS.erc20_transfers);
const COLUMNS = joinSql(COLUMN_NAMES.map(sqlName), ', ');
const COLUMNS_BUT_KIND = joinSql(COLUMN_NAMES.filter((name) => name !== 'kind').map(sqlName), ', ');

/**
 * Makes the ERC-20 transfers of stored blocks those that the decoder finds in their logs today (`decodeTransfer`, and
 * `mergeWrappings` for wrapped native tokens), and the counts of their tokens with them. Rows that are right already
 * are left as they are, as are recast ones (`recastTransfers`). For a transaction during which no other stores or takes back these blocks.
 */
export async function deriveTransfers(
  chain: ChainQueries,
  { from, to }: BlockRange,
  { wrappedNative }: DecodeOptions,
): Promise<void> {
  const wrapped = [...wrappedNative].map((address) => hexDigits(address));
  const { rows } = await chain.query(
    sql`WITH believed AS MATERIALIZED (
       SELECT coalesce(array_agg(decode(address, 'hex')), '{}') AS wrapped
       FROM unnest(:wrapped::text::text[]) AS listed (address)
     ), found AS MATERIALIZED (${foundTransfers()}), derived AS MATERIALIZED (${mergedTransfers()}),
     removed AS (
       DELETE FROM {{schema}}.erc20_transfers AS stored WHERE block_number BETWEEN :from AND :to
         AND token NOT IN (SELECT address FROM {{schema}}.tokens WHERE amounts IS NOT NULL)
         AND NOT EXISTS (SELECT FROM derived WHERE (derived.block_number, derived.log_index)
                                                 = (stored.block_number, stored.log_index))
       RETURNING token, block_number
     ), changed AS (
       UPDATE {{schema}}.erc20_transfers AS stored
       SET from_address = derived.from_address, to_address = derived.to_address, amount = derived.amount,
           kind = derived.kind
       FROM derived
       WHERE stored.block_number BETWEEN :from AND :to
         AND (stored.block_number, stored.log_index) = (derived.block_number, derived.log_index)
         AND (stored.from_address, stored.to_address, stored.amount, stored.kind)
             IS DISTINCT FROM (derived.from_address, derived.to_address, derived.amount, derived.kind)
     ), added AS (
       INSERT INTO {{schema}}.erc20_transfers (${COLUMNS})
       SELECT ${COLUMNS} FROM derived
       WHERE NOT EXISTS (SELECT FROM {{schema}}.erc20_transfers AS stored
                         WHERE stored.block_number BETWEEN :from AND :to
                           AND (stored.block_number, stored.log_index) = (derived.block_number, derived.log_index))
       ORDER BY block_number, log_index ON CONFLICT DO NOTHING RETURNING token, block_number
     ), counted AS (
       INSERT INTO {{schema}}.tokens AS token (address, standard, first_seen_block, transfer_count, updated_block)
       SELECT token, 20, min(block_number), sum(transfers), max(block_number)
       FROM (SELECT token, block_number, 1 AS transfers FROM added
             UNION ALL SELECT token, block_number, -1 FROM removed) AS counted
       GROUP BY token ORDER BY token
       ON CONFLICT (address) DO UPDATE SET first_seen_block = least(token.first_seen_block, EXCLUDED.first_seen_block),
         transfer_count = token.transfer_count + EXCLUDED.transfer_count,
         updated_block = greatest(token.updated_block, EXCLUDED.updated_block)
     )
     SELECT DISTINCT encode(token, 'hex') AS token FROM removed`,
    { from, to, wrapped: `{${wrapped.join(',')}}` },
  );
  if (rows.length > 0)
    await restoreTokens(
      chain,
      rows.map(({ token }) => String(token)),
    );
}

/** Makes tokens that lost transfers what they had been without; one that has none left was never seen. */
async function restoreTokens(chain: ChainQueries, tokens: readonly string[]): Promise<void> {
  const lost = sql`SELECT decode(token, 'hex') FROM unnest(:tokens::text::text[]) AS lost (token)`;
  const parameters = { tokens: `{${tokens.join(',')}}` };
  const isOf = {
    erc20_transfers: sqlIndexed(sql`transfer.token`, sql`tokens.address`),
    nft_transfers: sql`transfer.token = tokens.address`,
  };
  const blockOf = (table: keyof typeof isOf, choice: 'min' | 'max') =>
    sql`(SELECT ${sqlName(choice)}(block_number) FROM {{schema}}.${sqlName(table)} AS transfer WHERE ${isOf[table]})`;
  await chain.query(
    sql`UPDATE {{schema}}.tokens
     SET first_seen_block = least(${blockOf('erc20_transfers', 'min')}, ${blockOf('nft_transfers', 'min')}),
         updated_block = greatest(${blockOf('erc20_transfers', 'max')}, ${blockOf('nft_transfers', 'max')})
     WHERE address IN (${lost}) AND transfer_count > 0`,
    parameters,
  );
  await chain.query(
    sql`DELETE FROM {{schema}}.tokens WHERE address IN (${lost}) AND transfer_count = 0`,
    parameters,
  );
}

/** SQL of what each log says by itself. What does not have the shape of its event says nothing. */
function foundTransfers(): Sql {
  const site = sql`block_number, log_index, tx_index, tx_hash, block_time, address AS token`;
  const range = sql`block_number BETWEEN :from AND :to`;
  const amount = sqlUint(sql`substr(data, 1, ${WORD_BYTES})`);
  const wrapping = (topic: Sql, from: Sql, to: Sql, kind: string) =>
    sql`SELECT ${site}, ${from} AS from_address, ${to} AS to_address, ${amount} AS amount, ${sqlText(kind)} AS kind
     FROM {{schema}}.logs WHERE ${range} AND ${sqlIndexed(sql`topic0`, topic)} AND address = ANY ((SELECT wrapped FROM believed)::bytea[])
       AND ${isAddress('topic1')} AND topic2 IS NULL AND octet_length(data) >= ${WORD_BYTES}`;
  return sql`
    SELECT *, CASE WHEN from_address = to_address THEN 'transfer' WHEN from_address = ${ZERO_ADDRESS_SQL} THEN 'mint'
                   WHEN to_address = ${ZERO_ADDRESS_SQL} THEN 'burn' ELSE 'transfer' END AS kind
    FROM (
      SELECT ${site}, ${addressOf('topic1')} AS from_address, ${addressOf('topic2')} AS to_address,
             ${amount} AS amount
      FROM {{schema}}.logs WHERE ${range} AND ${sqlIndexed(sql`topic0`, TRANSFER)}
        AND ${isAddress('topic1')} AND ${isAddress('topic2')} AND topic3 IS NULL AND octet_length(data) >= ${WORD_BYTES}
    ) AS plain
    UNION ALL ${wrapping(DEPOSIT, ZERO_ADDRESS_SQL, addressOf('topic1'), 'wrap')}
    UNION ALL ${wrapping(WITHDRAWAL, addressOf('topic1'), ZERO_ADDRESS_SQL, 'unwrap')}`;
}

/** SQL of the same with each wrapping once: of its two logs the `Transfer` stays, with the kind of the other. */
function mergedTransfers(): Sql {
  const mergeable = sql`token = ANY ((SELECT wrapped FROM believed)::bytea[]) AND kind <> 'transfer'`;
  return sql`
    SELECT ${COLUMNS} FROM found WHERE NOT (${mergeable})
    UNION ALL
    SELECT ${COLUMNS_BUT_KIND},
           CASE WHEN place > wrappings THEN kind WHEN kind = 'mint' THEN 'wrap' WHEN kind = 'burn' THEN 'unwrap'
                ELSE kind END
    FROM (
      SELECT *, row_number() OVER (PARTITION BY ${MOVEMENT}, kind IN ('wrap', 'unwrap') ORDER BY log_index) AS place,
             count(*) FILTER (WHERE kind IN ('wrap', 'unwrap')) OVER (PARTITION BY ${MOVEMENT}) AS wrappings,
             count(*) FILTER (WHERE kind IN ('mint', 'burn')) OVER (PARTITION BY ${MOVEMENT}) AS plain
      FROM found WHERE ${mergeable}
    ) AS paired
    WHERE kind IN ('mint', 'burn') OR place > plain`;
}

function addressOf(topic: string): Sql {
  return sql`substr(${sqlName(topic)}, ${ADDRESS_START})`;
}

/** False for a topic that is not there, too. */
function isAddress(topic: string): Sql {
  return sql`substr(${sqlName(topic)}, 1, ${ADDRESS_START - 1}) = ${sqlBytes(`0x${'00'.repeat(ADDRESS_START - 1)}`)}`;
}
