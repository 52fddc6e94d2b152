import { type Address, encodeAbiParameters, type Hex, keccak256, padHex, zeroAddress } from 'viem';
import { poolManagerV4Abi } from '../script/abis.ts';
import type { World } from '../script/world.ts';
import { ConcentratedMarket, type PoolOptions } from './concentrated-market.ts';
import { type Amounts, callPool, type Swap } from './market.ts';

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
export class MarketV4 extends ConcentratedMarket {
  protected readonly protocol = 'uniswap_v4';
  readonly id: Hex;
  private readonly key: PoolKey;

  /** Initializes the pool and gives it its first liquidity, which the issuer has. */
  constructor(world: World, options: PoolOptions) {
    super(world, 4, options);
    const { feePips: fee, tickSpacing } = options;
    const { script, issuer, contracts } = world;
    const hooks = zeroAddress;
    this.key = { currency0: this.token0, currency1: this.token1, fee, tickSpacing, hooks };
    const encoded = [this.token0, this.token1, fee, tickSpacing, hooks] as const;
    this.id = keccak256(encodeAbiParameters(POOL_KEY_TYPES, encoded));
    script.call({ from: issuer, to: contracts.poolManagerV4 }, poolManagerV4Abi, 'initialize', [
      this.key,
      this.pool.sqrtPrice,
    ]);
    this.deposit(world, issuer, this.pool.firstLiquidity);
  }

  protected sendSwap(world: World, { trader, zeroForOne, amountIn, ...amounts }: Swap): void {
    const { contracts } = world;
    const value = this.nativeValue(amounts.amount0);
    callPool(world, { from: trader, value }, 'swapV4', [
      contracts.poolManagerV4,
      this.key,
      zeroForOne,
      amountIn,
    ]);
    this.settle(world, trader, amounts);
  }

  protected withdraw(world: World, provider: Address, liquidity: bigint): void {
    this.pool.remove(provider, liquidity);
    const { amount0, amount1 } = this.pool.collect(provider);
    this.modify(world, provider, -liquidity, { amount0: -amount0, amount1: -amount1 });
  }

  protected deposit(world: World, provider: Address, liquidity: bigint): void {
    const { amount0, amount1 } = this.pool.add(provider, liquidity);
    const due = this.pool.collect(provider);
    // Fees of the position are handed out with every change of it.
    const owed = { amount0: amount0 - due.amount0, amount1: amount1 - due.amount1 };
    this.modify(world, provider, liquidity, owed);
  }

  /** @param owed by the provider to the pool; negative the other way */
  private modify(world: World, provider: Address, liquidityDelta: bigint, owed: Amounts): void {
    const { lower: tickLower, upper: tickUpper } = this.pool.rangeOf(provider);
    const salt = padHex(provider, { size: 32 });
    const params = { tickLower, tickUpper, liquidityDelta, salt };
    const value = this.nativeValue(owed.amount0);
    callPool(world, { from: provider, value }, 'modifyLiquidityV4', [
      world.contracts.poolManagerV4,
      this.key,
      params,
    ]);
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
