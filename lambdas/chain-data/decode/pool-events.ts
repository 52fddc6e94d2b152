import type { RawLog } from './raw-block.ts';
import type { LiquidityEvent, LogSite, PoolRow } from './rows.ts';

/** Bits of a tick, and of a fee in millionths. */
export const TICK_BITS = 24;
export const FEE_BITS = 24;

/** The event of a pool, and what the log of its kind says. */
type SaidEvent = Pick<LiquidityEvent, 'protocol' | 'pool_id' | 'emitter' | 'kind'> & Partial<LiquidityEvent>;

const NOTHING_SAID = {
  owner: null,
  tick_lower: null,
  tick_upper: null,
  liquidity_delta: null,
  amount0: null,
  amount1: null,
  sqrt_price_x96: null,
};

/** A row of what a log says of a pool's liquidity or first price; null what it does not say. */
export function liquidityEvent(site: LogSite, said: SaidEvent): LiquidityEvent {
  return { ...site, ...NOTHING_SAID, ...said };
}

/** The pool that a log of its factory makes; what only later versions have is as those without it. */
export function madePool(
  { address: factory }: RawLog,
  { block_number, log_index, block_time }: LogSite,
  said: Pick<PoolRow, 'pool_id' | 'protocol' | 'token0' | 'token1' | 'fee_pips'> & Partial<PoolRow>,
): PoolRow {
  return {
    factory,
    dynamic_fee: false,
    tick_spacing: null,
    hooks: null,
    created_block: block_number,
    updated_block: block_number,
    created_log_index: log_index,
    created_time: block_time,
    ...said,
  };
}
