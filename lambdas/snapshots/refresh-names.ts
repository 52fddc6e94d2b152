import type { Hex } from '../chain-data/decode/raw-block.ts';
import {
  type AskedToken,
  readTokenMetadata,
  type TokenMetadata,
} from '../indexer/fetch/read-token-metadata.ts';
import type { BatchOptions } from '../indexer/fetch/send-batch.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { hexDigits } from '../shared/chain-database/hex.ts';
import { sql } from '../shared/chain-database/sql.ts';
import { type HeldSnapshot, whileHeld } from './hold-snapshot.ts';
import type { VerifyParts } from './verify-balances.ts';

/** Tokens that one snapshot reads, and that all of a day do. */
const SNAPSHOT_TOKENS = 250;
const DAY_TOKENS = 1_000;

/**
 * Reads name, symbol and decimals of tokens again, as of the snapshot's block: of those that have moved since, and are priced or
 * held. Those that were read longest ago come first. What a token does not say any more stays as it was.
 * @throws {SnapshotLostError} if the run does not hold the snapshot any more
 * @throws {NodeError} where the node cannot be asked, and whatever the database fails with
 */
export async function refreshNames(
  { connection, node }: VerifyParts,
  snapshot: HeldSnapshot,
  options: BatchOptions,
): Promise<void> {
  const tokens = await tokensToRead(connection, snapshot);
  if (tokens.length === 0) return;
  const { block, blockHash } = snapshot;
  const said = await readTokenMetadata(node, tokens, { blockHash }, options);
  await whileHeld(connection, snapshot, (chain) => storeNames(chain, block, said));
}

async function tokensToRead(
  chain: ChainQueries,
  { block }: Pick<HeldSnapshot, 'block'>,
): Promise<AskedToken[]> {
  const { rows } = await chain.query(
    sql`SELECT '0x' || encode(token.address, 'hex') AS address, token.standard
     FROM {{schema}}.tokens AS token LEFT JOIN {{schema}}.price_scales AS scale ON scale.token = token.address
     WHERE token.metadata_status IN ('complete', 'partial') AND token.first_seen_block <= :block
       AND coalesce(token.described_block, -1) < :block
       AND (token.new_decimals IS NOT NULL
         OR token.updated_block > coalesce(token.described_block, token.first_seen_block)
            AND (token.holder_count > 0 OR scale.token IS NOT NULL))
     ORDER BY token.described_at NULLS FIRST, scale.token IS NULL, token.address
     LIMIT least(${SNAPSHOT_TOKENS}, greatest(0, ${DAY_TOKENS} - (
       SELECT count(*) FROM {{schema}}.tokens
       WHERE described_at > now() - interval '1 day' AND metadata_status <> 'pending')))`,
    { block },
  );
  return rows.map(({ address, standard }) => ({
    address: String(address) as Hex,
    standard: Number(standard) as AskedToken['standard'],
  }));
}

/**
 * Decimals are believed when two readings say them; until then the token makes no price. What a token called itself before keeps
 * the block up to which it did. One that the node did not answer for, or another contradicts, stays as it was, and behind all
 * others: it keeps none from being read.
 */
async function storeNames(chain: ChainQueries, block: number, said: readonly TokenMetadata[]): Promise<void> {
  const told = said.map(({ address, name, symbol, decimals, metadata_status }) => {
    const isTold = metadata_status !== 'pending';
    return { address: hexDigits(address), is_told: isTold, ...(isTold && { name, symbol, decimals }) };
  });
  await chain.query(
    sql`WITH said AS (
       SELECT decode(address, 'hex') AS address, is_told, name, symbol, decimals
       FROM json_to_recordset((:told)::json)
         AS one (address text, is_told boolean, name text, symbol text, decimals smallint)
     ), former AS MATERIALIZED (
       SELECT token.address, token.name, token.symbol, token.decimals, token.new_decimals
       FROM {{schema}}.tokens AS token JOIN said ON said.address = token.address
       ORDER BY token.address FOR UPDATE OF token
     ), named AS MATERIALIZED (
       SELECT former.address, said.is_told, coalesce(said.name, former.name) AS name, coalesce(said.symbol, former.symbol) AS symbol,
              CASE WHEN former.decimals IS NULL OR said.decimals = former.new_decimals THEN said.decimals
                   ELSE former.decimals END AS decimals,
              CASE WHEN said.decimals IS NULL THEN former.new_decimals
                   WHEN said.decimals NOT IN (former.decimals, coalesce(former.new_decimals, former.decimals))
                   THEN said.decimals END AS new_decimals
       FROM former JOIN said ON said.address = former.address
     ), kept AS (
       INSERT INTO {{schema}}.token_names (token, to_block, name, symbol, decimals)
       SELECT former.address, :block, former.name, former.symbol, former.decimals
       FROM former JOIN named ON named.address = former.address
       WHERE (former.name, former.symbol, former.decimals) IS DISTINCT FROM (named.name, named.symbol, named.decimals)
       ON CONFLICT DO NOTHING
     ), stock AS (
       UPDATE {{schema}}.stock_tokens AS stock SET name = named.name, symbol = named.symbol, decimals = named.decimals
       FROM named WHERE stock.token = named.address
         AND (stock.name, stock.symbol, stock.decimals) IS DISTINCT FROM (named.name, named.symbol, named.decimals)
     )
     UPDATE {{schema}}.tokens AS token
     SET name = named.name, symbol = named.symbol, decimals = named.decimals, new_decimals = named.new_decimals,
         described_block = CASE WHEN named.is_told THEN :block ELSE token.described_block END, described_at = now()
     FROM named WHERE token.address = named.address`,
    { told: JSON.stringify(told), block },
  );
}
