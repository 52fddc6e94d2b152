import type { Hex } from '../chain-data/decode/raw-block.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { hexDigits, hexList } from '../shared/chain-database/hex.ts';
import { sql } from '../shared/chain-database/sql.ts';
import { NATIVE } from './prices/quotes.ts';

const NATIVE_DECIMALS = 18;

/**
 * The decimals that figures of tokens are computed with. A token whose decimals are not known yet, or that
 * has none, has 0: its figures are those of one raw unit.
 */
export async function scalesOf(chain: ChainQueries, tokens: Iterable<Hex>): Promise<Map<Hex, number>> {
  const named = new Set(tokens);
  if (named.size === 0) return new Map();
  const wanted = hexList(named);
  await chain.query(
    sql`INSERT INTO {{schema}}.price_scales (token, decimals)
     SELECT decode(id, 'hex'),
            CASE id WHEN :native THEN ${NATIVE_DECIMALS} ELSE greatest(coalesce(decimals, 0), 0) END
     FROM unnest(:wanted::text::text[]) AS wanted (id)
     LEFT JOIN {{schema}}.tokens ON address = decode(id, 'hex')
     ORDER BY id ON CONFLICT DO NOTHING`,
    { wanted, native: hexDigits(NATIVE) },
  );
  const { rows } = await chain.query(
    sql`SELECT id AS token, scale.decimals FROM unnest(:wanted::text::text[]) AS wanted (id)
     JOIN {{schema}}.price_scales AS scale ON scale.token = decode(id, 'hex')`,
    { wanted },
  );
  return new Map(rows.map(({ token, decimals }) => [`0x${token}`, Number(decimals)]));
}

/**
 * Brings the figures of tokens whose decimals became known to those. They are exact decimal numbers: the
 * result is as if the decimals had been known from the start.
 */
export async function rescale(chain: ChainQueries): Promise<void> {
  const { rows } = await chain.query(
    sql`UPDATE {{schema}}.price_scales AS scale SET decimals = known.decimals
     FROM (SELECT used.token, used.decimals AS former, token.decimals
           FROM {{schema}}.price_scales AS used JOIN {{schema}}.tokens AS token ON token.address = used.token
           WHERE token.decimals >= 0 AND token.decimals <> used.decimals) AS known
     WHERE scale.token = known.token
     RETURNING encode(scale.token, 'hex') AS token, known.decimals - known.former AS places`,
  );
  for (const { token, places } of rows) {
    const factor =
      Number(places) < 0 ? `0.${'1'.padStart(-Number(places), '0')}` : `1${'0'.repeat(Number(places))}`;
    const parameters = { token: String(token), factor };
    await chain.query(
      sql`UPDATE {{schema}}.token_prices SET price_usd = trim_scale(price_usd * :factor::text::numeric),
         pending_price_usd = trim_scale(pending_price_usd * :factor::text::numeric)
       WHERE token = decode(:token, 'hex')`,
      parameters,
    );
    await chain.query(
      sql`UPDATE {{schema}}.candles
       SET open = trim_scale(open * :factor::text::numeric), high = trim_scale(high * :factor::text::numeric),
           low = trim_scale(low * :factor::text::numeric), close = trim_scale(close * :factor::text::numeric)
       WHERE subject_kind = 'token' AND subject = decode(:token, 'hex')`,
      parameters,
    );
    await chain.query(
      sql`UPDATE {{schema}}.stock_daily SET dex_vwap_usd = trim_scale(dex_vwap_usd * :factor::text::numeric)
       WHERE token = decode(:token, 'hex')`,
      parameters,
    );
  }
}
