import type { EventReader } from './event-reader.ts';
import { type Exchange, eventsOf } from './pool-events.ts';
import { TOPICS } from './topics.ts';

const { creation, swap, liquidity } = eventsOf('uniswap_v3', 'pool');

/** Amounts are the pool's: positive came in. A copy with two further arguments has the same beginning. */
const decodeSwap = swap(3, (event) => ({
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

export const UNISWAP_V3: Exchange = {
  creation: creation({ topic: TOPICS.v3PoolCreated, poolId: { dataWord: 1 } }, 4, (event) => ({
    token0: event.topicAddress(1),
    token1: event.topicAddress(2),
    fee_pips: event.topicUint24(3),
    tick_spacing: event.int24(0),
  })),
  events: new Map([
    [
      TOPICS.v3Initialize,
      // The first price of a pool.
      liquidity('initialize', 1, (event) => {
        event.int24(1);
        return { sqrt_price_x96: event.uint(0) };
      }),
    ],
    [TOPICS.v3Swap, decodeSwap],
    [TOPICS.v3PancakeSwap, decodeSwap],
    [
      TOPICS.v3Mint,
      liquidity('mint', 4, (event) => ({ ...positionOf(event, 2), liquidity_delta: event.uint(1) })),
    ],
    [
      TOPICS.v3Burn,
      // Liquidity that is taken out; its tokens leave the pool with a `Collect`.
      liquidity('burn', 4, (event) => ({ ...positionOf(event, 1), liquidity_delta: -event.uint(0) })),
    ],
    [TOPICS.v3Collect, liquidity('collect', 4, (event) => positionOf(event, 1))],
  ]),
  emitter: 'pool',
  pricing: 'ticks',
};
