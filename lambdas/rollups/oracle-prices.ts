import { TOPICS } from '../chain-data/decode/topics.ts';
import type { BlockRange } from '../chain-data/store/block-range.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { hexDigits } from '../shared/chain-database/hex.ts';
import { joinSql, type Sql, sql, sqlBytes, sqlIndexed, sqlName } from '../shared/chain-database/sql.ts';
import type { PriceFeedSettings } from '../shared/runtime/settings.ts';

/** Words of 8 bytes that a uint256 has, and what one of each counts. */
const LIMB_WEIGHTS = [
  sql`6277101735386680763835789423207666416102355444464034512896`,
  sql`340282366920938463463374607431768211456`,
  sql`18446744073709551616`,
  sql`1`,
];
const TWO_TO_64 = sql`18446744073709551616`;
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
         SELECT block_number, log_index, block_time, ${unsigned('topic1')} AS answer, get_byte(topic1, 0) AS first_byte,
                ${limb('data', 3)} AS updated
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

/** Forgets the answers above a block. */
export async function rewindOraclePrices(chain: ChainQueries, block: number): Promise<void> {
  await chain.query(sql`DELETE FROM {{schema}}.stock_oracle_prices WHERE block_number > :block`, { block });
}

/** SQL of a uint256 in bytes as a number. */
function unsigned(column: string): Sql {
  const limbs = LIMB_WEIGHTS.map((weight, index) => sql`${limb(column, index)} * ${weight}`);
  return sql`(${joinSql(limbs, ' + ')})`;
}

/** SQL of one of the four words of a uint256, as a number without a sign. */
function limb(column: string, index: number): Sql {
  const word = sql`('x' || encode(substring(${sqlName(column)} FROM ${index * 8 + 1} FOR 8), 'hex'))::bit(64)::bigint::numeric`;
  return sql`mod(${word} + ${TWO_TO_64}, ${TWO_TO_64})`;
}

function bytes(address: string): string {
  return hexDigits(address).toLowerCase();
}
