import { isoTime } from '../chain-data/decode/iso-time.ts';
import type { Hex } from '../chain-data/decode/raw-block.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { hexList } from '../shared/chain-database/hex.ts';
import { loadRows } from '../shared/chain-database/load-rows.ts';
import { sql } from '../shared/chain-database/sql.ts';
import { scalesOf } from './price-scales.ts';
import { type Decimal, formatDecimal, shift } from './prices/decimal.ts';
import type { DerivedPrices, PoolStateRow, PriceRow, ValueRow } from './prices/derive-prices.ts';

/** Values that one statement sets. */
const VALUES_PER_STATEMENT = 5_000;

/** Stores what was derived of blocks that have nothing derived yet. */
export async function storePrices(chain: ChainQueries, derived: DerivedPrices): Promise<void> {
  const { states, prices, values } = derived;
  const named = [...prices.map(({ token }) => token), ...values.flatMap(({ tokens }) => tokens)];
  const scales = await scalesOf(chain, named);
  await storeStates(chain, states);
  await storePriceRows(chain, prices, scales);
  for (let start = 0; start < values.length; start += VALUES_PER_STATEMENT)
    await storeValues(chain, values.slice(start, start + VALUES_PER_STATEMENT));
}

async function storeStates(chain: ChainQueries, states: readonly PoolStateRow[]): Promise<void> {
  if (states.length === 0) return;
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
      liquidityUsd === undefined ? null : formatDecimal(liquidityUsd),
      isoTime(time),
      ...depths,
    ]),
  });
  const newest = new Map(states.map(({ pool, liquidityUsd }) => [pool.id, liquidityUsd]));
  const liquidities = Array.from(newest.values(), (usd) => (usd === undefined ? 'NULL' : formatDecimal(usd)));
  await chain.query(
    sql`WITH newest AS (
       SELECT decode(id, 'hex') AS id, liquidity_usd
       FROM unnest(:ids::text::text[], :liquidities::text::numeric[]) AS newest (id, liquidity_usd)
     ), locked AS (
       SELECT pool_id FROM {{schema}}.dex_pools WHERE pool_id IN (SELECT id FROM newest)
         ORDER BY pool_id FOR UPDATE
     )
     UPDATE {{schema}}.dex_pools AS pool SET liquidity_usd = newest.liquidity_usd
     FROM newest JOIN locked ON locked.pool_id = newest.id WHERE pool.pool_id = newest.id`,
    { ids: hexList(newest.keys()), liquidities: `{${liquidities.join(',')}}` },
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
  const column = (of: (row: ValueRow) => string | number) => `{${values.map(of).join(',')}}`;
  await chain.query(
    sql`UPDATE {{schema}}.dex_swaps AS swap SET amount_usd = valued.usd, usd_method = valued.method
     FROM unnest(:blocks::text::bigint[], :logs::text::integer[], :usd::text::numeric[],
       :methods::text::text[])
       AS valued (block_number, log_index, usd, method)
     WHERE swap.block_number = valued.block_number AND swap.log_index = valued.log_index
       AND swap.block_number BETWEEN :from AND :to`,
    {
      blocks: column(({ blockNumber }) => blockNumber),
      logs: column(({ logIndex }) => logIndex),
      usd: column(({ value }) => formatDecimal(value.usd)),
      methods: column(({ value }) => value.method),
      from: values[0]?.blockNumber ?? 0,
      to: values.at(-1)?.blockNumber ?? 0,
    },
  );
}
