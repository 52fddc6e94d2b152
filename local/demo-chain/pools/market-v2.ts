import { type Address, encodePacked, getCreate2Address, keccak256, maxUint256, zeroAddress } from 'viem';
import { erc20Abi, factoryV2Abi } from '../script/abis.ts';
import { lowerCase } from '../script/script.ts';
import type { World } from '../script/world.ts';
import { ConstantProductPair, MINIMUM_LIQUIDITY } from './constant-product-pair.ts';
import { callPool, DemoMarket, inPoolOrder, type Swap, type TokenAmount, WHOLE } from './market.ts';

/** Hash of the creation code of a pair, from which its address follows. */
const PAIR_CODE_HASH = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f';
const CREATION_GAS = 3_000_000n;

/** A Uniswap V2 pair. */
export class MarketV2 extends DemoMarket {
  protected readonly protocol = 'uniswap_v2';
  readonly id: Address;
  protected readonly pool = new ConstantProductPair();

  /** Creates the pair and gives it its first liquidity, which the issuer has. */
  constructor(world: World, one: TokenAmount, other: TokenAmount) {
    const [first, second] = inPoolOrder(one, other);
    super([first, second]);
    const { script, issuer, contracts } = world;
    const salt = keccak256(encodePacked(['address', 'address'], [first.token, second.token]));
    const from = contracts.factoryV2;
    this.id = lowerCase(getCreate2Address({ from, salt, bytecodeHash: PAIR_CODE_HASH }));
    script.call({ from: issuer, to: contracts.factoryV2, gas: CREATION_GAS }, factoryV2Abi, 'createPair', [
      one.token,
      other.token,
    ]);
    this.deposit(world, issuer, first.amount, second.amount);
  }

  addLiquidity(world: World, provider: Address, share: number): void {
    const { reserve0, reserve1 } = this.pool;
    this.deposit(world, provider, (reserve0 * BigInt(share)) / WHOLE, (reserve1 * BigInt(share)) / WHOLE);
  }

  removeLiquidity(world: World, provider: Address): void {
    const { id, token0, token1 } = this;
    const { script, ledger, contracts } = world;
    const shares = ledger.balanceOf(id, provider) / 2n;
    if (shares === 0n) return;
    script.call({ from: provider, to: id }, erc20Abi, 'approve', [contracts.poolCaller, maxUint256]);
    callPool(world, { from: provider }, 'removeLiquidityV2', [id, shares]);
    const { amount0, amount1 } = this.pool.remove(shares);
    ledger.transfer(id, provider, id, shares);
    ledger.burn(id, id, shares);
    ledger.transfer(token0, id, provider, amount0);
    ledger.transfer(token1, id, provider, amount1);
  }

  protected sendSwap(world: World, { trader, zeroForOne, amountIn, amountOut }: Swap): void {
    const { id, token0, token1 } = this;
    const { ledger } = world;
    callPool(world, { from: trader }, 'swapV2', [id, zeroForOne, amountIn, amountOut]);
    ledger.transfer(zeroForOne ? token0 : token1, trader, id, amountIn);
    ledger.transfer(zeroForOne ? token1 : token0, id, trader, amountOut);
  }

  private deposit(world: World, provider: Address, amount0: bigint, amount1: bigint): void {
    const { id, token0, token1 } = this;
    const { ledger } = world;
    callPool(world, { from: provider }, 'addLiquidityV2', [id, amount0, amount1]);
    const isFirst = this.pool.shares === 0n;
    const shares = this.pool.add(amount0, amount1);
    ledger.transfer(token0, provider, id, amount0);
    ledger.transfer(token1, provider, id, amount1);
    if (isFirst) ledger.mint(id, zeroAddress, MINIMUM_LIQUIDITY);
    ledger.mint(id, provider, shares);
  }
}
