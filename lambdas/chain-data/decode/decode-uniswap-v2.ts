import type { EventReader } from './event-reader.ts';
import { type Exchange, eventsOf } from './pool-events.ts';
import { TOPICS } from './topics.ts';

const { creation, swap, liquidity } = eventsOf('uniswap_v2', 'pool');

const amountsOf = (event: EventReader) => ({ amount0: event.uint(0), amount1: event.uint(1) });

/** No event of V2 has a fee, and its many copies take others than the original. */
export const UNISWAP_V2: Exchange = {
  creation: creation({ topic: TOPICS.v2PairCreated, poolId: { dataWord: 0 } }, 3, (event) => ({
    token0: event.topicAddress(1),
    token1: event.topicAddress(2),
  })),
  events: new Map([
    [
      TOPICS.v2Swap,
      // The log has what came in and went out of each token, and a token may do both.
      swap(3, (event) => ({
        sender: event.topicAddress(1),
        recipient: event.topicAddress(2),
        amount0: event.uint(0) - event.uint(2),
        amount1: event.uint(1) - event.uint(3),
      })),
    ],
    // The reserves, after every change of them.
    [TOPICS.v2Sync, liquidity('sync', 1, amountsOf)],
    [TOPICS.v2Mint, liquidity('mint', 2, (event) => ({ owner: event.topicAddress(1), ...amountsOf(event) }))],
    [TOPICS.v2Burn, liquidity('burn', 3, (event) => ({ owner: event.topicAddress(2), ...amountsOf(event) }))],
  ]),
  emitter: 'pool',
  pricing: 'reserves',
};
