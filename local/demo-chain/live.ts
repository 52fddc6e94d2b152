import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
} from 'viem';
import type { Sleep } from '../../lambdas/shared/runtime/sleep.ts';
import { callNode } from '../processes/node-calls.ts';
import { DEMO_SPAN_SECONDS, planDemoChain } from './plan.ts';
import { amountOutOf } from './pools/constant-product-pair.ts';
import { POOL_GAS } from './pools/market.ts';
import { PRICE_BITS, pickDirection } from './pools/pool-activity.ts';
import { SEED } from './prepare.ts';
import { erc20Abi, poolCallerAbi, poolV3Abi } from './script/abis.ts';
import { Random } from './script/random.ts';
import type { DemoPool } from './script/records.ts';
import { lowerCase } from './script/script.ts';

/** A plan so short has all pools already, at the addresses that they have in the longer one. */
const PLANNED_BLOCKS = 60;
/** A trade takes at most so many ten-thousandths of what a pool has. */
const MAX_SHARE = 60;
const pairAbi = parseAbi([
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32)',
]);

interface LiveChainOptions {
  readonly url: string;
  /** Time between two blocks, in milliseconds. */
  readonly blockTimeMs: number;
  /** Whether anybody looks: without it no block is made. */
  readonly isWanted: () => boolean;
  readonly pause: Sleep;
  /** Takes one line for people when no block can be made; nothing more until one could be. */
  readonly tell: (line: string) => void;
  /** Called before each block is made. */
  readonly onBlock?: () => void;
}

/** What trades on a demo chain: pools with the price around which theirs drifts. */
interface Market {
  readonly pools: readonly (DemoPool & { readonly startPrice: bigint })[];
  readonly traders: readonly Address[];
  readonly poolCaller: Address;
}

/**
 * Makes a block with one trade on a demo chain, again and again, so that its newest prices are of today. A node that does
 * not answer is asked again after the next pause. @returns what ends it
 */
export function keepChainLive(options: LiveChainOptions): () => Promise<void> {
  const stopping = new AbortController();
  const living = live(options, stopping.signal);
  return async () => {
    stopping.abort();
    await living;
  };
}

async function live(options: LiveChainOptions, signal: AbortSignal): Promise<void> {
  const { url, blockTimeMs, isWanted, pause, tell, onBlock } = options;
  let market: Market | undefined;
  let isTrouble = false;
  while (!signal.aborted) {
    await pause(blockTimeMs, signal);
    if (signal.aborted || !isWanted()) continue;
    try {
      market ??= await readMarket(url);
      await trade(url, market, signal, onBlock);
      isTrouble = false;
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      if (!isTrouble) tell(`The demo chain makes no block, and tries again: ${reason}`);
      isTrouble = true;
    }
  }
}

async function readMarket(url: string): Promise<Market> {
  const [answer] = await callNode(url, [{ method: 'eth_accounts', params: [] }]);
  const accounts = (answer as readonly Address[]).map(lowerCase);
  const { world, markets } = planDemoChain(SEED, accounts, 2 * DEMO_SPAN_SECONDS, {
    blocks: PLANNED_BLOCKS,
  });
  const pools = markets
    .map((market) => market.describe())
    .filter(({ protocol }) => protocol !== 'uniswap_v4')
    .map((pool) => ({ ...pool, startPrice: (pool.reserve1 << PRICE_BITS) / pool.reserve0 }));
  return { pools, traders: accounts.slice(1), poolCaller: world.contracts.poolCaller };
}

/** One swap in a block of its own. The number of the block is the seed of what is traded. */
async function trade(
  url: string,
  { pools, traders, poolCaller }: Market,
  signal: AbortSignal,
  onBlock?: () => void,
): Promise<void> {
  const [head] = await callNode(url, [{ method: 'eth_blockNumber', params: [] }], signal);
  const random = new Random(SEED + Number(head));
  const [pool, from] = [random.pick(pools), random.pick(traders)];
  const state = await readPool(url, pool, from, signal);
  const wanted = pickDirection(random, state.price, pool.startPrice);
  const share = random.integer(1, MAX_SHARE);
  const amountOf = (zeroForOne: boolean) => random.share(state.held[zeroForOne ? 0 : 1], share, share);
  // A trader who has sold all buys.
  const zeroForOne = state.purse[wanted ? 0 : 1] >= amountOf(wanted) ? wanted : !wanted;
  const amountIn = amountOf(zeroForOne);
  const data =
    pool.protocol === 'uniswap_v3'
      ? encodeFunctionData({
          abi: poolCallerAbi,
          functionName: 'swapV3',
          args: [pool.id as Address, zeroForOne, amountIn],
        })
      : encodeFunctionData({
          abi: poolCallerAbi,
          functionName: 'swapV2',
          args: [pool.id as Address, zeroForOne, amountIn, amountOutOf(state.held, zeroForOne, amountIn)],
        });
  onBlock?.();
  const call = { from, to: poolCaller, data, gas: numberToHex(POOL_GAS) };
  await callNode(url, [{ method: 'eth_sendTransaction', params: [call] }], signal);
}

/** What a pool holds and a trader has of both tokens, and the price of token 0. */
async function readPool(
  url: string,
  { id, protocol, token0, token1 }: DemoPool,
  trader: Address,
  signal: AbortSignal,
) {
  const pool = id as Address;
  const isV3 = protocol === 'uniswap_v3';
  const balance = (token: Address, of: Address) => ({
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [of] }),
  });
  const calls = [
    balance(token0, pool),
    balance(token1, pool),
    balance(token0, trader),
    balance(token1, trader),
    {
      to: pool,
      data: isV3
        ? encodeFunctionData({ abi: poolV3Abi, functionName: 'slot0' })
        : encodeFunctionData({ abi: pairAbi, functionName: 'getReserves' }),
    },
  ];
  const answers = (await callNode(
    url,
    calls.map((call) => ({ method: 'eth_call', params: [call, 'latest'] })),
    signal,
  )) as readonly Hex[];
  const [held0 = 0n, held1 = 0n, purse0 = 0n, purse1 = 0n] = answers.slice(0, 4).map(BigInt);
  const last = answers[4] ?? '0x';
  const held: readonly [bigint, bigint] = [held0, held1];
  const purse: readonly [bigint, bigint] = [purse0, purse1];
  if (!isV3) {
    const [reserve0, reserve1] = decodeFunctionResult({
      abi: pairAbi,
      functionName: 'getReserves',
      data: last,
    });
    return { held: [reserve0, reserve1] as const, purse, price: (reserve1 << PRICE_BITS) / reserve0 };
  }
  const [sqrtPrice] = decodeFunctionResult({ abi: poolV3Abi, functionName: 'slot0', data: last });
  // Q64.96, squared: 192 binary places.
  return { held, purse, price: (sqrtPrice * sqrtPrice) >> (192n - PRICE_BITS) };
}
