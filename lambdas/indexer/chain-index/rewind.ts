import { uncoverAbove } from '../../chain-data/store/coverage.ts';
import { rewindMultipliers } from '../../chain-data/store/multipliers.ts';
import { rewindNftItems } from '../../chain-data/store/nft-items.ts';
import { rewindNftOwners } from '../../chain-data/store/nft-ownership.ts';
import { rewindPools } from '../../chain-data/store/pools.ts';
import { rewindTokens } from '../../chain-data/store/tokens.ts';
import { closeGaps } from '../../chain-data/store/trace-gaps.ts';
import { rewindRollups } from '../../rollups/rewind-rollups.ts';
import type { Queries } from '../../shared/chain-database/chain-database.ts';
import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';

/** Tables whose rows belong to one block each, and the column that names it. */
const TABLES_OF_BLOCKS: readonly (readonly [table: string, column: string])[] = [
  ['blocks', 'number'],
  ['transactions', 'block_number'],
  ['logs', 'block_number'],
  ['data_pieces', 'block_number'],
  ['erc20_transfers', 'block_number'],
  ['nft_transfers', 'block_number'],
  ['nft_uris', 'block_number'],
  ['dex_swaps', 'block_number'],
  ['dex_liquidity_events', 'block_number'],
  ['traces', 'block_number'],
  ['ring', 'block_number'],
];

/** Deletes what is stored of the blocks above one, up to `last`, in every table; what is derived is as it was before. */
export async function rewind(
  queries: Queries,
  schema: ChainSchema,
  block: number,
  last: number,
): Promise<void> {
  const gone = { from: block + 1, to: last };
  await rewindRollups(queries, schema, block);
  await rewindNftItems(queries, schema, gone);
  await rewindNftOwners(queries, schema, gone);
  await rewindTokens(queries, schema, block);
  await rewindMultipliers(queries, schema, block);
  await rewindPools(queries, schema, block);
  await deleteTransactionHashes(queries, schema, block);
  for (const [table, column] of TABLES_OF_BLOCKS) {
    await queries.query(`DELETE FROM ${schema}.${table} WHERE ${column} > :block`, { block });
  }
  await uncoverAbove(queries, schema, block);
  await closeGaps(queries, schema, gone);
}

/** They have no index by block: the transactions themselves name them. */
async function deleteTransactionHashes(queries: Queries, schema: ChainSchema, block: number): Promise<void> {
  await queries.query(
    `DELETE FROM ${schema}.transaction_hashes AS known USING ${schema}.transactions AS gone
     WHERE gone.block_number > :block AND known.hash = gone.hash`,
    { block },
  );
}
