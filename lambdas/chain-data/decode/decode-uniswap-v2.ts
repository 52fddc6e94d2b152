import { EventReader } from './event-reader.ts';
import { liquidityEvent, madePool } from './pool-events.ts';
import type { RawLog } from './raw-block.ts';
import type { LogRows, LogSite } from './rows.ts';
import type { Trader } from './traders.ts';

/** No event of V2 has a fee, and its many copies take others than the original. */
const NO_STATE = { fee_pips: null, sqrt_price_x96: null, tick: null, liquidity: null };

export function decodePairCreated(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 3);
  rows.dex_pools.push(
    madePool(log, site, {
      pool_id: event.address(0),
      protocol: 'uniswap_v2',
      token0: event.topicAddress(1),
      token1: event.topicAddress(2),
      fee_pips: null,
    }),
  );
}

/** The log has what came in and went out of each token, and a token may do both. */
export function decodeV2Swap(log: RawLog, site: LogSite, rows: LogRows, trader: Trader): void {
  const event = new EventReader(log, 3);
  rows.swap_events.push({
    ...site,
    ...poolOf(log),
    sender: event.topicAddress(1),
    recipient: event.topicAddress(2),
    ...trader,
    amount0: event.uint(0) - event.uint(2),
    amount1: event.uint(1) - event.uint(3),
    ...NO_STATE,
  });
}

/** The reserves, after every change of them. */
export function decodeSync(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 1);
  const amounts = { amount0: event.uint(0), amount1: event.uint(1) };
  rows.liquidity_events.push(
    liquidityEvent(site, {
      ...poolOf(log),
      kind: 'sync',
      ...amounts,
    }),
  );
}

export function decodeV2Mint(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 2);
  const owner = event.topicAddress(1);
  const amounts = { amount0: event.uint(0), amount1: event.uint(1) };
  rows.liquidity_events.push(liquidityEvent(site, { ...poolOf(log), kind: 'mint', owner, ...amounts }));
}

export function decodeV2Burn(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 3);
  const owner = event.topicAddress(2);
  const amounts = { amount0: event.uint(0), amount1: event.uint(1) };
  rows.liquidity_events.push(liquidityEvent(site, { ...poolOf(log), kind: 'burn', owner, ...amounts }));
}

function poolOf(log: RawLog) {
  return { protocol: 'uniswap_v2', pool_id: log.address, emitter: log.address } as const;
}
