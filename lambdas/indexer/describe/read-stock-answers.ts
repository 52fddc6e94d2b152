import { decodeUint } from '../../chain-data/decode/decode-metadata.ts';
import type { Hex } from '../../chain-data/decode/raw-block.ts';
import { TOPICS } from '../../chain-data/decode/topics.ts';
import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import { sql, sqlIndexed, sqlText } from '../../shared/chain-database/sql.ts';
import type { StockSettings } from '../../shared/runtime/settings.ts';
import { type AskedToken, askTokens, isContradiction, returnedOf } from '../fetch/read-token-metadata.ts';
import type { RetryingClient } from '../fetch/retrying-client.ts';
import type { BatchOptions, NodeResponse } from '../fetch/send-batch.ts';

/** What ERC-8056 has a tokenised stock answer; null where it does not. */
export interface StockAnswers {
  readonly address: Hex;
  /** `uiMultiplier()`, 18 decimals; a token without it is no stock. */
  readonly multiplier: bigint | null;
  readonly uid: Hex | null;
  readonly oraclePaused: boolean | null;
  /** Whether another node says another multiplier: then there is none. */
  readonly isContradicted: boolean;
}

/** `uiMultiplier()`. */
const MULTIPLIER = '0xa60bf13d';
/** `uid()` and `oraclePaused()`. */
const OTHERS = ['0xf514ce36', '0x7706ba52'];
const WORD_LENGTH = 66;

/**
 * Asks tokens for what makes a tokenised stock.
 * @throws {NodeError} where the node cannot be asked
 */
export async function readStockAnswers(
  node: RetryingClient,
  tokens: readonly Pick<AskedToken, 'address'>[],
  options: BatchOptions,
): Promise<StockAnswers[]> {
  const answers = await askTokens(node, tokens, { word: MULTIPLIER, others: OTHERS }, options);
  return tokens.map(({ address }, index) => {
    const said = answers[index] ?? [];
    const [multiplier, uid = null, paused] = said.map(wordOf);
    return {
      address,
      multiplier: (multiplier && decodeUint(multiplier)) || null,
      uid,
      oraclePaused: paused ? BigInt(paused) !== 0n : null,
      isContradicted: isContradiction(said[0]),
    };
  });
}

/** A returned word; null for anything else. */
function wordOf(answer: NodeResponse): Hex | null {
  const returned = returnedOf(answer);
  return returned?.length === WORD_LENGTH ? returned : null;
}

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
