import { isoTime } from '../chain-data/decode/iso-time.ts';
import type { Hex } from '../chain-data/decode/raw-block.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { loadRows, runOnRows } from '../shared/chain-database/load-rows.ts';
import { sql } from '../shared/chain-database/sql.ts';
import { scalesOf } from './price-scales.ts';
import { type Decimal, formatDecimal, shift } from './prices/decimal.ts';
import type { DerivedPrices, PoolStateRow, PriceRow, ValueRow } from './prices/derive-prices.ts';

const VALUE_COLUMNS = {
  block_number: 'bigint',
  log_index: 'integer',
  usd: 'numeric',
  method: 'text',
} as const;

/** Stores what was derived of blocks that have nothing derived yet. */
export async function storePrices(chain: ChainQueries, derived: DerivedPrices): Promise<void> {
  const { states, prices, values } = derived;
  const named = [...prices.map(({ token }) => token), ...values.flatMap(({ tokens }) => tokens)];
  const scales = await scalesOf(chain, named);
  await storeStates(chain, states);
  await storePriceRows(chain, prices, scales);
  await storeValues(chain, values);
}

async function storeStates(chain: ChainQueries, states: readonly PoolStateRow[]): Promise<void> {
  await loadRows(chain, {
    table: sql`{{schema}}.dex_pool_states`,
    columns: {
      pool_id: 'bytea',
      block_number: 'bigint',
      amount0: 'numeric',
      amount1: 'numeric',
      sqrt_price_x96: 'numeric',
      tick: 'integer',
      liquidity: 'numeric',
      liquidity_usd: 'numeric',
      block_time: 'timestamptz',
      depth0: 'numeric',
      depth1: 'numeric',
    },
    rows: states.map(({ blockNumber, time, pool, depths, liquidityUsd }) => [
      pool.id,
      blockNumber,
      pool.amount0,
      pool.amount1,
      pool.sqrtPriceX96,
      pool.tick,
      pool.liquidity,
      textOf(liquidityUsd ?? null),
      isoTime(time),
      ...depths,
    ]),
  });
  const newest = new Map(states.map(({ pool, liquidityUsd }) => [pool.id, liquidityUsd ?? null]));
  await runOnRows(
    chain,
    {
      columns: { id: 'bytea', liquidity_usd: 'numeric' },
      rows: Array.from(newest, ([id, usd]) => [id, textOf(usd)]),
    },
    (rows) => sql`WITH newest AS (${rows}), locked AS (
       SELECT pool_id FROM {{schema}}.dex_pools WHERE pool_id IN (SELECT id FROM newest)
         ORDER BY pool_id FOR UPDATE
     )
     UPDATE {{schema}}.dex_pools AS pool SET liquidity_usd = newest.liquidity_usd
     FROM newest JOIN locked ON locked.pool_id = newest.id WHERE pool.pool_id = newest.id`,
  );
}

async function storePriceRows(
  chain: ChainQueries,
  prices: readonly PriceRow[],
  scales: ReadonlyMap<Hex, number>,
): Promise<void> {
  await loadRows(chain, {
    table: sql`{{schema}}.token_prices`,
    columns: {
      token: 'bytea',
      block_number: 'bigint',
      block_time: 'timestamptz',
      price_usd: 'numeric',
      method: 'text',
      pool_id: 'bytea',
      liquidity_usd: 'numeric',
      depth_usd: 'numeric',
      cost_to_move_usd: 'numeric',
      pending_price_usd: 'numeric',
      confidence: 'text',
      reasons: 'text',
      sources: 'text',
      sample_trades: 'integer',
    },
    rows: prices.map(({ token, blockNumber, price, sampleTrades }) => [
      token,
      blockNumber,
      isoTime(price.time),
      formatDecimal(shift(price.usd, scales.get(token) ?? 0)),
      price.method,
      price.poolId,
      textOf(price.liquidityUsd),
      textOf(price.depthUsd),
      textOf(price.costToMoveUsd),
      textOf(price.pendingUsd && shift(price.pendingUsd, scales.get(token) ?? 0)),
      price.confidence,
      price.reasons.join(','),
      price.sources.join(','),
      sampleTrades,
    ]),
  });
}

function textOf(value: Decimal | null): string | null {
  return value === null ? null : formatDecimal(value);
}

async function storeValues(chain: ChainQueries, values: readonly ValueRow[]): Promise<void> {
  await runOnRows(
    chain,
    {
      columns: VALUE_COLUMNS,
      rows: values.map((row) => [
        row.blockNumber,
        row.logIndex,
        formatDecimal(row.value.usd),
        row.value.method,
      ]),
      parameters: { from: values[0]?.blockNumber ?? 0, to: values.at(-1)?.blockNumber ?? 0 },
    },
    (rows) => sql`UPDATE {{schema}}.dex_swaps AS swap SET amount_usd = valued.usd, usd_method = valued.method
     FROM (${rows}) AS valued
     WHERE swap.block_number = valued.block_number AND swap.log_index = valued.log_index
       AND swap.block_number BETWEEN :from AND :to`,
  );
}
