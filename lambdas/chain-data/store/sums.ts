import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import type { Sql } from '../../shared/chain-database/sql.ts';
import type { LoadedTables } from '../decode/load-columns.ts';
import type { BlockRange } from './block-range.ts';
import { lockCoverage } from './coverage.ts';
import { MARK_SUPERSEDED, SEED_STORED_MULTIPLIERS } from './multipliers.ts';
import { ADD_STORED_ITEMS, SET_STORED_URIS } from './nft-items.ts';
import { SETTLE_OWNERS } from './nft-ownership.ts';
import { RESTORE_POOLS } from './pools.ts';
import { COUNT_STORED_TRANSFERS } from './tokens.ts';

/** What is added up of the rows of some tables. */
interface Sum {
  readonly of: readonly (keyof LoadedTables)[];
  /** Whether no others may store blocks meanwhile: what belongs to these rows may be on its way. @default false */
  readonly isAlone?: boolean;
  /** For blocks `:from` to `:to`, once, when their rows are stored. */
  readonly statements: readonly Sql[];
}

/**
 * All that is added up of stored rows, in the order in which its rows are locked until the transaction ends: those of popular
 * tokens, which all indexers want, as late as can be. A reorganisation takes it back in the same order.
 */
export const SUMS = {
  nfts: [
    { of: ['nft_transfers', 'nft_uris'], statements: [ADD_STORED_ITEMS] },
    { of: ['nft_uris'], statements: [SET_STORED_URIS] },
    { of: ['nft_transfers'], statements: SETTLE_OWNERS },
  ],
  'states of pools': [{ of: ['dex_swaps', 'dex_liquidity_events'], statements: RESTORE_POOLS }],
  tokens: [{ of: ['erc20_transfers', 'nft_transfers'], statements: [COUNT_STORED_TRANSFERS] }],
  multipliers: [
    { of: ['stock_multipliers'], isAlone: true, statements: [MARK_SUPERSEDED, SEED_STORED_MULTIPLIERS] },
  ],
} satisfies Readonly<Record<string, readonly Sum[]>>;

/** Adds up the stored rows of a range, as far as it has some of a table. */
export async function addUp(
  chain: ChainQueries,
  range: BlockRange,
  has: (table: keyof LoadedTables) => boolean,
): Promise<void> {
  for (const { of, isAlone, statements } of Object.values<readonly Sum[]>(SUMS).flat()) {
    if (!of.some(has)) continue;
    if (isAlone === true) await lockCoverage(chain);
    for (const statement of statements) await chain.query(statement, { ...range });
  }
}
