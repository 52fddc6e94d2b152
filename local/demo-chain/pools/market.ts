import type { Address } from 'viem';
import type { DemoPool } from '../script/records.ts';
import type { World } from '../script/world.ts';
import type { Amounts } from './concentrated-pool.ts';

/** Gas limit of whatever touches a pool. */
export const POOL_GAS = 700_000n;
/** Ticks on either side of a pool's first price that the positions of traders span: a factor of about three. */
export const BAND_TICKS = 12_000;

/** A pool of any protocol: plans its transactions and knows what they come to. */
export interface DemoMarket {
  readonly token0: Address;
  readonly token1: Address;
  /** For V3 and V4 what a V2 pair of the same price and liquidity would hold. */
  reserves(): Amounts;
  swap(world: World, trader: Address, zeroForOne: boolean, amountIn: bigint): void;
  /** Adds liquidity, so many ten-thousandths of what is there. The provider must have enough of both tokens. */
  addLiquidity(world: World, provider: Address, share: number): void;
  /** Takes out half of what a provider has in the pool, if that is anything. */
  removeLiquidity(world: World, provider: Address): void;
  describe(): DemoPool;
}

/** Both tokens of a pool in the pool's order, which is that of their addresses, with an amount of each. */
export function inPoolOrder(
  one: Address,
  amountOfOne: bigint,
  other: Address,
  amountOfOther: bigint,
): { readonly token0: Address; readonly token1: Address } & Amounts {
  return one < other
    ? { token0: one, token1: other, amount0: amountOfOne, amount1: amountOfOther }
    : { token0: other, token1: one, amount0: amountOfOther, amount1: amountOfOne };
}
