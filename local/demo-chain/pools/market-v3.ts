import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getCreate2Address,
  keccak256,
  maxUint128,
} from 'viem';
import { factoryV3Abi, poolCallerAbi, poolV3Abi } from '../script/abis.ts';
import type { DemoPool } from '../script/records.ts';
import { lowerCase } from '../script/script.ts';
import type { World } from '../script/world.ts';
import type { Amounts } from './concentrated-pool.ts';
import { type DemoMarket, inPoolOrder, POOL_GAS } from './market.ts';
import { type Opening, openPool } from './range.ts';

/** Hash of the creation code of a pool, from which its address follows. */
const POOL_CODE_HASH = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54';
const CREATION_GAS = 6_000_000n;
const WHOLE = 10_000n;

/** Parameters with which a V3 or V4 pool is opened. */
export interface PoolOptions {
  readonly feePips: number;
  readonly tickSpacing: number;
  readonly one: Address;
  readonly amountOfOne: bigint;
  readonly other: Address;
  readonly amountOfOther: bigint;
}

/** A Uniswap V3 pool. */
export class MarketV3 implements DemoMarket {
  readonly token0: Address;
  readonly token1: Address;
  readonly address: Address;
  private readonly opening: Opening;

  /** Creates the pool at the price of two amounts and gives it its first liquidity, which the issuer has. */
  constructor(world: World, options: PoolOptions) {
    const { feePips, one, other } = options;
    const { script, issuer, contracts } = world;
    const ordered = inPoolOrder(one, options.amountOfOne, other, options.amountOfOther);
    const { token0, token1 } = ordered;
    this.token0 = token0;
    this.token1 = token1;
    this.opening = openPool({ ...options, ...ordered, version: 3, issuer });
    const types = [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }] as const;
    const salt = keccak256(encodeAbiParameters(types, [token0, token1, feePips]));
    const from = contracts.factoryV3;
    this.address = lowerCase(getCreate2Address({ from, salt, bytecodeHash: POOL_CODE_HASH }));
    const args = [one, other, feePips] as const;
    const creation = encodeFunctionData({ abi: factoryV3Abi, functionName: 'createPool', args });
    script.send({ from: issuer, to: contracts.factoryV3, data: creation, gas: CREATION_GAS });
    const start = encodeFunctionData({
      abi: poolV3Abi,
      functionName: 'initialize',
      args: [this.opening.startSqrtPrice],
    });
    script.send({ from: issuer, to: this.address, data: start });
    this.deposit(world, issuer, this.opening.firstLiquidity);
  }

  reserves(): Amounts {
    return this.opening.pool.virtualReserves();
  }

  swap({ script, ledger, contracts }: World, trader: Address, zeroForOne: boolean, amountIn: bigint): void {
    const { address, token0, token1 } = this;
    const args = [address, zeroForOne, amountIn] as const;
    const data = encodeFunctionData({ abi: poolCallerAbi, functionName: 'swapV3', args });
    script.send({ from: trader, to: contracts.poolCaller, data, gas: POOL_GAS });
    const amountOut = this.opening.pool.swap(zeroForOne, amountIn);
    ledger.transfer(zeroForOne ? token1 : token0, address, trader, amountOut);
    ledger.transfer(zeroForOne ? token0 : token1, trader, address, amountIn);
    const [amount0, amount1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn];
    ledger.recordSwap({ protocol: 'uniswap_v3', pool: address, trader, amount0, amount1 });
  }

  addLiquidity(world: World, provider: Address, share: number): void {
    this.deposit(world, provider, (this.opening.pool.liquidity * BigInt(share)) / WHOLE);
  }

  removeLiquidity({ script, ledger }: World, provider: Address): void {
    const { address, opening, token0, token1 } = this;
    const liquidity = opening.pool.liquidityOf(provider) / 2n;
    if (liquidity === 0n) return;
    const { lower, upper } = opening.rangeOf(provider);
    const burn = encodeFunctionData({
      abi: poolV3Abi,
      functionName: 'burn',
      args: [lower, upper, liquidity],
    });
    script.send({ from: provider, to: address, data: burn, gas: POOL_GAS });
    opening.pool.remove(provider, liquidity);
    const args = [provider, lower, upper, maxUint128, maxUint128] as const;
    const collection = encodeFunctionData({ abi: poolV3Abi, functionName: 'collect', args });
    script.send({ from: provider, to: address, data: collection, gas: POOL_GAS });
    const { amount0, amount1 } = opening.pool.collect(provider);
    if (amount0 > 0n) ledger.transfer(token0, address, provider, amount0);
    if (amount1 > 0n) ledger.transfer(token1, address, provider, amount1);
  }

  describe(): DemoPool {
    const { address: id, token0, token1 } = this;
    const { feePips, liquidity, sqrtPrice: sqrtPriceX96 } = this.opening.pool;
    const { amount0: reserve0, amount1: reserve1 } = this.reserves();
    const state = { reserve0, reserve1, sqrtPriceX96, liquidity };
    return { protocol: 'uniswap_v3', id, token0, token1, feePips, ...state };
  }

  private deposit({ script, ledger, contracts }: World, provider: Address, liquidity: bigint): void {
    const { address, opening, token0, token1 } = this;
    const { lower, upper } = opening.rangeOf(provider);
    const args = [address, lower, upper, liquidity] as const;
    const data = encodeFunctionData({ abi: poolCallerAbi, functionName: 'mintV3', args });
    script.send({ from: provider, to: contracts.poolCaller, data, gas: POOL_GAS });
    const { amount0, amount1 } = opening.pool.add(provider, lower, upper, liquidity);
    ledger.transfer(token0, provider, address, amount0);
    ledger.transfer(token1, provider, address, amount1);
  }
}
