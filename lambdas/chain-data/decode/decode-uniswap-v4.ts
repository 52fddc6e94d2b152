import { EventReader } from './event-reader.ts';
import { FEE_BITS, liquidityEvent, madePool, TICK_BITS } from './pool-events.ts';
import type { RawLog } from './raw-block.ts';
import type { LogRows, LogSite } from './rows.ts';
import type { Trader } from './traders.ts';

/** Stands for the fee of a pool whose hooks set it. */
const DYNAMIC_FEE = 0x800000;

/** A pool and its first price. The native token is the zero address. */
export function decodeV4Initialize(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 4);
  const fee = event.smallUint(0, FEE_BITS);
  event.smallInt(4, TICK_BITS);
  rows.dex_pools.push(
    madePool(log, site, {
      pool_id: event.topic(1),
      protocol: 'uniswap_v4',
      token0: event.topicAddress(2),
      token1: event.topicAddress(3),
      fee_pips: fee === DYNAMIC_FEE ? null : fee,
      dynamic_fee: fee === DYNAMIC_FEE,
      tick_spacing: event.smallInt(1, TICK_BITS),
      hooks: event.address(2),
    }),
  );
  rows.liquidity_events.push(
    liquidityEvent(site, {
      ...poolOf(log, event),
      kind: 'initialize',
      sqrt_price_x96: event.uint(3),
    }),
  );
}

/** Amounts in the log are the swapper's: their signs are the opposite of those of V3, and so turned round. */
export function decodeV4Swap(log: RawLog, site: LogSite, rows: LogRows, trader: Trader): void {
  const event = new EventReader(log, 3);
  rows.swap_events.push({
    ...site,
    ...poolOf(log, event),
    sender: event.topicAddress(2),
    recipient: null,
    ...trader,
    amount0: -event.int(0),
    amount1: -event.int(1),
    fee_pips: event.smallUint(5, FEE_BITS),
    sqrt_price_x96: event.uint(2),
    tick: event.smallInt(4, TICK_BITS),
    liquidity: event.uint(3),
  });
}

export function decodeModifyLiquidity(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 3);
  rows.liquidity_events.push(
    liquidityEvent(site, {
      ...poolOf(log, event),
      kind: 'modify',
      owner: event.topicAddress(2),
      tick_lower: event.smallInt(0, TICK_BITS),
      tick_upper: event.smallInt(1, TICK_BITS),
      liquidity_delta: event.int(2),
    }),
  );
}

export function decodeDonate(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 3);
  rows.liquidity_events.push(
    liquidityEvent(site, {
      ...poolOf(log, event),
      kind: 'donate',
      owner: event.topicAddress(2),
      amount0: event.uint(0),
      amount1: event.uint(1),
    }),
  );
}

/** All pools of one manager log under its address. */
function poolOf(log: RawLog, event: EventReader) {
  return { protocol: 'uniswap_v4', pool_id: event.topic(1), emitter: log.address } as const;
}
