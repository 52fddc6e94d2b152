import type { Address } from 'viem';
import type { DemoPool } from '../script/records.ts';
import type { World } from '../script/world.ts';
import { ConcentratedPool } from './concentrated-pool.ts';
import { DemoMarket, inPoolOrder, type TokenAmount, WHOLE } from './market.ts';

/** What a V3 or V4 pool is opened with; its price is that of the two amounts. */
export interface PoolOptions {
  readonly feePips: number;
  readonly tickSpacing: number;
  readonly one: TokenAmount;
  readonly other: TokenAmount;
}

/** What Uniswap V3 and V4 have in common. */
export abstract class ConcentratedMarket extends DemoMarket {
  protected readonly pool: ConcentratedPool;

  constructor({ issuer }: World, version: 3 | 4, { one, other, ...options }: PoolOptions) {
    const [first, second] = inPoolOrder(one, other);
    super([first, second]);
    const amounts = { amount0: first.amount, amount1: second.amount };
    this.pool = new ConcentratedPool({ ...options, ...amounts, version, issuer });
  }

  addLiquidity(world: World, provider: Address, share: number): void {
    this.deposit(world, provider, (this.pool.liquidity * BigInt(share)) / WHOLE);
  }

  removeLiquidity(world: World, provider: Address): void {
    const liquidity = this.pool.liquidityOf(provider) / 2n;
    if (liquidity > 0n) this.withdraw(world, provider, liquidity);
  }

  override describe(): DemoPool {
    const { sqrtPrice: sqrtPriceX96, liquidity } = this.pool;
    return { ...super.describe(), sqrtPriceX96, liquidity };
  }

  protected abstract deposit(world: World, provider: Address, liquidity: bigint): void;
  protected abstract withdraw(world: World, provider: Address, liquidity: bigint): void;
}
