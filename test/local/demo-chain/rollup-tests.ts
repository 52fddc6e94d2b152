import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { followStep } from '../../../lambdas/indexer/follow/follow-step.ts';
import { createNodeReader } from '../../../lambdas/indexer/follow/node-reader.ts';
import { deriveStep } from '../../../lambdas/rollups/derive-step.ts';
import { toQuotes } from '../../../lambdas/rollups/prices/quotes.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { chainSchema } from '../../../lambdas/shared/chain-database/chain-schema.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import { connectNode } from '../../../lambdas/shared/upstream/connection/node-connection.ts';
import { loadStageConfig } from '../../../lib/config/config.ts';
import type { DemoTransfer } from '../../../local/demo-chain/script/records.ts';
import { PLAIN } from '../../chain-data/decode/raw-blocks.ts';
import {
  MADE_CHAINS,
  type MigratedDatabase,
  startMigratedDatabase,
} from '../../database/migrated-database.ts';
import { type DemoStock, multipliersOf } from './expected-chain.ts';
import type { PlayedChain } from './played-chain.ts';
import { dayOf } from './stock-days.ts';

const [CHAIN] = MADE_CHAINS;
const SCHEMA = chainSchema(CHAIN);
const MAX_STEPS = 100;
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
const E6 = 10n ** 6n;
const E18 = 10n ** 18n;

let played: PlayedChain;
let database: MigratedDatabase;

/**
 * Tests of what is derived of a chain that is there once the tests run, and is indexed for them: prices, candles and the
 * days of stocks.
 */
export function testRollups(chain: () => PlayedChain): void {
  beforeAll(async () => {
    played = chain();
    database = await startMigratedDatabase([]);
    await indexAll();
    await describeTokens();
    await deriveAll();
  });

  afterAll(() => database?.close());

  test('the stage file quotes in the dollar and the native token of the chain, and lists its exchanges', () => {
    const { dollar, wrappedNative, factoryV2, factoryV3, poolManagerV4 } = played.expected.contracts;
    const [settings] = loadStageConfig('config/local.json').chains;
    expect(settings?.quotes).toEqual({ stables: [{ token: dollar, decimals: 6, usd: '1' }], wrappedNative });
    expect(settings?.exchanges).toEqual([
      { protocol: 'uniswap_v2', factory: factoryV2 },
      { protocol: 'uniswap_v3', factory: factoryV3 },
      { protocol: 'uniswap_v4', factory: poolManagerV4 },
    ]);
  });

  test('all pools of the chain are verified', async () => {
    expect(await rows(`SELECT count(*) AS pools FROM ${SCHEMA}.pricing_pools`)).toEqual([
      { pools: played.expected.pools.length },
    ]);
  });

  test('the days of both stocks have the figures of the plan', async () => {
    for (const stock of played.expected.stocks) {
      const days = await rows(
        `SELECT day::text AS day, transfers, mint_raw_amount::text AS minted, burn_raw_amount::text AS burned,
                holder_count AS holders, dex_swap_count AS swaps, dex_raw_volume::text AS volume,
                transfers_ui_amount::text AS ui
         FROM ${SCHEMA}.stock_daily WHERE token = decode('${stock.token.slice(2)}', 'hex') ORDER BY day`,
      );
      expect(days).toEqual(
        stock.days.map((day) => ({
          day: day.day,
          transfers: day.transfers,
          minted: String(day.minted),
          burned: String(day.burned),
          holders: day.holders,
          swaps: day.swaps,
          volume: String(day.swapVolume),
          ui: String(uiAmountOf(stock, day.day)),
        })),
      );
      expect(days.length).toBeGreaterThan(4);
    }
  });

  test('a trade against the dollar is worth its dollars, and every trade of the chain has a value', async () => {
    const { swaps, pools, contracts } = played.expected;
    const dollars = swaps.flatMap(({ pool: id, amount0, amount1 }) => {
      const pool = pools.find((one) => one.id === id);
      if (pool?.token0 !== contracts.dollar && pool?.token1 !== contracts.dollar) return [];
      const amount = pool.token0 === contracts.dollar ? amount0 : amount1;
      return amount < 0n ? -amount : amount;
    });
    const valued = await rows(
      `SELECT count(*) AS trades, count(amount_usd) AS valued,
              sum(amount_usd * ${E6}) FILTER (WHERE usd_method = 'stable') AS units,
              count(*) FILTER (WHERE usd_method = 'stable') AS stable
       FROM ${SCHEMA}.dex_swaps`,
    );
    expect(valued[0]).toMatchObject({ trades: swaps.length, valued: swaps.length, stable: dollars.length });
    expect(BigInt(Math.round(Number(valued[0]?.units)))).toBe(
      dollars.reduce((sum, amount) => sum + amount, 0n),
    );
  });

  test('the last price of the wrapped native token is that of its deepest pool', async () => {
    const { pools, contracts } = played.expected;
    const { dollar, wrappedNative } = contracts;
    const [price] = await rows(
      `SELECT price_usd::text AS usd, encode(pool_id, 'hex') AS pool FROM ${SCHEMA}.token_prices
       WHERE token = decode('${wrappedNative.slice(2)}', 'hex') ORDER BY block_number DESC LIMIT 1`,
    );
    const pool = pools.find(({ id }) => id === `0x${price?.pool}`);
    expect([pool?.token0, pool?.token1]).toContain(dollar);
    const [dollars, natives] =
      pool?.token0 === dollar ? [pool.reserve0, pool.reserve1] : [pool?.reserve1 ?? 0n, pool?.reserve0 ?? 0n];
    const expected = Number(dollars) / Number(E6) / (Number(natives) / Number(E18));
    expect(Number(price?.usd) / expected).toBeCloseTo(1, 3);
  });

  test('candles of pools add up to the trades', async () => {
    const volumes = await rows(
      `SELECT encode(subject, 'hex') AS pool, interval_seconds, sum(trades) AS trades,
        sum(volume_base)::text AS volume
       FROM ${SCHEMA}.candles WHERE subject_kind = 'pool' GROUP BY subject, interval_seconds`,
    );
    const { pools, swaps } = played.expected;
    expect(volumes).toHaveLength(pools.filter(({ id }) => swaps.some(({ pool }) => pool === id)).length * 6);
    for (const { pool, trades, volume } of volumes) {
      const traded = swaps.filter((swap) => swap.pool === `0x${pool}`);
      expect(Number(trades)).toBe(traded.length);
      expect(volume).toBe(
        String(traded.reduce((sum, { amount0 }) => sum + (amount0 < 0n ? -amount0 : amount0), 0n)),
      );
    }
  });
}

async function indexAll(): Promise<void> {
  const node = connectNode({ url: played.url, maxResponseBytes: MAX_RESPONSE_BYTES, clock: systemClock });
  const index = openChainIndex(connectionTo(database.writer, CHAIN));
  const reader = createNodeReader(node, systemClock, { traces: false });
  const parts = {
    reader,
    index,
    decode: (block: Parameters<typeof decodeBlock>[0]) => decodeBlock(block, PLAIN),
  };
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const { kind } = await followStep(parts, { deadline: Date.now() + 120_000 });
    if (kind === 'idle') break;
  }
  node.close();
}

/** What the indexer asks the chain for beside its blocks. */
async function describeTokens(): Promise<void> {
  for (const { address, decimals } of played.expected.tokens) {
    if (decimals === null || decimals > 255) continue;
    await database.writer.query(
      `UPDATE ${SCHEMA}.tokens SET decimals = :decimals WHERE address = decode(:address, 'hex')`,
      { address: address.slice(2), decimals },
    );
  }
  for (const { token, initialMultiplier } of played.expected.stocks)
    await database.writer.query(
      `INSERT INTO ${SCHEMA}.stock_tokens (token, issuer, initial_multiplier, registered_block, updated_block)
       VALUES (decode(:token, 'hex'), 'demo', :multiplier, 0, 0)`,
      { token: token.slice(2), multiplier: initialMultiplier },
    );
}

async function deriveAll(): Promise<void> {
  const [settings] = loadStageConfig('config/local.json').chains;
  const quotes = toQuotes(settings?.quotes, [], settings?.exchanges);
  for (let steps = 0; steps < MAX_STEPS; steps += 1)
    if ((await deriveStep(connectionTo(database.writer, CHAIN), quotes)).kind === 'idle') return;
  throw new Error('the derivation does not come to rest');
}

const rows = async (sql: string) => (await database.writer.query(sql)).rows;

function uiAmountOf(stock: DemoStock, day: string): bigint {
  return played.expected.transfers
    .filter(({ token, timestamp }) => token === stock.token && dayOf(timestamp) === day)
    .reduce((sum, transfer) => sum + (transfer.amount * multiplierOf(stock, transfer)) / E18, 0n);
}

function multiplierOf({ initialMultiplier, announcements }: DemoStock, at: DemoTransfer): bigint {
  const announced = announcements.filter(({ blockNumber }) => blockNumber <= at.blockNumber);
  return multipliersOf(initialMultiplier, announced, at.timestamp).multiplier;
}
