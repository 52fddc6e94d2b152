import type { Hex } from '../../chain-data/decode/raw-block.ts';
import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import { sql } from '../../shared/chain-database/sql.ts';
import { NodeError } from '../fetch/node-error.ts';
import { type AskedToken, readTokenMetadata } from '../fetch/read-token-metadata.ts';
import type { RetryingClient } from '../fetch/retrying-client.ts';
import type { BatchOptions } from '../fetch/send-batch.ts';
import { readStockAnswers, type StockAnswers } from './read-stock-answers.ts';
import { storeMetadata, storeStocks } from './store-descriptions.ts';

/**
 * Times that a token is asked that the node does not answer for, or that says too little. A token by which asking fails
 * when it is alone is one.
 */
export const MAX_ATTEMPTS = 5;
/** Tokens that one attempt asks at most. */
export const MAX_TOKENS = 25;
const LATEST = 'latest';

export interface DescribeParts {
  readonly chain: ChainQueries;
  readonly node: RetryingClient;
}

/**
 * Asks tokens that are new what they say of themselves, and whether they are tokenised stocks (ERC-8056). What a token
 * answers, or does not, never keeps a block from being indexed.
 * @param maxTokens how many are asked at most
 * @returns how many tokens were asked
 * @throws {NodeError} where the node cannot be asked, and whatever the database fails with
 */
export async function describeTokens(
  { chain, node }: DescribeParts,
  maxTokens: number,
  options: BatchOptions,
): Promise<number> {
  const pending = await pendingTokens(chain, maxTokens);
  if (pending.length === 0) return 0;
  const { described, stocks } = await askTokens(node, pending, options).catch(async (error: unknown) => {
    if (maxTokens === 1 && error instanceof NodeError) await countAttempt(chain, pending);
    throw error;
  });
  await storeMetadata(chain, described);
  const known = new Map(described.map((token) => [token.address, token]));
  const found = stocks.filter((stock): stock is StockAnswers => stock.multiplier !== null);
  await storeStocks(
    chain,
    found.map((stock) => ({ ...stock, metadata: known.get(stock.address) })),
  );
  return pending.length;
}

async function askTokens(node: RetryingClient, tokens: readonly AskedToken[], options: BatchOptions) {
  const described = await readTokenMetadata(node, tokens, LATEST, options);
  const fungible = tokens.filter(({ standard }) => standard === 20);
  return { described, stocks: await readStockAnswers(node, fungible, options) };
}

async function countAttempt(chain: ChainQueries, tokens: readonly AskedToken[]): Promise<void> {
  for (const { address } of tokens)
    await chain.query(
      sql`UPDATE {{schema}}.tokens SET metadata_attempts = metadata_attempts + 1
       WHERE address = decode(:address, 'hex')`,
      { address: hexDigits(address) },
    );
}

async function pendingTokens(chain: ChainQueries, maxTokens: number): Promise<AskedToken[]> {
  const { rows } = await chain.query(
    sql`SELECT '0x' || encode(address, 'hex') AS address, standard FROM {{schema}}.tokens
     WHERE metadata_status = 'pending' AND metadata_attempts < ${MAX_ATTEMPTS}
     ORDER BY metadata_attempts, address LIMIT :max`,
    { max: maxTokens },
  );
  return rows.map(({ address, standard }) => ({
    address: String(address) as Hex,
    standard: Number(standard) as AskedToken['standard'],
  }));
}
