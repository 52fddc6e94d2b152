import type { Hex } from '../../chain-data/decode/raw-block.ts';
import { recastTransfers } from '../../chain-data/store/recast-transfers.ts';
import type { ChainConnection, ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import { sql } from '../../shared/chain-database/sql.ts';
import { NodeError } from '../fetch/node-error.ts';
import { type AskedToken, readTokenMetadata, type TokenMetadata } from '../fetch/read-token-metadata.ts';
import type { RetryingClient } from '../fetch/retrying-client.ts';
import type { BatchOptions } from '../fetch/send-batch.ts';
import { readLikeness } from './read-likeness.ts';
import { readStockAnswers } from './read-stock-answers.ts';
import { storeMetadata, storeStocks } from './store-descriptions.ts';

/**
 * Times that a token is asked that the node does not answer for, or that says too little. A token by which asking fails
 * when it is alone is one.
 */
export const MAX_ATTEMPTS = 5;
/** Tokens that one attempt asks at most. */
export const MAX_TOKENS = 25;
const LATEST = 'latest';
/** For how long a token is left alone of which operators say different things: nothing but time helps. */
const PUT_OFF = sql`interval '1 hour'`;

export interface DescribeParts {
  readonly chain: ChainQueries;
  readonly node: RetryingClient;
}

/**
 * Asks tokens that are new what they say of themselves, and whether they are tokenised stocks (ERC-8056). What a token
 * answers, or does not, never keeps a block from being indexed. An ERC-20 that logs its transfers as ERC-721 does gets them
 * page by page.
 * @param maxTokens how many are asked at most
 * @returns how many tokens were asked, or recast
 * @throws {NodeError} where the node cannot be asked, and whatever the database fails with
 */
export async function describeTokens(
  { chain, node }: DescribeParts & { readonly chain: ChainConnection },
  maxTokens: number,
  options: BatchOptions,
): Promise<number> {
  const { pending, due } = await tokensToDo(chain, maxTokens);
  if (pending.length > 0) {
    const asked = askTokens({ chain, node }, pending, options);
    const { described, stocks } = await asked.catch(async (error: unknown) => {
      if (maxTokens === 1 && error instanceof NodeError) await countAttempt(chain, pending);
      throw error;
    });
    const known = new Map(described.map((token) => [token.address, token]));
    const found = stocks.filter(({ multiplier }) => multiplier !== null);
    await storeStocks(
      chain,
      found.map((stock) => ({ ...stock, metadata: known.get(stock.address) })),
    );
    // A token that is described is not asked again, and so whether it is a stock.
    await storeMetadata(chain, described);
  }
  // Last: a token that cannot be recast keeps none from being described.
  if (due === undefined) return pending.length;
  await recastTransfers(chain, due);
  return pending.length + 1;
}

async function askTokens(parts: DescribeParts, tokens: readonly AskedToken[], options: BatchOptions) {
  const told = await readTokenMetadata(parts.node, tokens, LATEST, options);
  const likeness = await readLikeness(
    parts,
    told.filter((one, index) => tokens[index]?.standard === 721 && one.decimals !== null),
    options,
  );
  const described = told.map((one): TokenMetadata & { readonly isErc20?: boolean } => {
    const like = likeness.get(one.address);
    return like === 'unknown'
      ? { ...one, metadata_status: 'pending' }
      : { ...one, isErc20: like === 'erc20' };
  });
  const fungible = described.filter(
    ({ isErc20 }, index) => isErc20 === true || tokens[index]?.standard === 20,
  );
  const stocks = await readStockAnswers(parts.node, fungible, options);
  const unsure = new Set(stocks.filter(({ isContradicted }) => isContradicted).map(({ address }) => address));
  return {
    stocks,
    described: described.map((one) =>
      unsure.has(one.address) ? { ...one, metadata_status: 'pending' as const, isContradicted: true } : one,
    ),
  };
}

async function countAttempt(chain: ChainQueries, tokens: readonly AskedToken[]): Promise<void> {
  for (const { address } of tokens)
    await chain.query(
      sql`UPDATE {{schema}}.tokens SET metadata_attempts = metadata_attempts + 1
       WHERE address = decode(:address, 'hex')`,
      { address: hexDigits(address) },
    );
}

/** Tokens that are to be asked, and one whose transfers are to be recast: any, as one that moves in every block is always due. */
async function tokensToDo(chain: ChainQueries, maxTokens: number) {
  const { rows } = await chain.query(
    sql`(SELECT '0x' || encode(address, 'hex') AS address, standard, false AS due FROM {{schema}}.tokens
      WHERE metadata_status = 'pending' AND metadata_attempts < ${MAX_ATTEMPTS}
        AND coalesce(described_at < now() - ${PUT_OFF}, true)
      ORDER BY described_at NULLS FIRST, metadata_attempts, address LIMIT :max)
     UNION ALL
     (SELECT '0x' || encode(address, 'hex'), standard, true FROM {{schema}}.tokens
      WHERE amounts = 'due' ORDER BY random() LIMIT 1)`,
    { max: maxTokens },
  );
  const tokens = rows.map(({ address, standard, due }) => ({
    address: String(address) as Hex,
    standard: Number(standard) as AskedToken['standard'],
    due: due === true,
  }));
  return {
    pending: tokens.filter(({ due }) => !due),
    due: tokens.find(({ due }) => due)?.address,
  };
}
