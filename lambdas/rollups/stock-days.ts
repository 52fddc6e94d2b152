import type { Hex } from '../chain-data/decode/raw-block.ts';
import type { BlockRange } from '../chain-data/store/block-range.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { hexList } from '../shared/chain-database/hex.ts';
import {
  joinSql,
  type Sql,
  sql,
  sqlIndexed,
  sqlName,
  ZERO_ADDRESS_SQL,
} from '../shared/chain-database/sql.ts';
import { inShares, joinMultiplier } from '../shared/chain-database/stock-multiplier.ts';
import { isDerived } from './set-aside.ts';
import { bookTransfers, GIVEN_TOKENS, unbookTransfers } from './stock-ledgers.ts';

const DAY_SECONDS = 86_400;
const BPS = 10_000;
const TOP_HOLDERS = 10;
/** What a column of integers can hold. */
const MAX_INTEGER = 2_147_483_647;
/** At a transfer its token's multiplier is what the contract held then; at the end of a day what was announced up to its last block. */
const MULTIPLIER_OF_TRANSFER = joinMultiplier(sql`transfer.token`, {
  time: sql`transfer.block_time`,
  block: sql`transfer.block_number`,
  log: sql`transfer.log_index`,
});
const MULTIPLIER_OF_DAY = joinMultiplier(sql`given.token`, {
  time: sql`to_timestamp(:day + ${DAY_SECONDS - 1})`,
  block: sql`:to`,
});

/** The UTC day of a block, with its blocks up to that one. */
interface Day {
  /** Seconds since the epoch. */
  readonly start: number;
  readonly blocks: BlockRange;
}

/**
 * Derives the daily figures of stock tokens from a range that lies in one UTC day and follows what their
 * ledgers have.
 */
export async function deriveStockDays(
  chain: ChainQueries,
  tokens: readonly Hex[],
  range: BlockRange,
): Promise<void> {
  if (tokens.length === 0) return;
  const active = await activeTokens(chain, tokens, range);
  await bookTransfers(chain, tokens, range);
  await writeDay(chain, active, range.to);
}

/** Daily figures and ledgers as of a block that is about to become the last one. */
export async function rewindStockDays(chain: ChainQueries, block: number): Promise<void> {
  const ahead = await chain.query(
    sql`SELECT encode(token, 'hex') AS token FROM {{schema}}.stock_ledgers WHERE block_number > :block`,
    { block },
  );
  const tokens = ahead.rows.map(({ token }) => `0x${token}` as const);
  if (tokens.length > 0) await unbookTransfers(chain, tokens, block);
  const gone = await chain.query(
    sql`DELETE FROM {{schema}}.stock_daily WHERE last_block > :block
     RETURNING CASE WHEN ${isDerived('token', sql`token`)} THEN encode(token, 'hex') END AS token`,
    { block },
  );
  const left = new Set(gone.rows.flatMap(({ token }) => (token === null ? [] : (`0x${token}` as const))));
  await writeDay(chain, [...left], block);
}

/** Those of the tokens whose figures a range changes. */
async function activeTokens(
  chain: ChainQueries,
  tokens: readonly Hex[],
  { from, to }: BlockRange,
): Promise<Hex[]> {
  const of = (table: Sql, column: Sql) =>
    sql`SELECT ${column} FROM {{schema}}.${table} WHERE ${column} IN (${GIVEN_TOKENS})
      AND block_number BETWEEN :from AND :to`;
  const { rows } = await chain.query(
    sql`SELECT encode(token, 'hex') AS token FROM (
       ${of(sql`erc20_transfers`, sql`token`)} UNION ${of(sql`stock_multipliers`, sql`token`)}
       UNION ${of(sql`stock_oracle_prices`, sql`token`)}
       UNION ${of(sql`dex_swaps`, sql`token_in`)} UNION ${of(sql`dex_swaps`, sql`token_out`)}
     ) AS active`,
    { tokens: hexList(tokens), from, to },
  );
  return rows.map(({ token }) => `0x${token}` as const);
}

/** Writes the figures of the day of a block, as of that block. A token that neither moved nor traded has none. */
async function writeDay(chain: ChainQueries, tokens: readonly Hex[], to: number): Promise<void> {
  const day = tokens.length === 0 ? undefined : await dayOf(chain, to);
  if (day === undefined) return;
  const { start, blocks } = day;
  await chain.query(dayStatement(), { tokens: hexList(tokens), ...blocks, day: start });
}

async function dayOf(chain: ChainQueries, block: number): Promise<Day | undefined> {
  const { rows } = await chain.query(
    sql`SELECT extract(epoch FROM start)::bigint AS start,
            (SELECT min(number) FROM {{schema}}.blocks WHERE time >= start
              AND time <= last.time) AS first_block
     FROM {{schema}}.blocks AS last, date_bin('1 day', last.time, 'epoch'::timestamptz) AS start
     WHERE number = :block`,
    { block },
  );
  return (
    rows[0] && { start: Number(rows[0].start), blocks: { from: Number(rows[0].first_block), to: block } }
  );
}

/** Writes the figures of a day: what moved, what was traded, and what was held at its end. */
function dayStatement(): Sql {
  return sql`
    WITH given AS (${GIVEN_TOKENS}),
    ${movedTokens()},
    ${tradedTokens()},
    ${figuresOfDay()}
    INSERT INTO {{schema}}.stock_daily
      (day, token, ${joinSql(FIGURES, ', ')})
    SELECT (to_timestamp(:day) AT TIME ZONE 'UTC')::date, token,
           coalesce(transfers, 0), coalesce(raw_amount, 0), coalesce(ui_amount, 0),
           coalesce(senders, 0), coalesce(receivers, 0), coalesce(minted, 0), coalesce(burned, 0),
           coalesce(minted, 0) - coalesce(burned, 0), holders, top_share_bps,
           coalesce(swaps, 0), coalesce(raw_volume, 0), vwap_usd, multiplier, oracle_usd,
           CASE WHEN vwap_usd IS NOT NULL AND oracle_usd > 0
             THEN least(round((vwap_usd / oracle_usd - 1) * ${BPS}), ${MAX_INTEGER})::integer END,
           first_block, last_block, now()
    FROM figures ORDER BY token
    ON CONFLICT (day, token) DO UPDATE SET ${joinSql(
      FIGURES.map((name) => sql`${name} = EXCLUDED.${name}`),
      ', ',
    )}`;
}

/** Transfers of the day. */
function movedTokens(): Sql {
  return sql`moved AS (
      SELECT token, count(*) AS transfers, sum(amount) AS raw_amount, sum(ui_amount) AS ui_amount,
             count(DISTINCT from_address) FILTER (WHERE from_address <> ${ZERO_ADDRESS_SQL}) AS senders,
             count(DISTINCT to_address) FILTER (WHERE to_address <> ${ZERO_ADDRESS_SQL}) AS receivers,
             coalesce(sum(amount) FILTER (WHERE from_address = ${ZERO_ADDRESS_SQL}), 0) AS minted,
             coalesce(sum(amount) FILTER (WHERE to_address = ${ZERO_ADDRESS_SQL}), 0) AS burned,
             min(block_number) AS first_block, max(block_number) AS last_block
      FROM (
        SELECT transfer.*, ${inShares(sql`transfer.amount`)} AS ui_amount
        FROM given JOIN {{schema}}.erc20_transfers AS transfer ON ${sqlIndexed(sql`transfer.token`, sql`given.token`)}
        ${MULTIPLIER_OF_TRANSFER}
        WHERE transfer.block_number BETWEEN :from AND :to
      ) AS scaled GROUP BY token
    )`;
}

/** Swaps of the day in pools that make prices. */
function tradedTokens(): Sql {
  return sql`traded AS (
      SELECT token, count(*) AS swaps, sum(amount) AS raw_volume,
             sum(amount_usd) / nullif(sum(amount) FILTER (WHERE amount_usd IS NOT NULL), 0) AS usd_per_unit,
             min(block_number) AS first_block, max(block_number) AS last_block
      FROM (
        SELECT token_in AS token, amount_in AS amount, amount_usd, block_number FROM {{schema}}.dex_swaps
        WHERE token_in IN (SELECT token FROM given) AND block_number BETWEEN :from AND :to
          AND amount_in <> 0 AND amount_out <> 0 AND pool_id IN (SELECT pool_id FROM {{schema}}.pricing_pools)
        UNION ALL
        SELECT token_out, amount_out, amount_usd, block_number FROM {{schema}}.dex_swaps
        WHERE token_out IN (SELECT token FROM given) AND block_number BETWEEN :from AND :to
          AND amount_in <> 0 AND amount_out <> 0 AND pool_id IN (SELECT pool_id FROM {{schema}}.pricing_pools)
      ) AS side GROUP BY token
    )`;
}

/** One row for each token that moved or traded. */
function figuresOfDay(): Sql {
  return sql`figures AS (
      SELECT given.token, moved.transfers, moved.raw_amount, moved.ui_amount, moved.senders, moved.receivers,
             moved.minted, moved.burned, traded.swaps, traded.raw_volume,
             trim_scale(traded.usd_per_unit * power(10::numeric, coalesce(scale.decimals, 0))) AS vwap_usd,
             held.holders, held.top_share_bps, oracle.price_usd AS oracle_usd, ui.multiplier,
             least(moved.first_block, traded.first_block) AS first_block,
             greatest(moved.last_block, traded.last_block, changed.last_block,
                      answered.last_block) AS last_block
      FROM given LEFT JOIN moved ON moved.token = given.token LEFT JOIN traded ON traded.token = given.token
      LEFT JOIN {{schema}}.price_scales AS scale ON scale.token = given.token
      ${MULTIPLIER_OF_DAY}
      CROSS JOIN LATERAL (
        SELECT count(*) AS holders,
               div(sum(amount) FILTER (WHERE place <= ${TOP_HOLDERS}) * ${BPS},
                   nullif(sum(amount), 0)) AS top_share_bps
        FROM (SELECT amount, row_number() OVER (ORDER BY amount DESC) AS place FROM {{schema}}.stock_holdings
              WHERE stock_holdings.token = given.token AND amount > 0) AS ranked
      ) AS held
      CROSS JOIN LATERAL (
        SELECT max(block_number) AS last_block FROM {{schema}}.stock_multipliers AS change
        WHERE change.token = given.token AND change.block_number BETWEEN :from AND :to
      ) AS changed
      CROSS JOIN LATERAL (
        SELECT max(block_number) AS last_block FROM {{schema}}.stock_oracle_prices AS answer
        WHERE answer.token = given.token AND answer.block_number BETWEEN :from AND :to
      ) AS answered
      LEFT JOIN LATERAL (
        SELECT price_usd FROM {{schema}}.stock_oracle_prices AS answer
        WHERE answer.token = given.token AND answer.block_number <= :to
        ORDER BY block_number DESC, log_index DESC LIMIT 1
      ) AS oracle ON true
      WHERE moved.token IS NOT NULL OR traded.token IS NOT NULL
    )`;
}

/** Columns of the figures of a day, in the order of the statement. */
const FIGURES = [
  'transfers',
  'transfers_raw_amount',
  'transfers_ui_amount',
  'unique_senders',
  'unique_receivers',
  'mint_raw_amount',
  'burn_raw_amount',
  'net_supply_change',
  'holder_count',
  'top10_holder_share_bps',
  'dex_swap_count',
  'dex_raw_volume',
  'dex_vwap_usd',
  'ui_multiplier',
  'oracle_price_usd',
  'premium_bps',
  'first_block',
  'last_block',
  'refreshed_at',
].map(sqlName);
