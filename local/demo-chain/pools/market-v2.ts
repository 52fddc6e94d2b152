import {
  type Address,
  encodeFunctionData,
  encodePacked,
  getCreate2Address,
  keccak256,
  maxUint256,
  zeroAddress,
} from 'viem';
import { erc20Abi, factoryV2Abi, poolCallerAbi } from '../script/abis.ts';
import type { DemoPool } from '../script/records.ts';
import { lowerCase } from '../script/script.ts';
import type { World } from '../script/world.ts';
import type { Amounts } from './concentrated-pool.ts';
import { ConstantProductPair, MINIMUM_LIQUIDITY } from './constant-product-pair.ts';
import { type DemoMarket, inPoolOrder, POOL_GAS } from './market.ts';

/** Hash of the creation code of a pair, from which its address follows. */
const PAIR_CODE_HASH = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f';
const FEE_PIPS = 3_000;
const CREATION_GAS = 3_000_000n;
const WHOLE = 10_000n;

interface TokenAmount {
  readonly token: Address;
  readonly amount: bigint;
}

/** A Uniswap V2 pair. */
export class MarketV2 implements DemoMarket {
  readonly token0: Address;
  readonly token1: Address;
  readonly address: Address;
  private readonly pair = new ConstantProductPair();

  /** Creates the pair and gives it its first liquidity, which the issuer has. */
  constructor(world: World, one: TokenAmount, other: TokenAmount) {
    const { token0, token1, amount0, amount1 } = inPoolOrder(
      one.token,
      one.amount,
      other.token,
      other.amount,
    );
    const { script, issuer, contracts } = world;
    this.token0 = token0;
    this.token1 = token1;
    const salt = keccak256(encodePacked(['address', 'address'], [token0, token1]));
    const from = contracts.factoryV2;
    this.address = lowerCase(getCreate2Address({ from, salt, bytecodeHash: PAIR_CODE_HASH }));
    const data = encodeFunctionData({
      abi: factoryV2Abi,
      functionName: 'createPair',
      args: [one.token, other.token],
    });
    script.send({ from: issuer, to: contracts.factoryV2, data, gas: CREATION_GAS });
    this.deposit(world, issuer, amount0, amount1);
  }

  reserves(): Amounts {
    return { amount0: this.pair.reserve0, amount1: this.pair.reserve1 };
  }

  swap({ script, ledger, contracts }: World, trader: Address, zeroForOne: boolean, amountIn: bigint): void {
    const { address, token0, token1 } = this;
    const amountOut = this.pair.swap(zeroForOne, amountIn);
    const args = [address, zeroForOne, amountIn, amountOut] as const;
    const data = encodeFunctionData({ abi: poolCallerAbi, functionName: 'swapV2', args });
    script.send({ from: trader, to: contracts.poolCaller, data, gas: POOL_GAS });
    ledger.transfer(zeroForOne ? token0 : token1, trader, address, amountIn);
    ledger.transfer(zeroForOne ? token1 : token0, address, trader, amountOut);
    const [amount0, amount1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn];
    ledger.recordSwap({ protocol: 'uniswap_v2', pool: address, trader, amount0, amount1 });
  }

  addLiquidity(world: World, provider: Address, share: number): void {
    const { reserve0, reserve1 } = this.pair;
    this.deposit(world, provider, (reserve0 * BigInt(share)) / WHOLE, (reserve1 * BigInt(share)) / WHOLE);
  }

  removeLiquidity({ script, ledger, contracts }: World, provider: Address): void {
    const { address, token0, token1 } = this;
    const shares = ledger.balanceOf(address, provider) / 2n;
    if (shares === 0n) return;
    const approval = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [contracts.poolCaller, maxUint256],
    });
    script.send({ from: provider, to: address, data: approval });
    const args = [address, shares] as const;
    const data = encodeFunctionData({ abi: poolCallerAbi, functionName: 'removeLiquidityV2', args });
    script.send({ from: provider, to: contracts.poolCaller, data, gas: POOL_GAS });
    const { amount0, amount1 } = this.pair.remove(shares);
    ledger.transfer(address, provider, address, shares);
    ledger.burn(address, address, shares);
    ledger.transfer(token0, address, provider, amount0);
    ledger.transfer(token1, address, provider, amount1);
  }

  describe(): DemoPool {
    const { address: id, token0, token1 } = this;
    const { reserve0, reserve1 } = this.pair;
    return { protocol: 'uniswap_v2', id, token0, token1, feePips: FEE_PIPS, reserve0, reserve1 };
  }

  private deposit(world: World, provider: Address, amount0: bigint, amount1: bigint): void {
    const { address, token0, token1 } = this;
    const { script, ledger, contracts } = world;
    const args = [address, amount0, amount1] as const;
    const data = encodeFunctionData({ abi: poolCallerAbi, functionName: 'addLiquidityV2', args });
    script.send({ from: provider, to: contracts.poolCaller, data, gas: POOL_GAS });
    const isFirst = this.pair.shares === 0n;
    const shares = this.pair.add(amount0, amount1);
    ledger.transfer(token0, provider, address, amount0);
    ledger.transfer(token1, provider, address, amount1);
    if (isFirst) ledger.mint(address, zeroAddress, MINIMUM_LIQUIDITY);
    ledger.mint(address, provider, shares);
  }
}
