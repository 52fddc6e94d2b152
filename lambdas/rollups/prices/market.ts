import type { Hex } from '../../chain-data/decode/raw-block.ts';
import type { LiquidityRow } from '../../chain-data/decode/rows.ts';
import type { DexProtocol } from '../../shared/runtime/settings.ts';
import type { Moment } from './block-times.ts';
import type { Confidence, PriceReason } from './decide-price.ts';
import type { Decimal } from './decimal.ts';
import type { Feeds } from './feeds.ts';
import type { Observation } from './observations.ts';

/** A pool in the state after its last event. */
export interface MarketPool {
  readonly id: Hex;
  readonly protocol: DexProtocol;
  readonly token0: Hex;
  readonly token1: Hex;
  /** Fee in millionths; null where the hooks of the pool set it. */
  readonly feePips: number | null;
  /** Null with V2, as all that follows. */
  readonly tickSpacing: number | null;
  /** With V4, the contract that the pool calls; the zero address is none. */
  readonly hooks: Hex | null;
  /** Reserves behind the price, without fees, in raw units. */
  readonly amount0: bigint;
  readonly amount1: bigint;
  /** Null before the first price. */
  readonly sqrtPriceX96: bigint | null;
  /** As the contract has it: where the price is exactly that of a tick, the one before it after a fall. */
  readonly tick: number | null;
  /** Liquidity that the next trade meets: that of the positions around the tick. Null where it is not known. */
  readonly liquidity: bigint | null;
  /** By tick, what the active liquidity changes by where the price rises across it; of ticks near the prices. */
  readonly ticks: ReadonlyMap<number, bigint>;
  /** Whether its first price is derived, and so all of its positions. */
  readonly isWhole: boolean;
}

/**
 * How a price was found: a peg of the stage file, the deepest pool against such a token or the native one, or an oracle of the
 * stage file.
 */
export type PriceMethod = 'peg' | 'stable_pool' | 'native_pool' | 'oracle';

/** A price as it was said before. */
export interface Told {
  /** Seconds since the epoch. */
  readonly time: number;
  readonly usd: Decimal;
}

/** The price of a token. */
export interface TokenPrice {
  /** USD for one raw unit. */
  readonly usd: Decimal;
  readonly method: PriceMethod;
  /** The deepest pool that it comes from, or that agrees with an oracle; null for a peg. */
  readonly poolId: Hex | null;
  /** USD behind the price on the other side of that pool, as `PoolDepth` has it; null for a peg, 0 for a price that is not to be had any more. */
  readonly liquidityUsd: Decimal | null;
  /** USD that a trade moves the price by 2 % with, in all pools that agree; null for a peg. */
  readonly depthUsd: Decimal | null;
  /** USD that has to be spent, at least, to move this price by 2 %, if nobody trades back; null for a peg and an oracle. */
  readonly costToMoveUsd: Decimal | null;
  /** What the price becomes if it stands; null where it does not wait. */
  readonly pendingUsd: Decimal | null;
  readonly confidence: Confidence;
  /** Why the confidence is not higher. */
  readonly reasons: readonly PriceReason[];
  /** Pools that agree, the deepest first. */
  readonly sources: readonly Hex[];
  /** Time of the block, in seconds since the epoch. */
  readonly time: number;
  /** When the token had its first price. */
  readonly since: Moment;
}

/**
 * The state that the prices of the next block depend on.
 */
export interface Market {
  readonly pools: Map<Hex, MarketPool>;
  readonly prices: Map<Hex, TokenPrice>;
  /** States of pools as far back as evidence reaches, and prices of tokens as far back as jumps are measured. */
  readonly observations: Map<Hex, readonly Observation[]>;
  readonly told: Map<Hex, readonly Told[]>;
  /** Tokens whose decimals have changed and are not certain yet. */
  readonly unsettled: ReadonlySet<Hex>;
  /** Oracles of tokens. */
  readonly feeds: Feeds;
}

interface EventSite {
  readonly blockNumber: number;
  readonly logIndex: number;
  /** Seconds since the epoch. */
  readonly time: number;
  readonly poolId: Hex;
}

/** A trade; amounts are the changes of the pool's balances. */
export interface MarketSwap extends EventSite {
  readonly kind: 'swap';
  readonly amount0: bigint;
  readonly amount1: bigint;
  /** Fee of this trade in millionths; null where it is the pool's fee. */
  readonly feePips: number | null;
  readonly sqrtPriceX96: bigint | null;
  /** Tick and active liquidity after the trade; null with V2. */
  readonly tick: number | null;
  readonly liquidity: bigint | null;
}

/** Any other event that changes a pool. Amounts are as logged, and 0 where the log has none. */
export interface LiquidityChange extends EventSite {
  readonly kind: Exclude<LiquidityRow['kind'], 'collect' | 'donate'>;
  readonly amount0: bigint;
  readonly amount1: bigint;
  readonly tickLower: number | null;
  readonly tickUpper: number | null;
  readonly liquidityDelta: bigint | null;
  readonly sqrtPriceX96: bigint | null;
}

export type MarketEvent = MarketSwap | LiquidityChange;
