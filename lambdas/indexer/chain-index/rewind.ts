import { rewindSnapshots } from '../../chain-data/store/balance-snapshots.ts';
import { uncoverAbove } from '../../chain-data/store/coverage.ts';
import { rewindMultipliers } from '../../chain-data/store/multipliers.ts';
import { rewindNftItems } from '../../chain-data/store/nft-items.ts';
import { rewindNftOwners } from '../../chain-data/store/nft-ownership.ts';
import { rewindPools } from '../../chain-data/store/pools.ts';
import { rewindTokens } from '../../chain-data/store/tokens.ts';
import { closeGaps } from '../../chain-data/store/trace-gaps.ts';
import { rewindRollups } from '../../rollups/rewind-rollups.ts';
import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { sql, sqlName } from '../../shared/chain-database/sql.ts';

/** Tables whose rows belong to one block each, and the column that names it. */
const TABLES_OF_BLOCKS: readonly (readonly [table: string, column: string])[] = [
  ['blocks', 'number'],
  ['transactions', 'block_number'],
  ['withdrawals', 'block_number'],
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
export async function rewind(chain: ChainQueries, block: number, last: number): Promise<void> {
  const gone = { from: block + 1, to: last };
  await rewindSnapshots(chain, block);
  await rewindRollups(chain, block);
  await rewindNftItems(chain, gone);
  await rewindNftOwners(chain, gone);
  await rewindTokens(chain, block);
  await rewindMultipliers(chain, block);
  await rewindPools(chain, block);
  for (const [table, column] of TABLES_OF_BLOCKS) {
    await chain.query(sql`DELETE FROM {{schema}}.${sqlName(table)} WHERE ${sqlName(column)} > :block`, {
      block,
    });
  }
  await uncoverAbove(chain, block);
  await closeGaps(chain, gone);
}
