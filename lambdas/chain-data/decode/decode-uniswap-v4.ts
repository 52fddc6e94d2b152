import { type DecodeLog, type Exchange, eventsOf } from './pool-events.ts';
import { TOPICS } from './topics.ts';

/** Stands for the fee of a pool whose hooks set it. */
const DYNAMIC_FEE = 0x800000;

const { creation, swap, liquidity } = eventsOf('uniswap_v4', 'factory');

/** The native token is the zero address. */
const CREATION = creation({ topic: TOPICS.v4Initialize, poolId: 'topic1' }, 4, (event) => {
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

const decodePrice = liquidity('initialize', 4, (event) => ({ sqrt_price_x96: event.uint(3) }));

/** The creation is the event of the pool, too, which tells its first price. */
const decodeInitialize: DecodeLog = (log, site, rows, trader) => {
  CREATION.decode(log, site, rows);
  decodePrice(log, site, rows, trader);
};

/** All pools of one manager log under its address. */
export const UNISWAP_V4: Exchange = {
  creation: CREATION,
  events: new Map([
    [TOPICS.v4Initialize, decodeInitialize],
    [
      TOPICS.v4Swap,
      // Amounts in the log are the swapper's: their signs are the opposite of those of V3, and so turned round.
      swap(3, (event) => ({
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
      liquidity('modify', 3, (event) => ({
        owner: event.topicAddress(2),
        tick_lower: event.int24(0),
        tick_upper: event.int24(1),
        liquidity_delta: event.int(2),
      })),
    ],
    [
      TOPICS.v4Donate,
      liquidity('donate', 3, (event) => ({
        owner: event.topicAddress(2),
        amount0: event.uint(0),
        amount1: event.uint(1),
      })),
    ],
  ]),
  emitter: 'factory',
  pricing: 'ticks',
};
