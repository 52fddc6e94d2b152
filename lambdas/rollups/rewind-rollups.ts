import { lockIfThere, moveRollups } from '../chain-data/store/rollup-cursor.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { sql } from '../shared/chain-database/sql.ts';
import { rewindCandles } from './candles.ts';
import { rewindOraclePrices } from './oracle-prices.ts';
import { rewindTicks } from './pool-ticks.ts';
import { rewindStockDays } from './stock-days.ts';

/**
 * Makes all that is derived what it was at the end of a block. To be done while the events above it are still
 * stored, and before anything else is deleted: it waits for a derivation that is under way, and keeps others
 * from beginning.
 */
export async function rewindRollups(chain: ChainQueries, block: number): Promise<void> {
  const derived = await lockIfThere(chain);
  if (derived === undefined || derived <= block) return;
  await rewindPrices(chain, block);
  await rewindTicks(chain, block);
  await rewindCandles(chain, block);
  await rewindOraclePrices(chain, block);
  await rewindStockDays(chain, block);
  await moveRollups(chain, block);
}

async function rewindPrices(chain: ChainQueries, block: number): Promise<void> {
  await chain.query(sql`DELETE FROM {{schema}}.token_prices WHERE block_number > :block`, { block });
  await chain.query(
    sql`WITH gone AS (DELETE FROM {{schema}}.dex_pool_states WHERE block_number > :block RETURNING pool_id)
     UPDATE {{schema}}.dex_pools AS pool SET liquidity_usd = (
       SELECT liquidity_usd FROM {{schema}}.dex_pool_states AS state
       WHERE state.pool_id = pool.pool_id AND state.block_number <= :block
       ORDER BY state.block_number DESC LIMIT 1
     )
     WHERE pool_id IN (SELECT pool_id FROM gone)`,
    { block },
  );
  await chain.query(
    sql`UPDATE {{schema}}.dex_swaps SET amount_usd = NULL, usd_method = NULL
     WHERE block_number > :block AND amount_usd IS NOT NULL`,
    { block },
  );
}
