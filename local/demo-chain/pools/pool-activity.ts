import { type Address, zeroAddress } from 'viem';
import type { Random } from '../script/random.ts';
import type { World } from '../script/world.ts';
import type { DemoMarket } from './market.ts';

/** How far, in percent, a price drifts from its start before trades drive it back. */
const DRIFT_PERCENT = 6n;
const PERCENT = 100n;
/** Binary places of a price. */
export const PRICE_BITS = 128n;
/** Liquidity that a provider adds, in ten-thousandths of what is there: far below what traders start with. */
const MIN_SHARE = 10;
const MAX_SHARE = 100;

/** The markets of a plan, each with the ratio of its reserves at the start. */
export interface Dex {
  readonly markets: readonly { readonly market: DemoMarket; readonly start: bigint }[];
}

/** Price of token 0, with more binary places than any drift needs. */
function priceOf(market: DemoMarket): bigint {
  const { amount0, amount1 } = market.reserves();
  return (amount1 << PRICE_BITS) / amount0;
}

/** Whether the next trade sells token 0: at random while its price is near that of the start, else back to it. */
export function pickDirection(random: Random, price: bigint, start: bigint): boolean {
  const isHigh = price * PERCENT > start * (PERCENT + DRIFT_PERCENT);
  const isLow = price * PERCENT < start * (PERCENT - DRIFT_PERCENT);
  return isHigh || (!isLow && random.chance(50));
}

export function openDex(markets: readonly DemoMarket[]): Dex {
  return { markets: markets.map((market) => ({ market, start: priceOf(market) })) };
}

/** A trader swaps up to 0.8 % of a pool's reserve, at random while the price is near its start. */
export function swapTokens(world: World, { markets }: Dex): void {
  const { random, traders } = world;
  const { market, start } = random.pick(markets);
  const zeroForOne = pickDirection(random, priceOf(market), start);
  const { amount0, amount1 } = market.reserves();
  const trader = random.pick(traders);
  const amountIn = random.share(zeroForOne ? amount0 : amount1, 1, 80);
  if (!canPay(world, trader, zeroForOne ? market.token0 : market.token1, amountIn)) return;
  market.swap(world, trader, zeroForOne, amountIn);
}

export function addLiquidity(world: World, { markets }: Dex): void {
  const { random, traders } = world;
  const { market } = random.pick(markets);
  const share = random.integer(MIN_SHARE, MAX_SHARE);
  const provider = random.pick(traders);
  const { amount0, amount1 } = market.reserves();
  const isPossible =
    canPay(world, provider, market.token0, amount0 / PERCENT) &&
    canPay(world, provider, market.token1, amount1 / PERCENT);
  if (isPossible) market.addLiquidity(world, provider, share);
}

export function removeLiquidity(world: World, { markets }: Dex): void {
  const { random, traders } = world;
  random.pick(markets).market.removeLiquidity(world, random.pick(traders));
}

/** Every account has far more of the native token than it spends. */
function canPay({ ledger }: World, account: Address, token: Address, amount: bigint): boolean {
  return token === zeroAddress || ledger.balanceOf(token, account) > amount;
}
