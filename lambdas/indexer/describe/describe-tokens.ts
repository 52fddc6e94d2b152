import type { Queries } from '../../chain-data/chain-database.ts';
import type { Hex } from '../decode/raw-block.ts';
import type { PatientNode } from '../fetch/patient-node.ts';
import { type AskedToken, readTokenMetadata } from '../fetch/read-token-metadata.ts';
import type { BatchOptions } from '../fetch/send-batch.ts';
import { readStockAnswers, type StockAnswers } from './read-stock-answers.ts';
import { storeMetadata, storeStocks } from './store-descriptions.ts';

/** Tokens that one step asks. */
const MAX_TOKENS = 25;
/** Times that a token is asked that the node does not answer for. */
const MAX_ATTEMPTS = 5;
const LATEST = 'latest';

export interface DescribeParts {
  readonly queries: Queries;
  /** Quoted name of the chain's schema. */
  readonly schema: string;
  readonly node: PatientNode;
}

/**
 * Asks tokens that are new what they say of themselves, and whether they are tokenised stocks (ERC-8056). What a token
 * answers, or does not, never keeps a block from being indexed.
 * @returns how many tokens were asked
 * @throws {NodeError} where the node cannot be asked, and whatever the database fails with
 */
export async function describeTokens(
  { queries, schema, node }: DescribeParts,
  options: BatchOptions,
): Promise<number> {
  const pending = await pendingTokens(queries, schema);
  if (pending.length === 0) return 0;
  const described = await readTokenMetadata(node, pending, LATEST, options);
  const fungible = pending.filter(({ standard }) => standard === 20);
  const stocks = await readStockAnswers(node, fungible, options);
  await storeMetadata(queries, schema, described);
  const known = new Map(described.map((token) => [token.address, token]));
  const found = stocks.filter((stock): stock is StockAnswers => stock.multiplier !== null);
  await storeStocks(
    queries,
    schema,
    found.map((stock) => ({ ...stock, metadata: known.get(stock.address) })),
  );
  return pending.length;
}

async function pendingTokens(queries: Queries, schema: string): Promise<AskedToken[]> {
  const { rows } = await queries.query(
    `SELECT '0x' || encode(address, 'hex') AS address, standard FROM ${schema}.tokens
     WHERE metadata_status = 'pending' AND metadata_attempts < ${MAX_ATTEMPTS}
     ORDER BY metadata_attempts, address LIMIT ${MAX_TOKENS}`,
  );
  return rows.map(({ address, standard }) => ({
    address: String(address) as Hex,
    standard: Number(standard) as AskedToken['standard'],
  }));
}
