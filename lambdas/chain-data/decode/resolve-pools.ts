import { EXCHANGES } from './exchanges.ts';
import type { Hex } from './raw-block.ts';
import type { LiquidityEvent, LiquidityRow, LogRows, PoolRow, SwapEvent, SwapRow } from './rows.ts';

/** What has to be known of a pool to make a row of its swaps. */
export type KnownPool = Pick<PoolRow, 'pool_id' | 'protocol' | 'factory' | 'token0' | 'token1' | 'fee_pips'>;

/** Rows of the exchanges, and how many events came from contracts that are no known pool. */
interface DexRows {
  readonly dex_swaps: readonly SwapRow[];
  readonly dex_liquidity_events: readonly LiquidityRow[];
  readonly strange_events: number;
}

/**
 * Makes the rows of swaps and liquidity events. `poolOf` knows all pools, those made in the same blocks too. An event of
 * what is no pool, or of a pool of another kind, makes none.
 */
export function resolvePools(
  events: Pick<LogRows, 'swap_events' | 'liquidity_events'>,
  poolOf: (poolId: Hex) => KnownPool | undefined,
): DexRows {
  const dex_swaps: SwapRow[] = [];
  const dex_liquidity_events: LiquidityRow[] = [];
  let strange_events = 0;
  for (const event of events.swap_events) {
    const pool = poolOf(event.pool_id);
    if (pool !== undefined && isOf(event, pool)) dex_swaps.push(swapRow(event, pool));
    else strange_events += 1;
  }
  for (const event of events.liquidity_events) {
    const pool = poolOf(event.pool_id);
    const { emitter, ...row } = event;
    if (pool !== undefined && isOf(event, pool)) dex_liquidity_events.push(row);
    else strange_events += 1;
  }
  return { dex_swaps, dex_liquidity_events, strange_events };
}

/** A log of any other contract under the id of a pool says nothing about it. */
function isOf(event: SwapEvent | LiquidityEvent, pool: KnownPool): boolean {
  if (event.protocol !== pool.protocol) return false;
  return event.emitter === (EXCHANGES[pool.protocol].emitter === 'factory' ? pool.factory : pool.pool_id);
}

/** What went into the pool was sold. If both tokens did, it is the first; what then comes out is nothing. */
function swapRow(event: SwapEvent, pool: KnownPool): SwapRow {
  const { emitter, ...row } = event;
  const sells0 = row.amount0 > 0n || (row.amount0 === 0n && row.amount1 < 0n);
  const [amountIn, amountOut] = sells0 ? [row.amount0, -row.amount1] : [row.amount1, -row.amount0];
  return {
    ...row,
    token_in: sells0 ? pool.token0 : pool.token1,
    token_out: sells0 ? pool.token1 : pool.token0,
    amount_in: atLeastZero(amountIn),
    amount_out: atLeastZero(amountOut),
    fee_pips: row.fee_pips ?? pool.fee_pips,
  };
}

function atLeastZero(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}
