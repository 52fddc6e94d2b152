import type { Hex } from '../chain-data/decode/raw-block.ts';
import { TOPICS } from '../chain-data/decode/topics.ts';
import type { BlockRange } from '../chain-data/store/block-range.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { hexDigits, hexList } from '../shared/chain-database/hex.ts';
import { readPages } from '../shared/chain-database/read-pages.ts';
import { sql, sqlBytes, sqlIndexed, sqlUint } from '../shared/chain-database/sql.ts';
import type { PriceFeedSettings } from '../shared/runtime/settings.ts';
import type { BlockTimes } from './prices/block-times.ts';
import { parseDecimal, shift } from './prices/decimal.ts';
import type { Feed, Feeds } from './prices/feeds.ts';

/** The last second of the year 9999: a later time is none. */
const MAX_TIME_SECONDS = 253_402_300_799;

/**
 * Stores what oracles answered (`AnswerUpdated` of a Chainlink aggregator) in a range of blocks: USD for one whole token.
 * An answer that is not above zero, or whose time is none, is no price.
 */
export async function storeOraclePrices(
  chain: ChainQueries,
  feeds: readonly PriceFeedSettings[],
  { from, to }: BlockRange,
): Promise<void> {
  for (const { token, aggregator, decimals } of feeds)
    await chain.query(
      sql`INSERT INTO {{schema}}.stock_oracle_prices
         (token, block_number, log_index, block_time, price_usd, oracle_time)
       SELECT decode(:token, 'hex'), block_number, log_index, block_time,
              trim_scale(answer / power(10::numeric, :decimals)), to_timestamp(updated)
       FROM (
         SELECT block_number, log_index, block_time, ${sqlUint(sql`topic1`)} AS answer, get_byte(topic1, 0) AS first_byte,
                ${sqlUint(sql`substr(data, 1, 32)`)} AS updated
         FROM {{schema}}.logs
         WHERE ${sqlIndexed(sql`address`, sql`decode(:aggregator, 'hex')`)} AND block_number BETWEEN :from AND :to
           AND topic0 = ${sqlBytes(TOPICS.answerUpdated)}
           AND topic1 IS NOT NULL AND octet_length(data) >= 32
       ) AS log
       WHERE answer > 0 AND first_byte < 128 AND updated BETWEEN 0 AND ${MAX_TIME_SECONDS}
       ON CONFLICT DO NOTHING`,
      { token: bytes(token), aggregator: bytes(aggregator), decimals, from, to },
    );
}

/**
 * Reads what oracles answered, which is stored: the last answers before a step, and those of it. A token whose decimals are not
 * known has no answers, as nobody knows what a whole one is.
 */
export async function readFeeds(
  chain: ChainQueries,
  settings: readonly PriceFeedSettings[],
  { from, times }: BlockTimes,
): Promise<Feeds> {
  const feeds = new Map<Hex, Feed>();
  if (settings.length === 0) return feeds;
  const heartbeats = new Map(
    settings.map(({ token, heartbeatSeconds }) => [token.toLowerCase() as Hex, heartbeatSeconds]),
  );
  const pages = readPages(
    chain,
    sql`SELECT id AS token, known.decimals, coalesce(stock.oracle_paused, false) AS paused, answer.block_number AS block,
              extract(epoch FROM answer.oracle_time)::bigint AS time, answer.price_usd::text
       FROM unnest(:tokens::text::text[]) AS wanted (id)
       JOIN {{schema}}.tokens AS known ON known.address = decode(id, 'hex') AND known.decimals IS NOT NULL
       LEFT JOIN {{schema}}.stock_tokens AS stock ON stock.token = known.address
       CROSS JOIN LATERAL (
         (SELECT * FROM {{schema}}.stock_oracle_prices AS last WHERE last.token = known.address AND last.block_number < :from
          ORDER BY last.block_number DESC, last.log_index DESC LIMIT 1)
         UNION ALL
         (SELECT DISTINCT ON (inside.block_number) * FROM {{schema}}.stock_oracle_prices AS inside
          WHERE inside.token = known.address AND inside.block_number BETWEEN :from AND :to
          ORDER BY inside.block_number, inside.log_index DESC)
       ) AS answer
       WHERE (id, answer.block_number) > (:token, :block)
       ORDER BY id, answer.block_number`,
    {
      parameters: { tokens: hexList(heartbeats.keys()), from, to: from + times.length - 1 },
      start: { token: '', block: -1 },
    },
  );
  for await (const rows of pages)
    for (const row of rows) {
      const id = `0x${row.token}` as const;
      const usd = shift(parseDecimal(String(row.price_usd)), -Number(row.decimals));
      const answer = { block: Number(row.block), time: Number(row.time), usd };
      const heartbeat = heartbeats.get(id) ?? 0;
      const answers = [...(feeds.get(id)?.answers ?? []), answer];
      feeds.set(id, { heartbeat, isPaused: row.paused === true, answers });
    }
  return feeds;
}

/** Forgets the answers above a block. */
export async function rewindOraclePrices(chain: ChainQueries, block: number): Promise<void> {
  await chain.query(sql`DELETE FROM {{schema}}.stock_oracle_prices WHERE block_number > :block`, { block });
}

function bytes(address: string): string {
  return hexDigits(address).toLowerCase();
}
