import { TOPICS } from '../../chain-data/decode/topics.ts';
import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import { sql, sqlIndexed, sqlText } from '../../shared/chain-database/sql.ts';
import type { StockSettings } from '../../shared/runtime/settings.ts';

/**
 * Tells tokenised stocks by what the stage file knows: an issuer by its factory, whose `Deployed` logs name its tokens, and
 * a price feed. Symbols prove nothing, as any token can take one.
 */
export async function linkStocks(chain: ChainQueries, { issuers, priceFeeds }: StockSettings): Promise<void> {
  for (const { factory, name } of issuers)
    await chain.query(
      sql`UPDATE {{schema}}.stock_tokens AS stock SET factory = log.address, issuer = :name
       FROM {{schema}}.logs AS log
       WHERE ${sqlIndexed(sql`log.address`, sql`decode(:factory, 'hex')`)}
         AND log.topic0 = decode(${sqlText(bytes(TOPICS.stockDeployed))}, 'hex')
         AND stock.token = substring(log.data FROM 13 FOR 20)
         AND (stock.factory, stock.issuer) IS DISTINCT FROM (log.address, :name)`,
      { factory: bytes(factory), name },
    );
  for (const { token, aggregator } of priceFeeds)
    await chain.query(
      sql`UPDATE {{schema}}.stock_tokens SET price_feed = decode(:aggregator, 'hex')
       WHERE token = decode(:token, 'hex') AND price_feed IS DISTINCT FROM decode(:aggregator, 'hex')`,
      { token: bytes(token), aggregator: bytes(aggregator) },
    );
}

function bytes(text: string): string {
  return hexDigits(text).toLowerCase();
}
