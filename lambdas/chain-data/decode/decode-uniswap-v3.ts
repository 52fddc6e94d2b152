import { EventReader } from './event-reader.ts';
import { FEE_BITS, liquidityEvent, madePool, TICK_BITS } from './pool-events.ts';
import type { RawLog } from './raw-block.ts';
import type { LogRows, LogSite } from './rows.ts';
import type { Trader } from './traders.ts';

export function decodePoolCreated(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 4);
  rows.dex_pools.push(
    madePool(log, site, {
      pool_id: event.address(1),
      protocol: 'uniswap_v3',
      token0: event.topicAddress(1),
      token1: event.topicAddress(2),
      fee_pips: event.topicSmallUint(3, FEE_BITS),
      tick_spacing: event.smallInt(0, TICK_BITS),
    }),
  );
}

/** The first price of a pool. */
export function decodeV3Initialize(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 1);
  event.smallInt(1, TICK_BITS);
  rows.liquidity_events.push(
    liquidityEvent(site, {
      ...poolOf(log),
      kind: 'initialize',
      sqrt_price_x96: event.uint(0),
    }),
  );
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
  rows.liquidity_events.push(
    liquidityEvent(site, {
      ...poolOf(log),
      kind: 'mint',
      ...positionOf(event),
      liquidity_delta: event.uint(1),
      amount0: event.uint(2),
      amount1: event.uint(3),
    }),
  );
}

/** Liquidity that is taken out; its tokens leave the pool with a `Collect`. */
export function decodeV3Burn(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 4);
  rows.liquidity_events.push(
    liquidityEvent(site, {
      ...poolOf(log),
      kind: 'burn',
      ...positionOf(event),
      liquidity_delta: -event.uint(0),
      amount0: event.uint(1),
      amount1: event.uint(2),
    }),
  );
}

export function decodeV3Collect(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 4);
  rows.liquidity_events.push(
    liquidityEvent(site, {
      ...poolOf(log),
      kind: 'collect',
      ...positionOf(event),
      amount0: event.uint(1),
      amount1: event.uint(2),
    }),
  );
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
