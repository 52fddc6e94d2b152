import type { AbiStateMutability, Address, ContractFunctionArgs, ContractFunctionName, Hex } from 'viem';
import type { DexProtocol } from '../../../lambdas/shared/runtime/settings.ts';
import { poolCallerAbi } from '../script/abis.ts';
import type { DemoPool } from '../script/records.ts';
import type { World } from '../script/world.ts';

/** Gas limit of whatever touches a pool. */
export const POOL_GAS = 700_000n;
/** Parts of a whole that a share of a pool counts. */
export const WHOLE = 10_000n;

/** Amounts of both tokens of a pool. */
export interface Amounts {
  readonly amount0: bigint;
  readonly amount1: bigint;
}

/** A token with an amount of it, in raw units: what the price and the first liquidity of a pool come from. */
export interface TokenAmount {
  readonly token: Address;
  readonly amount: bigint;
}

/** A swap of an exact input. `amount0`, `amount1`: from the pool's view. */
export interface Swap extends Amounts {
  readonly trader: Address;
  readonly zeroForOne: boolean;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

/** A pool of any protocol: plans its transactions and knows what they come to. */
export abstract class DemoMarket {
  readonly token0: Address;
  readonly token1: Address;
  protected abstract readonly protocol: DexProtocol;
  abstract readonly id: Hex;
  /** What the pool computes. Its reserves are for V3 and V4 what a V2 pair of the same price and liquidity would hold. */
  protected abstract readonly pool: {
    readonly feePips: number;
    reserves(): Amounts;
    swap(zeroForOne: boolean, amountIn: bigint): bigint;
  };

  /** @param tokens in the pool's order */
  constructor([first, second]: readonly [TokenAmount, TokenAmount]) {
    this.token0 = first.token;
    this.token1 = second.token;
  }

  reserves(): Amounts {
    return this.pool.reserves();
  }

  swap(world: World, trader: Address, zeroForOne: boolean, amountIn: bigint): void {
    const amountOut = this.pool.swap(zeroForOne, amountIn);
    const [amount0, amount1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn];
    this.sendSwap(world, { trader, zeroForOne, amountIn, amountOut, amount0, amount1 });
    world.ledger.recordSwap({ protocol: this.protocol, pool: this.id, trader, amount0, amount1 });
  }

  /** Adds liquidity, so many ten-thousandths of what is there. The provider must have enough of both tokens. */
  abstract addLiquidity(world: World, provider: Address, share: number): void;

  /** Takes out half of what a provider has in the pool, if that is anything. */
  abstract removeLiquidity(world: World, provider: Address): void;

  describe(): DemoPool {
    const { protocol, id, token0, token1, pool } = this;
    const { amount0: reserve0, amount1: reserve1 } = pool.reserves();
    return { protocol, id, token0, token1, feePips: pool.feePips, reserve0, reserve1 };
  }

  /** The transaction of a swap, and its transfers. */
  protected abstract sendSwap(world: World, swap: Swap): void;
}

/** Both tokens of a pool in the pool's order, which is that of their addresses. */
export function inPoolOrder(one: TokenAmount, other: TokenAmount): readonly [TokenAmount, TokenAmount] {
  return one.token < other.token ? [one, other] : [other, one];
}

/** Calls a pool, by the contract that does it for accounts. `value`: native token that goes with it, in wei. */
export function callPool<name extends ContractFunctionName<typeof poolCallerAbi>>(
  { script, contracts }: World,
  sent: { readonly from: Address; readonly value?: bigint },
  functionName: name,
  args: ContractFunctionArgs<typeof poolCallerAbi, AbiStateMutability, name>,
): void {
  script.call({ ...sent, to: contracts.poolCaller, gas: POOL_GAS }, poolCallerAbi, functionName, args);
}
