import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  padHex,
  zeroAddress,
} from 'viem';
import { poolCallerAbi, poolManagerV4Abi } from '../script/abis.ts';
import type { DemoPool } from '../script/records.ts';
import type { World } from '../script/world.ts';
import type { Amounts } from './concentrated-pool.ts';
import { type DemoMarket, inPoolOrder, POOL_GAS } from './market.ts';
import type { PoolOptions } from './market-v3.ts';
import { type Opening, openPool } from './range.ts';

const WHOLE = 10_000n;

interface PoolKey {
  readonly currency0: Address;
  readonly currency1: Address;
  readonly fee: number;
  readonly tickSpacing: number;
  readonly hooks: Address;
}

const POOL_KEY_TYPES = [
  { type: 'address' },
  { type: 'address' },
  { type: 'uint24' },
  { type: 'int24' },
  { type: 'address' },
] as const;

/** A Uniswap V4 pool without hooks. Its token 0 may be the native token, whose movements are no transfers. */
export class MarketV4 implements DemoMarket {
  readonly token0: Address;
  readonly token1: Address;
  readonly id: Hex;
  private readonly key: PoolKey;
  private readonly opening: Opening;

  /** Initializes the pool at the price of two amounts and gives it its first liquidity, which the issuer has. */
  constructor(world: World, options: PoolOptions) {
    const { feePips: fee, tickSpacing, one, other } = options;
    const { script, issuer, contracts } = world;
    const ordered = inPoolOrder(one, options.amountOfOne, other, options.amountOfOther);
    this.token0 = ordered.token0;
    this.token1 = ordered.token1;
    this.opening = openPool({ ...options, ...ordered, version: 4, issuer });
    const hooks = zeroAddress;
    this.key = { currency0: this.token0, currency1: this.token1, fee, tickSpacing, hooks };
    const encoded = [this.token0, this.token1, fee, tickSpacing, hooks] as const;
    this.id = keccak256(encodeAbiParameters(POOL_KEY_TYPES, encoded));
    const start = encodeFunctionData({
      abi: poolManagerV4Abi,
      functionName: 'initialize',
      args: [this.key, this.opening.startSqrtPrice],
    });
    script.send({ from: issuer, to: contracts.poolManagerV4, data: start });
    this.deposit(world, issuer, this.opening.firstLiquidity);
  }

  reserves(): Amounts {
    return this.opening.pool.virtualReserves();
  }

  swap(world: World, trader: Address, zeroForOne: boolean, amountIn: bigint): void {
    const { script, ledger, contracts } = world;
    const args = [contracts.poolManagerV4, this.key, zeroForOne, amountIn] as const;
    const data = encodeFunctionData({ abi: poolCallerAbi, functionName: 'swapV4', args });
    const amountOut = this.opening.pool.swap(zeroForOne, amountIn);
    const [amount0, amount1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn];
    const value = this.nativeValue(amount0);
    script.send({ from: trader, to: contracts.poolCaller, data, value, gas: POOL_GAS });
    this.settle(world, trader, { amount0, amount1 });
    ledger.recordSwap({ protocol: 'uniswap_v4', pool: this.id, trader, amount0, amount1 });
  }

  addLiquidity(world: World, provider: Address, share: number): void {
    this.deposit(world, provider, (this.opening.pool.liquidity * BigInt(share)) / WHOLE);
  }

  removeLiquidity(world: World, provider: Address): void {
    const { pool } = this.opening;
    const liquidity = pool.liquidityOf(provider) / 2n;
    if (liquidity === 0n) return;
    pool.remove(provider, liquidity);
    const { amount0, amount1 } = pool.collect(provider);
    this.modify(world, provider, -liquidity, { amount0: -amount0, amount1: -amount1 });
  }

  describe(): DemoPool {
    const { id, token0, token1 } = this;
    const { feePips, liquidity, sqrtPrice: sqrtPriceX96 } = this.opening.pool;
    const { amount0: reserve0, amount1: reserve1 } = this.reserves();
    const state = { reserve0, reserve1, sqrtPriceX96, liquidity };
    return { protocol: 'uniswap_v4', id, token0, token1, feePips, ...state };
  }

  private deposit(world: World, provider: Address, liquidity: bigint): void {
    const { pool, rangeOf } = this.opening;
    const { lower, upper } = rangeOf(provider);
    const { amount0, amount1 } = pool.add(provider, lower, upper, liquidity);
    const due = pool.collect(provider);
    // Fees of the position are handed out with every change of it.
    const owed = { amount0: amount0 - due.amount0, amount1: amount1 - due.amount1 };
    this.modify(world, provider, liquidity, owed);
  }

  /** @param owed by the provider to the pool; negative the other way */
  private modify(world: World, provider: Address, liquidityDelta: bigint, owed: Amounts): void {
    const { lower: tickLower, upper: tickUpper } = this.opening.rangeOf(provider);
    const salt = padHex(provider, { size: 32 });
    const params = { tickLower, tickUpper, liquidityDelta, salt };
    const args = [world.contracts.poolManagerV4, this.key, params] as const;
    const data = encodeFunctionData({ abi: poolCallerAbi, functionName: 'modifyLiquidityV4', args });
    const value = this.nativeValue(owed.amount0);
    world.script.send({ from: provider, to: world.contracts.poolCaller, data, value, gas: POOL_GAS });
    this.settle(world, provider, owed);
  }

  private nativeValue(owed0: bigint): bigint {
    return this.token0 === zeroAddress && owed0 > 0n ? owed0 : 0n;
  }

  private settle({ ledger, contracts }: World, trader: Address, { amount0, amount1 }: Amounts): void {
    for (const [token, owed] of [
      [this.token0, amount0],
      [this.token1, amount1],
    ] as const) {
      if (token === zeroAddress) continue;
      if (owed > 0n) ledger.transfer(token, trader, contracts.poolManagerV4, owed);
      else if (owed < 0n) ledger.transfer(token, contracts.poolManagerV4, trader, -owed);
    }
  }
}
