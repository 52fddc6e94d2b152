import type { Hex } from '../../lambdas/chain-data/decode/raw-block.ts';
import { formatDecimal, parseDecimal, shift } from '../../lambdas/rollups/prices/decimal.ts';
import { derivePrices } from '../../lambdas/rollups/prices/derive-prices.ts';
import type { Feed } from '../../lambdas/rollups/prices/feeds.ts';
import type {
  LiquidityChange,
  Market,
  MarketEvent,
  MarketPool,
  TokenPrice,
} from '../../lambdas/rollups/prices/market.ts';
import { poolDepth } from '../../lambdas/rollups/prices/pool-depth.ts';
import { type Quotes, toQuotes } from '../../lambdas/rollups/prices/quotes.ts';
import { rootAtTick } from '../../lambdas/rollups/ticks/tick-prices.ts';
import { address } from './trading-chain.ts';

export const DOLLAR = address(0xd0);
export const TETHER = address(0xd1);
export const ETHER = address(0xe0);
export const HEARTBEAT_SECONDS = 3_600;
const BLOCK_SECONDS = 6;
const DECIMALS = 6;
const UNIT = 1e6;

/** A pool of a test: reserves in whole tokens, the quoted one second. */
interface SimulatedPool {
  readonly id: Hex;
  readonly token: Hex;
  tokens: number;
  quote: number;
}

/** A market in memory, block by block: every token has 6 decimals. */
export class SimulatedMarket {
  readonly quotes: Quotes = toQuotes({
    stables: [DOLLAR, TETHER].map((token) => ({ token, decimals: DECIMALS, usd: '1' })),
    wrappedNative: ETHER,
  });
  /** Tokens whose decimals have changed. */
  readonly unsettled = new Set<Hex>();
  readonly feeds = new Map<Hex, Feed>();
  readonly market: Market = {
    ...{ pools: new Map(), prices: new Map(), observations: new Map(), told: new Map() },
    unsettled: this.unsettled,
    feeds: this.feeds,
  };
  block = 0;
  #time = 1_800_000_000;
  #slept = 0;
  #events: MarketEvent[] = [];
  #count = 0;

  /** The time of the last block, in seconds. */
  get time(): number {
    return this.#time;
  }

  /** Makes a V2 pool with reserves in whole tokens. */
  pair(token: Hex, quoted: Hex, tokens: number, quote: number): SimulatedPool {
    const pool = {
      id: this.#pool({ protocol: 'uniswap_v2', token0: token, token1: quoted }),
      token,
      tokens,
      quote,
    };
    this.sync(pool);
    return pool;
  }

  /** Makes a V4 pool against the dollar at a tick, with one position. */
  position(
    token: Hex,
    tick: number,
    {
      ticks,
      liquidity,
      hooks = null,
    }: { ticks: readonly [number, number]; liquidity: bigint; hooks?: Hex | null },
  ): Hex {
    const id = this.#pool({ protocol: 'uniswap_v4', token0: token, token1: DOLLAR, hooks });
    this.#liquidity(id, { kind: 'initialize', sqrtPriceX96: rootAtTick(tick) });
    const [tickLower, tickUpper] = ticks;
    this.#liquidity(id, { kind: 'modify', liquidityDelta: liquidity, tickLower, tickUpper });
    return id;
  }

  /** Says the reserves of a pool, as each trade does. */
  sync({ id, tokens, quote }: SimulatedPool): void {
    const raw = (whole: number) => BigInt(Math.round(whole * UNIT));
    this.#liquidity(id, { kind: 'sync', amount0: raw(tokens), amount1: raw(quote) });
  }

  /** Has the oracle of a token answer in the next block, in dollars for a whole one. */
  answer(token: Hex, dollars: number): void {
    const answer = {
      block: this.block + 1,
      time: this.#time + BLOCK_SECONDS,
      usd: shift(parseDecimal(String(dollars)), -DECIMALS),
    };
    const answers = this.feeds.get(token)?.answers ?? [];
    this.feeds.set(token, { heartbeat: HEARTBEAT_SECONDS, isPaused: false, answers: [...answers, answer] });
  }

  /** Pauses the oracle of a token. */
  pause(token: Hex): void {
    const feed = this.feeds.get(token);
    if (feed !== undefined) this.feeds.set(token, { ...feed, isPaused: true });
  }

  /** Lets so many seconds go by without a block, before the next one. */
  sleep(seconds: number): void {
    this.#slept += seconds;
  }

  /**
   * Trades a pool to a price in its quoted token.
   * @returns what that takes of the quoted token: negative where it pays it out
   */
  trade(pool: SimulatedPool, price: number): number {
    const product = pool.tokens * pool.quote;
    const before = pool.quote;
    pool.quote = Math.sqrt(product * price);
    pool.tokens = product / pool.quote;
    this.sync(pool);
    return pool.quote - before;
  }

  /** Ends so many blocks: the first with all that happened since, the others with nothing. */
  mine(blocks = 1): void {
    for (let count = 0; count < blocks; count += 1) {
      const before = { block: this.block, time: this.#time };
      this.block += 1;
      this.#time += BLOCK_SECONDS + this.#slept;
      this.#slept = 0;
      const times = { before, from: this.block, times: [this.#time] };
      const events = this.#events.map((event) => ({ ...event, blockNumber: this.block, time: this.#time }));
      this.#events = [];
      derivePrices(this.market, this.quotes, { events, times });
    }
  }

  /** As many blocks as a time has. */
  pass(seconds: number): void {
    this.mine(Math.ceil(seconds / BLOCK_SECONDS));
  }

  price(
    token: Hex,
  ): (TokenPrice & { readonly dollars: number; readonly pending: number | undefined }) | undefined {
    const found = this.market.prices.get(token);
    if (found === undefined) return undefined;
    const whole = (usd: TokenPrice['usd']) => Number(formatDecimal(shift(usd, DECIMALS)));
    return {
      ...found,
      dollars: whole(found.usd),
      pending: found.pendingUsd ? whole(found.pendingUsd) : undefined,
    };
  }

  /** What the deepest pool against the dollar says at this moment: the rule that does without evidence. */
  deepest(token: Hex): number {
    let best = { depth: 0n, price: Number.NaN };
    for (const pool of this.market.pools.values()) {
      if (pool.token0 !== token || pool.token1 !== DOLLAR) continue;
      const { depth } = poolDepth(pool, false);
      const price = pool.sqrtPriceX96
        ? (Number(pool.sqrtPriceX96) / 2 ** 96) ** 2
        : Number(pool.amount1) / Number(pool.amount0);
      if (depth > best.depth) best = { depth, price };
    }
    return best.price;
  }

  #pool(pool: Pick<MarketPool, 'protocol' | 'token0' | 'token1'> & { readonly hooks?: Hex | null }): Hex {
    this.#count += 1;
    const id = address(0x1000 + this.#count);
    const nothing = { amount0: 0n, amount1: 0n, sqrtPriceX96: null, tick: null, liquidity: null };
    const known = { feePips: 3_000, tickSpacing: 60, hooks: null, ticks: new Map(), isWhole: false };
    this.market.pools.set(id, { id, ...nothing, ...known, ...pool });
    return id;
  }

  #liquidity(poolId: Hex, change: Pick<LiquidityChange, 'kind'> & Partial<LiquidityChange>): void {
    const nothing = { amount0: 0n, amount1: 0n, tickLower: null, tickUpper: null, liquidityDelta: null };
    const site = { blockNumber: 0, logIndex: this.#events.length, time: 0, poolId, sqrtPriceX96: null };
    this.#events.push({ ...site, ...nothing, ...change });
  }
}
