import type { Hex } from '../chain-data/decode/raw-block.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { bigintOrNull, type DatabaseRow, numberOrNull } from '../shared/chain-database/decode-row.ts';
import { hexList } from '../shared/chain-database/hex.ts';
import { readPages } from '../shared/chain-database/read-pages.ts';
import { type Sql, sql } from '../shared/chain-database/sql.ts';
import type { SqlParameters } from '../shared/chain-database/sql-parameters.ts';
import type { DexProtocol } from '../shared/runtime/settings.ts';
import { readFeeds } from './oracle-prices.ts';
import { readTicks, tickRanges } from './pool-ticks.ts';
import type { BlockTimes } from './prices/block-times.ts';
import type { Confidence, PriceReason } from './prices/decide-price.ts';
import { parseDecimal, shift } from './prices/decimal.ts';
import { feedMoments } from './prices/feeds.ts';
import type { Market, MarketEvent, MarketPool, PriceMethod, TokenPrice } from './prices/market.ts';
import { isQuote, type Quotes } from './prices/quotes.ts';
import { readObservations, readStandingPools, readTold } from './read-evidence.ts';

/**
 * Reads what the prices of a step depend on, as it is at the end of a block: the oracles, the pools that have events,
 * or have stood in the step, those that their tokens are priced by, and the last prices.
 */
export async function readMarket(
  chain: ChainQueries,
  quotes: Quotes,
  { events, times }: { readonly events: readonly MarketEvent[]; readonly times: BlockTimes },
): Promise<Market> {
  const unsettled = await unsettledTokens(chain, quotes);
  const feeds = await readFeeds(chain, quotes.feeds, times);
  const market: Market = {
    ...{ pools: new Map(), prices: new Map(), observations: new Map(), told: new Map() },
    ...{ unsettled, feeds },
  };
  const standing = await readStandingPools(chain, times);
  const named = [...new Set([...events.map(({ poolId }) => poolId), ...standing])];
  const block = times.from - 1;
  const spoken = feedMoments(feeds, times).map(({ token }) => token);
  if (named.length === 0 && spoken.length === 0) return market;
  await addPools(
    chain,
    market,
    sql`SELECT decode(id, 'hex') FROM unnest(:wanted::text::text[]) AS wanted (id)`,
    { block, wanted: hexList(named) },
  );
  const tokens = new Set([
    ...[...market.pools.values()].flatMap(({ token0, token1 }) => [token0, token1]),
    ...spoken,
  ]);
  await addPricingPools(chain, market, quotes, { block, tokens });
  for (const [id, ticks] of await readTicks(chain, tickRanges(market.pools.values(), events))) {
    const pool = market.pools.get(id);
    if (pool !== undefined) market.pools.set(id, { ...pool, ticks });
  }
  await addPrices(chain, market, {
    block,
    tokens: [...tokens, ...quotes.pegs.keys(), ...quotes.natives],
  });
  if (times.before !== undefined) {
    await readObservations(chain, market, times.before);
    await readTold(chain, market, times.before);
  }
  return market;
}

/** Tokens whose decimals have changed and are not certain yet; those that others are quoted in have theirs from the stage file. */
async function unsettledTokens(chain: ChainQueries, quotes: Quotes): Promise<ReadonlySet<Hex>> {
  const pages = readPages(
    chain,
    sql`SELECT encode(address, 'hex') AS token FROM {{schema}}.tokens
     WHERE new_decimals IS NOT NULL AND address > decode(:token, 'hex') ORDER BY address`,
    { start: { token: '' } },
  );
  const unsettled = new Set<Hex>();
  for await (const rows of pages) for (const { token } of rows) unsettled.add(`0x${token}`);
  return new Set([...unsettled].filter((token) => !isQuote(quotes, token)));
}

/** Adds all pools of tokens against quotes, and those of the native token against stable ones. */
async function addPricingPools(
  chain: ChainQueries,
  market: Market,
  quotes: Quotes,
  { block, tokens }: { readonly block: number; readonly tokens: ReadonlySet<Hex> },
): Promise<void> {
  const priced = [...quotes.natives, ...[...tokens].filter((token) => !isQuote(quotes, token))];
  const parameters = {
    block,
    priced: hexList(priced),
    quotes: hexList([...quotes.pegs.keys(), ...quotes.natives]),
  };
  await addPools(
    chain,
    market,
    sql`WITH priced AS (SELECT decode(id, 'hex') AS token FROM unnest(:priced::text::text[]) AS given (id)),
            quote AS (SELECT decode(id, 'hex') AS token FROM unnest(:quotes::text::text[]) AS given (id))
       SELECT pool_id FROM priced JOIN {{schema}}.pricing_pools ON token0 = priced.token
       WHERE token1 IN (SELECT token FROM quote)
       UNION ALL
       SELECT pool_id FROM priced JOIN {{schema}}.pricing_pools ON token1 = priced.token
       WHERE token0 IN (SELECT token FROM quote)`,
    parameters,
  );
}

/** Adds pools with their last state at or below a block; of a pool without one, nothing is known but its tokens. */
async function addPools(
  chain: ChainQueries,
  market: Market,
  which: Sql,
  parameters: SqlParameters,
): Promise<void> {
  const statement = sql`SELECT encode(pool.pool_id, 'hex') AS pool_id, protocol, encode(token0, 'hex') AS token0,
            encode(token1, 'hex') AS token1, fee_pips, tick_spacing, encode(hooks, 'hex') AS hooks, amount0::text,
            amount1::text, state.sqrt_price_x96::text, state.tick, state.liquidity::text, EXISTS (
              SELECT FROM {{schema}}.dex_liquidity_events AS begun
              WHERE begun.pool_id = pool.pool_id AND begun.kind = 'initialize'
                AND begun.block_number BETWEEN (SELECT first_block FROM {{schema}}.rollup_origin) AND :block
            ) AS is_whole
     FROM (
       SELECT pool_id, protocol, token0, token1, fee_pips, tick_spacing, hooks FROM {{schema}}.pricing_pools
       WHERE pool_id IN (${which}) AND pool_id > decode(:pool_id, 'hex') ORDER BY pool_id
     ) AS pool
     LEFT JOIN LATERAL (
       SELECT amount0, amount1, sqrt_price_x96, tick, liquidity FROM {{schema}}.dex_pool_states AS state
       WHERE state.pool_id = pool.pool_id AND state.block_number <= :block
       ORDER BY state.block_number DESC LIMIT 1
     ) AS state ON true ORDER BY pool.pool_id`;
  for await (const rows of readPages(chain, statement, { parameters, start: { pool_id: '' } }))
    for (const row of rows) addPool(market, row);
}

function addPool(market: Market, row: DatabaseRow): void {
  const pool: MarketPool = {
    id: `0x${row.pool_id}`,
    protocol: row.protocol as DexProtocol,
    token0: `0x${row.token0}`,
    token1: `0x${row.token1}`,
    feePips: numberOrNull(row.fee_pips),
    tickSpacing: numberOrNull(row.tick_spacing),
    hooks: row.hooks === null ? null : `0x${row.hooks}`,
    amount0: BigInt(String(row.amount0 ?? 0)),
    amount1: BigInt(String(row.amount1 ?? 0)),
    sqrtPriceX96: bigintOrNull(row.sqrt_price_x96),
    tick: numberOrNull(row.tick),
    liquidity: bigintOrNull(row.liquidity),
    ticks: new Map(),
    isWhole: row.is_whole === true,
  };
  market.pools.set(pool.id, pool);
}

async function addPrices(
  chain: ChainQueries,
  market: Market,
  { block, tokens }: { readonly block: number; readonly tokens: readonly Hex[] },
): Promise<void> {
  const pages = readPages(
    chain,
    sql`SELECT id AS token, price_usd::text, method, encode(pool_id, 'hex') AS pool_id, liquidity_usd::text,
              depth_usd::text, cost_to_move_usd::text, pending_price_usd::text, confidence, reasons, sources,
              extract(epoch FROM block_time)::bigint AS time, decimals, first_block, first_time
       FROM (SELECT id FROM unnest(:wanted::text::text[]) AS given (id) ORDER BY id) AS wanted
       JOIN {{schema}}.price_scales AS scale ON scale.token = decode(id, 'hex')
       CROSS JOIN LATERAL (
         SELECT * FROM {{schema}}.token_prices AS price
         WHERE price.token = scale.token AND block_number <= :block ORDER BY block_number DESC LIMIT 1
       ) AS price
       CROSS JOIN LATERAL (
         SELECT block_number AS first_block, extract(epoch FROM block_time)::bigint AS first_time
         FROM {{schema}}.token_prices AS earliest
         WHERE earliest.token = scale.token ORDER BY block_number LIMIT 1
       ) AS earliest WHERE id > :token ORDER BY id`,
    { parameters: { block, wanted: hexList(new Set(tokens)) }, start: { token: '' } },
  );
  for await (const rows of pages) for (const row of rows) market.prices.set(`0x${row.token}`, toPrice(row));
}

function toPrice(row: DatabaseRow): TokenPrice {
  const numberOf = (name: string) => (row[name] === null ? null : parseDecimal(String(row[name])));
  const listOf = (name: string) =>
    String(row[name] ?? '')
      .split(',')
      .filter((item) => item !== '');
  const pending = numberOf('pending_price_usd');
  return {
    usd: shift(parseDecimal(String(row.price_usd)), -Number(row.decimals)),
    method: row.method as PriceMethod,
    poolId: row.pool_id === null ? null : `0x${row.pool_id}`,
    liquidityUsd: numberOf('liquidity_usd'),
    depthUsd: numberOf('depth_usd'),
    costToMoveUsd: numberOf('cost_to_move_usd'),
    pendingUsd: pending && shift(pending, -Number(row.decimals)),
    confidence: row.confidence as Confidence,
    reasons: listOf('reasons') as PriceReason[],
    sources: listOf('sources') as Hex[],
    time: Number(row.time),
    since: { block: Number(row.first_block), time: Number(row.first_time) },
  };
}
