import type { Hex } from './raw-block.ts';
import type { DexRows } from './resolve-pools.ts';
import type { LiquidityRow, SwapRow } from './rows.ts';

/** What a pool was left as by its last events; null where they did not say. To be merged into table `dex_pools`. */
export type PoolState = Pick<SwapRow, 'pool_id' | 'sqrt_price_x96' | 'tick' | 'liquidity'> &
  Readonly<Record<'reserve0' | 'reserve1', bigint | null>> & { readonly updated_block: number };

/** The last state of each pool after events in the order of the chain, of any number of blocks. */
export function poolStates({
  dex_swaps,
  dex_liquidity_events,
}: Pick<DexRows, 'dex_swaps' | 'dex_liquidity_events'>): PoolState[] {
  const states = new Map<Hex, PoolState>();
  const inOrder = [...dex_swaps, ...dex_liquidity_events].sort(
    (a, b) => a.block_number - b.block_number || a.log_index - b.log_index,
  );
  for (const event of inOrder) {
    const last = states.get(event.pool_id) ?? NOTHING_KNOWN;
    const { pool_id, block_number: updated_block } = event;
    states.set(pool_id, { ...last, ...changeOf(event), pool_id, updated_block });
  }
  return Array.from(states.values());
}

const NOTHING_KNOWN = { reserve0: null, reserve1: null, sqrt_price_x96: null, tick: null, liquidity: null };

function changeOf(event: SwapRow | LiquidityRow): Partial<PoolState> {
  if (!('kind' in event)) {
    if (event.sqrt_price_x96 === null) return {};
    return { sqrt_price_x96: event.sqrt_price_x96, tick: event.tick, liquidity: event.liquidity };
  }
  if (event.kind === 'sync') return { reserve0: event.amount0, reserve1: event.amount1 };
  if (event.kind === 'initialize') return { sqrt_price_x96: event.sqrt_price_x96 };
  return {};
}
