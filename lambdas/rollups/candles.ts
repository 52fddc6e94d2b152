import type { BlockRange } from '../chain-data/store/block-range.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { joinSql, type Sql, sql, sqlName } from '../shared/chain-database/sql.ts';
import { isDerived } from './set-aside.ts';

/** Lengths of candles in seconds; each but the first is made of those before it. */
const INTERVALS = [60, 300, 900, 3_600, 14_400, 86_400] as const;
const MINUTE = INTERVALS[0];
/** A trade of a smaller value, in USD, says nothing of a token's price. */
const MIN_TRADE_USD = 1;
/** A trade has a price if that is no farther than this part from the token's, which a jump becomes when it has stood. */
const OUTLIER_DISTANCE = 0.2;

const VALUES = [
  'open',
  'high',
  'low',
  'close',
  'volume_base',
  'volume_quote',
  'volume_usd',
  'trades',
  'first_block',
  'last_block',
].map(sqlName);
const COLUMNS = sql`subject_kind, subject, interval_seconds, start_time, ${joinSql(VALUES, ', ')}`;

/** Which candles are made anew. */
interface CandleRange extends BlockRange {
  /** Larger candles of all subjects, not of those alone that traded in the range. @default false */
  readonly whole?: boolean;
}

/**
 * Makes anew the candles that reach into a range, from what is stored up to its end. The result does not
 * depend on how often and in which ranges it is done.
 */
export async function writeCandles(
  chain: ChainQueries,
  { from, to, whole = false }: CandleRange,
): Promise<void> {
  const { rows } = await chain.query(
    sql`SELECT extract(epoch FROM first.time)::bigint AS first_time,
            extract(epoch FROM last.time)::bigint AS last_time,
            (SELECT min(number) FROM {{schema}}.blocks
             WHERE time >= ${startOf(MINUTE, sql`first.time`)} AND time <= first.time) AS first_block
     FROM {{schema}}.blocks AS first, {{schema}}.blocks AS last
     WHERE first.number = :from AND last.number = :to`,
    { from, to },
  );
  const [times] = rows;
  if (times === undefined) return;
  const range = { from: Number(times.first_block), to };
  await writeMinutes(chain, poolTrades(), range);
  await writeMinutes(chain, tokenTrades(), range);
  for (const [index, interval] of INTERVALS.entries()) {
    const parts = INTERVALS[index - 1];
    if (parts === undefined) continue;
    await chain.query(largerCandles(interval, parts, whole), {
      first: Number(times.first_time),
      last: Number(times.last_time),
    });
  }
}

/** Candles as of a block that is about to become the last one: those that reach above it go, or end there. */
export async function rewindCandles(chain: ChainQueries, block: number): Promise<void> {
  await chain.query(sql`DELETE FROM {{schema}}.candles WHERE last_block > :block`, { block });
  await writeCandles(chain, { from: block, to: block, whole: true });
}

function startOf(seconds: number, time: Sql): Sql {
  return sql`date_bin('${seconds} seconds', ${time}, 'epoch'::timestamptz)`;
}

/**
 * Trades of a range by pool: the price is raw units of the second token for one of the first. Those of one token alone, as
 * flash swaps are, have no price and are left out.
 */
function poolTrades(): Sql {
  return sql`SELECT 'pool' AS subject_kind, pool_id AS subject, block_number, log_index, block_time,
      abs(amount1) / abs(amount0) AS price, abs(amount0) AS base, abs(amount1) AS quote, amount_usd
    FROM {{schema}}.dex_swaps
    WHERE block_number BETWEEN :from AND :to AND amount0 <> 0 AND amount1 <> 0
      AND ${isDerived('pool', sql`pool_id`)}`;
}

/** Trades of a range by token: the price is USD for a whole token, and null where it is none to go by. */
function tokenTrades(): Sql {
  return sql`SELECT 'token' AS subject_kind, token AS subject, block_number, log_index, block_time,
      CASE WHEN amount_usd >= ${MIN_TRADE_USD}
             AND abs(traded.price - known.price_usd) <= known.price_usd * ${OUTLIER_DISTANCE}
             AND known.depth_usd IS DISTINCT FROM 0
           THEN traded.price END AS price, amount AS base, NULL::numeric AS quote, amount_usd
    FROM (
      SELECT side.token, swap.block_number, swap.log_index, swap.block_time, side.amount, swap.amount_usd,
             swap.amount_usd / nullif(side.amount, 0) * power(10::numeric, scale.decimals) AS price
      FROM {{schema}}.dex_swaps AS swap
      CROSS JOIN LATERAL (VALUES (swap.token_in, swap.amount_in), (swap.token_out, swap.amount_out))
        AS side (token, amount)
      JOIN {{schema}}.price_scales AS scale ON scale.token = side.token
      WHERE swap.block_number BETWEEN :from AND :to AND swap.amount_usd IS NOT NULL
        AND ${isDerived('token', sql`side.token`)}
    ) AS traded
    LEFT JOIN LATERAL (
      SELECT price_usd, depth_usd FROM {{schema}}.token_prices AS price
      WHERE price.token = traded.token AND price.block_number <= traded.block_number
      ORDER BY price.block_number DESC LIMIT 1
    ) AS known ON true`;
}

/** All trades count for the volumes; a minute in which none has a price makes a candle without prices. */
async function writeMinutes(chain: ChainQueries, trades: Sql, range: BlockRange): Promise<void> {
  await chain.query(
    sql`INSERT INTO {{schema}}.candles AS candle (${COLUMNS})
     SELECT subject_kind, subject, ${MINUTE}, ${startOf(MINUTE, sql`block_time`)} AS start_time,
            trim_scale((array_agg(price ORDER BY block_number, log_index)
              FILTER (WHERE price IS NOT NULL))[1]),
            trim_scale(max(price)), trim_scale(min(price)),
            trim_scale((array_agg(price ORDER BY block_number DESC, log_index DESC)
                        FILTER (WHERE price IS NOT NULL))[1]),
            sum(base), sum(quote), trim_scale(sum(amount_usd)), count(*), min(block_number), max(block_number)
     FROM (${trades}) AS trade
     GROUP BY subject_kind, subject, start_time
     ORDER BY subject_kind, subject, start_time
     ${onConflict()}`,
    { ...range },
  );
}

/** Larger candles that reach into the time from :first to :last, made of smaller ones. */
function largerCandles(interval: number, parts: number, whole: boolean): Sql {
  const traded = sql`AND (subject_kind, subject) IN (
      SELECT subject_kind, subject FROM {{schema}}.candles
      WHERE interval_seconds = ${MINUTE}
        AND start_time BETWEEN ${startOf(MINUTE, sql`to_timestamp(:first)`)} AND to_timestamp(:last)
    )`;
  return sql`INSERT INTO {{schema}}.candles AS candle (${COLUMNS})
    SELECT subject_kind, subject, ${interval}, ${startOf(interval, sql`start_time`)} AS larger,
           (array_agg(open ORDER BY start_time) FILTER (WHERE open IS NOT NULL))[1], max(high), min(low),
           (array_agg(close ORDER BY start_time DESC) FILTER (WHERE close IS NOT NULL))[1], sum(volume_base), sum(volume_quote),
             sum(volume_usd),
           sum(trades), min(first_block), max(last_block)
    FROM {{schema}}.candles AS part
    WHERE NOT EXISTS (SELECT FROM {{schema}}.set_aside AS aside
        WHERE aside.subject_kind = part.subject_kind AND aside.subject = part.subject)
      AND interval_seconds = ${parts} AND start_time >= ${startOf(interval, sql`to_timestamp(:first)`)}
      AND start_time < ${startOf(interval, sql`to_timestamp(:last)`)} + interval '${interval} seconds'
      ${whole ? sql`` : traded}
    GROUP BY subject_kind, subject, larger ORDER BY subject_kind, subject, larger
    ${onConflict()}`;
}

/** A candle that is as it was is left alone. */
function onConflict(): Sql {
  const set = VALUES.map((name) => sql`${name} = EXCLUDED.${name}`);
  const of = (row: Sql) =>
    joinSql(
      VALUES.map((name) => sql`${row}.${name}`),
      ', ',
    );
  return sql`ON CONFLICT (subject_kind, subject, interval_seconds, start_time) DO UPDATE SET ${joinSql(set, ', ')}
    WHERE (${of(sql`candle`)}) IS DISTINCT FROM (${of(sql`EXCLUDED`)})`;
}
