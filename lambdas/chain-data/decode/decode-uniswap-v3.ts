import { EventReader } from './event-reader.ts';
import type { RawLog } from './raw-block.ts';
import type { LogRows, LogSite } from './rows.ts';
import type { Trader } from './traders.ts';

const TICK_BITS = 24;
const FEE_BITS = 24;
const NO_POSITION = { owner: null, tick_lower: null, tick_upper: null, liquidity_delta: null };

export function decodePoolCreated(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 4);
  rows.dex_pools.push({
    pool_id: event.address(1),
    protocol: 'uniswap_v3',
    factory: log.address,
    token0: event.topicAddress(1),
    token1: event.topicAddress(2),
    fee_pips: event.topicSmallUint(3, FEE_BITS),
    dynamic_fee: false,
    tick_spacing: event.smallInt(0, TICK_BITS),
    hooks: null,
    created_block: site.block_number,
    updated_block: site.block_number,
    created_log_index: site.log_index,
    created_time: site.block_time,
  });
}

/** The first price of a pool. */
export function decodeV3Initialize(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 1);
  event.smallInt(1, TICK_BITS);
  rows.liquidity_events.push({
    ...site,
    ...poolOf(log),
    kind: 'initialize',
    ...NO_POSITION,
    amount0: null,
    amount1: null,
    sqrt_price_x96: event.uint(0),
  });
}

/** Amounts are the pool's: positive came in. A copy with two further arguments has the same beginning. */
export function decodeV3Swap(log: RawLog, site: LogSite, rows: LogRows, trader: Trader): void {
  const event = new EventReader(log, 3);
  rows.swap_events.push({
    ...site,
    ...poolOf(log),
    sender: event.topicAddress(1),
    recipient: event.topicAddress(2),
    ...trader,
    amount0: event.int(0),
    amount1: event.int(1),
    fee_pips: null,
    sqrt_price_x96: event.uint(2),
    tick: event.smallInt(4, TICK_BITS),
    liquidity: event.uint(3),
  });
}

export function decodeV3Mint(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 4);
  rows.liquidity_events.push({
    ...site,
    ...poolOf(log),
    kind: 'mint',
    ...positionOf(event),
    liquidity_delta: event.uint(1),
    amount0: event.uint(2),
    amount1: event.uint(3),
    sqrt_price_x96: null,
  });
}

/** Liquidity that is taken out; its tokens leave the pool with a `Collect`. */
export function decodeV3Burn(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 4);
  rows.liquidity_events.push({
    ...site,
    ...poolOf(log),
    kind: 'burn',
    ...positionOf(event),
    liquidity_delta: -event.uint(0),
    amount0: event.uint(1),
    amount1: event.uint(2),
    sqrt_price_x96: null,
  });
}

export function decodeV3Collect(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 4);
  rows.liquidity_events.push({
    ...site,
    ...poolOf(log),
    kind: 'collect',
    ...positionOf(event),
    liquidity_delta: null,
    amount0: event.uint(1),
    amount1: event.uint(2),
    sqrt_price_x96: null,
  });
}

function poolOf(log: RawLog) {
  return { protocol: 'uniswap_v3', pool_id: log.address, emitter: log.address } as const;
}

function positionOf(event: EventReader) {
  return {
    owner: event.topicAddress(1),
    tick_lower: event.topicSmallInt(2, TICK_BITS),
    tick_upper: event.topicSmallInt(3, TICK_BITS),
  };
}
