import { LOAD_COLUMNS } from '../../chain-data/decode/load-columns.ts';
import { lockCoverage, uncoverAbove } from '../../chain-data/store/coverage.ts';
import { rewindMultipliers } from '../../chain-data/store/multipliers.ts';
import { rewindNftItems } from '../../chain-data/store/nft-items.ts';
import { REWIND_OWNERS } from '../../chain-data/store/nft-ownership.ts';
import { REWIND_POOLS } from '../../chain-data/store/pools.ts';
import { rewindLevels } from '../../chain-data/store/proof-levels.ts';
import { rewindStocks, rewindTokens } from '../../chain-data/store/tokens.ts';
import { closeGaps } from '../../chain-data/store/trace-gaps.ts';
import { rewindRollups } from '../../rollups/rewind-rollups.ts';
import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { sql, sqlName } from '../../shared/chain-database/sql.ts';

const BELOW_ALL = -1;

/** Tables whose rows stand for more than the block that they name, each taken back in a way of its own. */
const TAKEN_BACK: ReadonlySet<string> = new Set(['dex_pools', 'stock_multipliers']);
/** Tables whose rows belong to one block each. */
const TABLES_OF_BLOCKS = [...Object.keys(LOAD_COLUMNS).filter((table) => !TAKEN_BACK.has(table)), 'ring'];

/** Deletes what is stored of the blocks above one, up to `last`, in every table; what is derived is as it was before. */
export async function rewind(chain: ChainQueries, block: number, last: number): Promise<void> {
  const gone = { from: block + 1, to: last };
  await rewindSnapshots(chain, block);
  await rewindRollups(chain, block);
  await rewindNftItems(chain, gone);
  for (const statement of [...REWIND_OWNERS, ...REWIND_POOLS]) await chain.query(statement, gone);
  await rewindTokens(chain, block);
  // As whoever adds levels, stocks or multipliers does.
  await lockCoverage(chain);
  await rewindStocks(chain, block);
  await rewindMultipliers(chain, block);
  await rewindLevels(chain, block);
  for (const table of TABLES_OF_BLOCKS) {
    const number = sqlName(table === 'blocks' ? 'number' : 'block_number');
    await chain.query(sql`DELETE FROM {{schema}}.${sqlName(table)} WHERE ${number} > :block`, { block });
  }
  await uncoverAbove(chain, block);
  await closeGaps(chain, gone);
}

/**
 * Takes back the snapshots of blocks above one. If one of them was complete, the balances are of a chain that is no more:
 * then all are taken back, no balances are in force, and the next snapshot folds anew. Balances are only deleted by that
 * one, as a large chain has too many for this transaction. A run that writes to such a snapshot is waited for first;
 * none writes to it afterwards.
 */
async function rewindSnapshots(chain: ChainQueries, block: number): Promise<void> {
  // Locked before they are judged: a run may be about to complete one.
  const { rows } = await chain.query(
    sql`SELECT completed_at IS NOT NULL AS complete FROM {{schema}}.balance_snapshots
     WHERE block_number > :block AND NOT rewound ORDER BY snapshot_id FOR UPDATE`,
    { block },
  );
  if (rows.length === 0) return;
  const anew = rows.some(({ complete }) => complete === true);
  await chain.query(
    sql`UPDATE {{schema}}.balance_snapshots SET rewound = true, completed_at = NULL, lease = lease + 1
     WHERE block_number > :block AND NOT rewound`,
    { block: anew ? BELOW_ALL : block },
  );
  if (anew) await chain.query(sql`DELETE FROM {{schema}}.coverage WHERE dataset = 'balances'`);
}
