import type { Hex } from '../chain-data/decode/raw-block.ts';
import type { BlockRange } from '../chain-data/store/block-range.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { hexList } from '../shared/chain-database/hex.ts';
import { type Sql, sql, sqlIndexed, sqlName, ZERO_ADDRESS_SQL } from '../shared/chain-database/sql.ts';
import { log } from '../shared/runtime/log.ts';
import { isDerived } from './set-aside.ts';

/** Stock tokens that no listed factory made of which anything is derived: any contract can be one. */
const MAX_UNLISTED = 5_000;
const TOO_MANY = `one of more than ${MAX_UNLISTED} stocks whose factory is not listed`;

/** The tokens of a list, as SQL. */
export const GIVEN_TOKENS = sql`SELECT decode(id, 'hex') AS token
  FROM unnest(:tokens::text::text[]) AS given (id)`;

/**
 * Forgets what was derived of stock tokens that are none any more, or whose first multiplier turned out to be
 * another.
 */
export async function forgetStrangeStocks(chain: ChainQueries): Promise<void> {
  const { rows } = await chain.query(
    sql`DELETE FROM {{schema}}.stock_ledgers AS ledger
     WHERE NOT EXISTS (SELECT FROM {{schema}}.stock_tokens AS stock
                       WHERE stock.token = ledger.token
                         AND stock.initial_multiplier = ledger.initial_multiplier)
     RETURNING encode(token, 'hex') AS token`,
  );
  if (rows.length === 0) return;
  const tokens = hexList(rows.map(({ token }) => `0x${token}` as const));
  for (const table of ['stock_holdings', 'stock_daily'])
    await chain.query(sql`DELETE FROM {{schema}}.${sqlName(table)} WHERE token IN (${GIVEN_TOKENS})`, {
      tokens,
    });
}

/**
 * Begins the ledgers of stock tokens that are new: of all that a listed factory made, and of the others as long as there is
 * room. The rest is set aside, until its factory is listed.
 */
async function beginLedgers(
  chain: ChainQueries,
  { first, block }: { readonly first: number; readonly block: number },
): Promise<void> {
  const { updated } = await chain.query(
    sql`WITH room AS MATERIALIZED (
       SELECT ${MAX_UNLISTED} - count(*) AS places FROM {{schema}}.stock_ledgers
       JOIN {{schema}}.stock_tokens AS stock USING (token) WHERE stock.factory IS NULL
     ), new AS MATERIALIZED (
       SELECT stock.token, stock.initial_multiplier, stock.factory IS NOT NULL AS listed,
              row_number() OVER (PARTITION BY stock.factory IS NULL ORDER BY registered_block, stock.token) AS place
       FROM {{schema}}.stock_tokens AS stock
       LEFT JOIN {{schema}}.set_aside AS aside ON aside.subject_kind = 'token' AND aside.subject = stock.token
       WHERE NOT EXISTS (SELECT FROM {{schema}}.stock_ledgers AS ledger WHERE ledger.token = stock.token)
         AND (aside.subject IS NULL OR stock.factory IS NOT NULL AND aside.reason = :reason)
     ), begun AS (
       INSERT INTO {{schema}}.stock_ledgers (token, block_number, initial_multiplier)
       SELECT token, :first - 1, initial_multiplier FROM new, room WHERE listed OR place <= places
       ORDER BY token ON CONFLICT DO NOTHING
     ), back AS (
       DELETE FROM {{schema}}.set_aside
       WHERE subject_kind = 'token' AND reason = :reason AND subject IN (SELECT token FROM new WHERE listed)
     )
     INSERT INTO {{schema}}.set_aside (subject_kind, subject, from_block, reason)
     SELECT 'token', token, :block + 1, :reason FROM new, room WHERE NOT listed AND place > places
     ON CONFLICT DO NOTHING`,
    { first, block, reason: TOO_MANY },
  );
  if (updated > 0)
    log('error', 'derivation_set_aside', {
      chain: chain.name,
      count: updated,
      reason: TOO_MANY,
    });
}

/** A stock token that is not derived as far as the rest, and the last of its blocks that is. */
export interface LateStock {
  readonly token: Hex;
  readonly block: number;
}

/**
 * A stock token that became known after blocks of its time were derived up to `block`, of a listed factory before any
 * other; undefined if it is absent.
 */
export async function findLateStock(
  chain: ChainQueries,
  { first, block }: { readonly first: number; readonly block: number },
): Promise<LateStock | undefined> {
  await beginLedgers(chain, { first, block });
  const { rows } = await chain.query(
    sql`SELECT encode(token, 'hex') AS token, ledger.block_number FROM {{schema}}.stock_ledgers AS ledger
     JOIN {{schema}}.stock_tokens AS stock USING (token)
     WHERE ledger.block_number < :block AND ${isDerived('token', sql`token`)}
     ORDER BY stock.factory IS NULL, token LIMIT 1`,
    { block },
  );
  return rows[0] && { token: `0x${rows[0].token}`, block: Number(rows[0].block_number) };
}

/** All stock tokens of which anything is derived. */
export async function stockTokens(chain: ChainQueries): Promise<Hex[]> {
  const { rows } = await chain.query(
    sql`SELECT encode(token, 'hex') AS token FROM {{schema}}.stock_ledgers
     WHERE ${isDerived('token', sql`token`)} ORDER BY token`,
  );
  return rows.map(({ token }) => `0x${token}` as const);
}

/** Books the transfers of a range, after which each of the tokens' ledgers stands at its end. */
export async function bookTransfers(
  chain: ChainQueries,
  tokens: readonly Hex[],
  { from, to }: BlockRange,
): Promise<void> {
  const parameters = { tokens: hexList(tokens), from, to };
  await chain.query(bookSql(sql`transfer.block_number BETWEEN :from AND :to`, sql``), parameters);
  await chain.query(
    sql`UPDATE {{schema}}.stock_ledgers SET block_number = :to WHERE token IN (${GIVEN_TOKENS})`,
    { tokens: parameters.tokens, to },
  );
  await dropEmpty(chain, parameters.tokens);
}

/** Takes back the transfers above a block, as far as they are booked. */
export async function unbookTransfers(
  chain: ChainQueries,
  tokens: readonly Hex[],
  block: number,
): Promise<void> {
  const parameters = { tokens: hexList(tokens), block };
  const booked = sql`transfer.block_number > :block AND transfer.block_number <= ledger.block_number`;
  await chain.query(bookSql(booked, sql`-`), parameters);
  await chain.query(
    sql`UPDATE {{schema}}.stock_ledgers SET block_number = :block
     WHERE token IN (${GIVEN_TOKENS}) AND block_number > :block`,
    parameters,
  );
  await dropEmpty(chain, parameters.tokens);
}

function bookSql(condition: Sql, sign: Sql): Sql {
  return sql`INSERT INTO {{schema}}.stock_holdings AS holding (token, holder, amount)
    SELECT transfer.token, move.holder, ${sign}sum(move.amount)
    FROM {{schema}}.stock_ledgers AS ledger
    JOIN {{schema}}.erc20_transfers AS transfer ON ${sqlIndexed(sql`transfer.token`, sql`ledger.token`)}
    CROSS JOIN LATERAL (
      VALUES (transfer.to_address, transfer.amount), (transfer.from_address, -transfer.amount)
    ) AS move (holder, amount)
    WHERE ledger.token IN (${GIVEN_TOKENS}) AND ${condition} AND move.holder <> ${ZERO_ADDRESS_SQL}
    GROUP BY transfer.token, move.holder ORDER BY transfer.token, move.holder
    ON CONFLICT (token, holder) DO UPDATE SET amount = holding.amount + EXCLUDED.amount`;
}

async function dropEmpty(chain: ChainQueries, tokens: string): Promise<void> {
  await chain.query(
    sql`DELETE FROM {{schema}}.stock_holdings WHERE token IN (${GIVEN_TOKENS}) AND amount = 0`,
    { tokens },
  );
}
