import { type Address, encodeAbiParameters, getCreate2Address, keccak256, maxUint128 } from 'viem';
import { factoryV3Abi, poolV3Abi } from '../script/abis.ts';
import { lowerCase } from '../script/script.ts';
import type { World } from '../script/world.ts';
import { ConcentratedMarket, type PoolOptions } from './concentrated-market.ts';
import { callPool, POOL_GAS, type Swap } from './market.ts';

/** Hash of the creation code of a pool, from which its address follows. */
const POOL_CODE_HASH = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54';
const CREATION_GAS = 6_000_000n;

/** A Uniswap V3 pool. */
export class MarketV3 extends ConcentratedMarket {
  protected readonly protocol = 'uniswap_v3';
  readonly id: Address;

  /** Creates the pool and gives it its first liquidity, which the issuer has. */
  constructor(world: World, options: PoolOptions) {
    super(world, 3, options);
    const { feePips, one, other } = options;
    const { script, issuer, contracts } = world;
    const types = [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }] as const;
    const salt = keccak256(encodeAbiParameters(types, [this.token0, this.token1, feePips]));
    const from = contracts.factoryV3;
    this.id = lowerCase(getCreate2Address({ from, salt, bytecodeHash: POOL_CODE_HASH }));
    script.call({ from: issuer, to: contracts.factoryV3, gas: CREATION_GAS }, factoryV3Abi, 'createPool', [
      one.token,
      other.token,
      feePips,
    ]);
    script.call({ from: issuer, to: this.id }, poolV3Abi, 'initialize', [this.pool.sqrtPrice]);
    this.deposit(world, issuer, this.pool.firstLiquidity);
  }

  protected sendSwap(world: World, { trader, zeroForOne, amountIn, amountOut }: Swap): void {
    const { id, token0, token1 } = this;
    const { ledger } = world;
    callPool(world, { from: trader }, 'swapV3', [id, zeroForOne, amountIn]);
    ledger.transfer(zeroForOne ? token1 : token0, id, trader, amountOut);
    ledger.transfer(zeroForOne ? token0 : token1, trader, id, amountIn);
  }

  protected withdraw({ script, ledger }: World, provider: Address, liquidity: bigint): void {
    const { id, pool, token0, token1 } = this;
    const { lower, upper } = pool.rangeOf(provider);
    script.call({ from: provider, to: id, gas: POOL_GAS }, poolV3Abi, 'burn', [lower, upper, liquidity]);
    pool.remove(provider, liquidity);
    script.call({ from: provider, to: id, gas: POOL_GAS }, poolV3Abi, 'collect', [
      provider,
      lower,
      upper,
      maxUint128,
      maxUint128,
    ]);
    const { amount0, amount1 } = pool.collect(provider);
    if (amount0 > 0n) ledger.transfer(token0, id, provider, amount0);
    if (amount1 > 0n) ledger.transfer(token1, id, provider, amount1);
  }

  protected deposit(world: World, provider: Address, liquidity: bigint): void {
    const { id, pool, token0, token1 } = this;
    const { ledger } = world;
    const { lower, upper } = pool.rangeOf(provider);
    callPool(world, { from: provider }, 'mintV3', [id, lower, upper, liquidity]);
    const { amount0, amount1 } = pool.add(provider, liquidity);
    ledger.transfer(token0, provider, id, amount0);
    ledger.transfer(token1, provider, id, amount1);
  }
}
