import type { DexProtocol } from '../../shared/runtime/settings.ts';
import type { EventReader } from './event-reader.ts';
import { type DecodeLog, type Exchange, eventsOf } from './pool-events.ts';
import { TOPICS } from './topics.ts';

const v2 = eventsOf('uniswap_v2', 'pool');

const amountsOf = (event: EventReader) => ({ amount0: event.uint(0), amount1: event.uint(1) });

/** No event of V2 has a fee, and its many copies take others than the original. */
const UNISWAP_V2: Exchange = {
  creation: v2.creation({ topic: TOPICS.v2PairCreated, poolId: { dataWord: 0 } }, 3, (event) => ({
    token0: event.topicAddress(1),
    token1: event.topicAddress(2),
  })),
  events: new Map([
    [
      TOPICS.v2Swap,
      // The log has what came in and went out of each token, and a token may do both.
      v2.swap(3, (event) => ({
        sender: event.topicAddress(1),
        recipient: event.topicAddress(2),
        amount0: event.uint(0) - event.uint(2),
        amount1: event.uint(1) - event.uint(3),
      })),
    ],
    // The reserves, after every change of them.
    [TOPICS.v2Sync, v2.liquidity('sync', 1, amountsOf)],
    [
      TOPICS.v2Mint,
      v2.liquidity('mint', 2, (event) => ({ owner: event.topicAddress(1), ...amountsOf(event) })),
    ],
    [
      TOPICS.v2Burn,
      v2.liquidity('burn', 3, (event) => ({ owner: event.topicAddress(2), ...amountsOf(event) })),
    ],
  ]),
  emitter: 'pool',
  pricing: 'reserves',
};

const v3 = eventsOf('uniswap_v3', 'pool');

/** Amounts are the pool's: positive came in. A copy with two further arguments has the same beginning. */
const decodeV3Swap = v3.swap(3, (event) => ({
  sender: event.topicAddress(1),
  recipient: event.topicAddress(2),
  amount0: event.int(0),
  amount1: event.int(1),
  sqrt_price_x96: event.uint(2),
  tick: event.int24(4),
  liquidity: event.uint(3),
}));

/** A change of a position, whose amounts stand in two words from `amounts` on. */
const positionOf = (event: EventReader, amounts: number) => ({
  owner: event.topicAddress(1),
  tick_lower: event.topicInt24(2),
  tick_upper: event.topicInt24(3),
  amount0: event.uint(amounts),
  amount1: event.uint(amounts + 1),
});

const UNISWAP_V3: Exchange = {
  creation: v3.creation({ topic: TOPICS.v3PoolCreated, poolId: { dataWord: 1 } }, 4, (event) => ({
    token0: event.topicAddress(1),
    token1: event.topicAddress(2),
    fee_pips: event.topicUint24(3),
    tick_spacing: event.int24(0),
  })),
  events: new Map([
    [
      TOPICS.v3Initialize,
      // The first price of a pool.
      v3.liquidity('initialize', 1, (event) => {
        event.int24(1);
        return { sqrt_price_x96: event.uint(0) };
      }),
    ],
    [TOPICS.v3Swap, decodeV3Swap],
    [TOPICS.v3PancakeSwap, decodeV3Swap],
    [
      TOPICS.v3Mint,
      v3.liquidity('mint', 4, (event) => ({ ...positionOf(event, 2), liquidity_delta: event.uint(1) })),
    ],
    [
      TOPICS.v3Burn,
      // Liquidity that is taken out; its tokens leave the pool with a `Collect`.
      v3.liquidity('burn', 4, (event) => ({ ...positionOf(event, 1), liquidity_delta: -event.uint(0) })),
    ],
    [TOPICS.v3Collect, v3.liquidity('collect', 4, (event) => positionOf(event, 1))],
  ]),
  emitter: 'pool',
  pricing: 'ticks',
};

/** Stands for the fee of a pool whose hooks set it. */
const DYNAMIC_FEE = 0x800000;

const v4 = eventsOf('uniswap_v4', 'factory');

/** The native token is the zero address. */
const V4_CREATION = v4.creation({ topic: TOPICS.v4Initialize, poolId: 'topic1' }, 4, (event) => {
  const fee = event.uint24(0);
  event.int24(4);
  return {
    token0: event.topicAddress(2),
    token1: event.topicAddress(3),
    fee_pips: fee === DYNAMIC_FEE ? null : fee,
    dynamic_fee: fee === DYNAMIC_FEE,
    tick_spacing: event.int24(1),
    hooks: event.address(2),
  };
});

const decodeV4Price = v4.liquidity('initialize', 4, (event) => ({ sqrt_price_x96: event.uint(3) }));

/** The creation is the event of the pool, too, which tells its first price. */
const decodeV4Initialize: DecodeLog = (log, site, rows, trader) => {
  V4_CREATION.decode(log, site, rows);
  decodeV4Price(log, site, rows, trader);
};

/** All pools of one manager log under its address. */
const UNISWAP_V4: Exchange = {
  creation: V4_CREATION,
  events: new Map([
    [TOPICS.v4Initialize, decodeV4Initialize],
    [
      TOPICS.v4Swap,
      // Amounts in the log are the swapper's: their signs are the opposite of those of V3, and so turned round.
      v4.swap(3, (event) => ({
        sender: event.topicAddress(2),
        recipient: null,
        amount0: -event.int(0),
        amount1: -event.int(1),
        fee_pips: event.uint24(5),
        sqrt_price_x96: event.uint(2),
        tick: event.int24(4),
        liquidity: event.uint(3),
      })),
    ],
    [
      TOPICS.v4ModifyLiquidity,
      v4.liquidity('modify', 3, (event) => ({
        owner: event.topicAddress(2),
        tick_lower: event.int24(0),
        tick_upper: event.int24(1),
        liquidity_delta: event.int(2),
      })),
    ],
    [
      TOPICS.v4Donate,
      v4.liquidity('donate', 3, (event) => ({
        owner: event.topicAddress(2),
        amount0: event.uint(0),
        amount1: event.uint(1),
      })),
    ],
  ]),
  emitter: 'factory',
  pricing: 'ticks',
};

export const EXCHANGES: Readonly<Record<DexProtocol, Exchange>> = {
  uniswap_v2: UNISWAP_V2,
  uniswap_v3: UNISWAP_V3,
  uniswap_v4: UNISWAP_V4,
};

/** Protocols whose pools are priced by their reserves. */
export const RESERVE_PROTOCOLS: readonly string[] = Object.entries(EXCHANGES).flatMap(
  ([protocol, { pricing }]) => (pricing === 'reserves' ? [protocol] : []),
);

/** `topic0` of the events that only mean something if their pool is known. */
export const POOL_EVENT_TOPICS: readonly string[] = Object.values(EXCHANGES).flatMap(({ events }) => [
  ...events.keys(),
]);
