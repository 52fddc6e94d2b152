import type { BlockRange } from '../chain-data/store/block-range.ts';
import { cover } from '../chain-data/store/coverage.ts';
import {
  lockCursor,
  moveRollups,
  type RollupCursor,
  readStored,
  type StoredChain,
} from '../chain-data/store/rollup-cursor.ts';
import type { ChainConnection, ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { hexDigits } from '../shared/chain-database/hex.ts';
import { sql, sqlIndexed } from '../shared/chain-database/sql.ts';
import { writeCandles } from './candles.ts';
import { adoptFactories, isAdopted } from './dex-factories.ts';
import { storeOraclePrices } from './oracle-prices.ts';
import { addTicks } from './pool-ticks.ts';
import { rescale } from './price-scales.ts';
import { derivePrices } from './prices/derive-prices.ts';
import type { Quotes } from './prices/quotes.ts';
import { readEvents } from './read-events.ts';
import { readTimes } from './read-evidence.ts';
import { readMarket } from './read-market.ts';
import { rewindRollups } from './rewind-rollups.ts';
import { isOfData, setAsideCulprit } from './set-aside.ts';
import { deriveStockDays } from './stock-days.ts';
import { findLateStock, forgetStrangeStocks, type LateStock, stockTokens } from './stock-ledgers.ts';
import { storePrices } from './store-prices.ts';

/** Blocks that one step derives at most, and that one step takes back at most. */
const MAX_STEP_BLOCKS = 5_000;
/** By how many times fewer blocks a step is tried with whose data fail. */
const FEWER = 18;
const DERIVED_DATASETS = ['candles', 'stock_daily', 'token_prices'];
/** Blocks below what is derived are taken in once no more of them have come for this time, in seconds. */
const SETTLED_SECONDS = 120;

/** What a step did. */
export type DeriveOutcome =
  | { readonly kind: 'idle' }
  /** Derived further blocks; so many are left. */
  | { readonly kind: 'derived'; readonly blocks: number; readonly left: number }
  /** Derived a day of a stock token that became known late. */
  | { readonly kind: 'late_stock' }
  /** Took back blocks, as all has to begin anew: older ones are stored now, or other factories are listed. */
  | { readonly kind: 'taken_back' };

/**
 * Derives prices, candles and daily figures a step further: one transaction. Whatever fails, and wherever it
 * is cut short, what is derived is as one of these transactions has left it, and the same however the blocks
 * were parted. A pool or token whose figures fail is set aside, and keeps nothing else from being derived.
 * @param onSetAside called for each of these
 */
export async function deriveStep(
  connection: ChainConnection,
  quotes: Quotes,
  onSetAside: () => void = () => {},
): Promise<DeriveOutcome> {
  for (let blocks = MAX_STEP_BLOCKS; ; blocks = Math.ceil(blocks / FEWER)) {
    const step = (chain: ChainQueries) => stepWithin(chain, quotes, blocks);
    try {
      return await connection.transaction(step);
    } catch (error) {
      if (!isOfData(error)) throw error;
      if (blocks > 1) continue;
      await setAsideCulprit(connection, step, error);
      onSetAside();
    }
  }
}

async function stepWithin(chain: ChainQueries, quotes: Quotes, blocks: number): Promise<DeriveOutcome> {
  const found = await readStored(chain);
  if (found === undefined) return { kind: 'idle' };
  const cursor = await lockCursor(chain, found);
  // Only now the blocks that are stored cannot go.
  let stored = await readStored(chain);
  if (stored === undefined) return { kind: 'idle' };
  if (await beginsLower(chain, cursor, stored)) {
    await takeBack(chain, cursor, stored);
    return { kind: 'taken_back' };
  }
  if (!(await isAdopted(chain, quotes.exchanges))) {
    if (cursor.block >= cursor.first) {
      await takeBack(chain, cursor, stored);
      return { kind: 'taken_back' };
    }
    if (!(await adoptFactories(chain, quotes.exchanges))) return { kind: 'taken_back' };
    stored = (await readStored(chain)) ?? stored;
  }
  await rescale(chain);
  await forgetStrangeStocks(chain);
  const late = await findLateStock(chain, cursor);
  if (late !== undefined) {
    await deriveLateStock(chain, late, cursor);
    return { kind: 'late_stock' };
  }
  if (stored.to <= cursor.block) return { kind: 'idle' };
  const to = await deriveBlocks(chain, quotes, cursor, {
    ...stored,
    to: Math.min(stored.to, cursor.block + blocks),
  });
  return { kind: 'derived', blocks: to - cursor.block, left: stored.to - to };
}

/** Whether there are blocks to derive. */
export async function hasNewBlocks(chain: ChainQueries): Promise<boolean> {
  const { rows } = await chain.query(
    sql`SELECT coalesce(indexed.block_number > derived.block_number, true) AS more
     FROM {{schema}}.cursors AS indexed LEFT JOIN {{schema}}.cursors AS derived ON derived.name = 'rollups'
     WHERE indexed.name = 'indexed'`,
  );
  return rows[0]?.more === true;
}

async function deriveBlocks(
  chain: ChainQueries,
  quotes: Quotes,
  { block, first }: RollupCursor,
  stored: Pick<StoredChain, 'to'>,
): Promise<number> {
  const from = block + 1;
  const end = await lastOfDay(chain, { from, to: stored.to });
  const { events, to } = await readEvents(chain, { from, to: end });
  const times = await readTimes(chain, { from, to });
  await storeOraclePrices(chain, quotes.feeds, { from, to });
  const market = await readMarket(chain, quotes, { events, times });
  await storePrices(chain, derivePrices(market, quotes, { events, times }));
  await addTicks(chain, events);
  await writeCandles(chain, { from, to });
  await deriveStockDays(chain, await stockTokens(chain), { from, to });
  // Prices depend on all that was before.
  if (first === 0) await cover(chain, DERIVED_DATASETS, [{ from, to }]);
  await moveRollups(chain, to);
  return to;
}

/** One day of a token, so that the holders at its end can be counted. */
async function deriveLateStock(
  chain: ChainQueries,
  { token, block }: LateStock,
  cursor: RollupCursor,
): Promise<void> {
  const { rows } = await chain.query(
    sql`SELECT min(block_number) AS next_block FROM (
       SELECT min(block_number) AS block_number FROM {{schema}}.erc20_transfers
       WHERE ${sqlIndexed(sql`token`, sql`decode(:token, 'hex')`)} AND block_number BETWEEN :from AND :to
       UNION ALL
       SELECT min(block_number) FROM {{schema}}.dex_swaps
       WHERE token_in = decode(:token, 'hex') AND block_number BETWEEN :from AND :to
       UNION ALL
       SELECT min(block_number) FROM {{schema}}.dex_swaps
       WHERE token_out = decode(:token, 'hex') AND block_number BETWEEN :from AND :to
     ) AS next`,
    { token: hexDigits(token), from: block + 1, to: cursor.block },
  );
  const next = rows[0]?.next_block ?? cursor.block;
  const to = await lastOfDay(chain, { from: Number(next), to: cursor.block });
  await deriveStockDays(chain, [token], { from: block + 1, to });
}

/** The last block of a range that is of the same UTC day as its first. */
async function lastOfDay(chain: ChainQueries, { from, to }: BlockRange): Promise<number> {
  const { rows } = await chain.query(
    sql`SELECT max(number) AS last_block FROM {{schema}}.blocks
     WHERE number BETWEEN :from AND :to AND time < (
       SELECT date_bin('1 day', time, 'epoch'::timestamptz) + interval '1 day'
       FROM {{schema}}.blocks WHERE number = :from
     )`,
    { from, to },
  );
  return Number(rows[0]?.last_block ?? to);
}

/**
 * Whether older blocks than those that were derived first are stored now, and no more of them are on their
 * way.
 */
async function beginsLower(
  chain: ChainQueries,
  { first }: RollupCursor,
  stored: StoredChain,
): Promise<boolean> {
  if (stored.from >= first) return false;
  if (stored.from === 0) return true;
  await chain.query(
    sql`UPDATE {{schema}}.rollup_origin SET stored_from = :from, stored_since = now() WHERE stored_from <> :from`,
    { from: stored.from },
  );
  const { rows } = await chain.query(
    sql`SELECT stored_since < now() - make_interval(secs => ${SETTLED_SECONDS}) AS settled
      FROM {{schema}}.rollup_origin`,
  );
  return rows[0]?.settled === true;
}

/** Takes back the newest blocks that are derived; if none is left, begins with the first that is stored. */
async function takeBack(
  chain: ChainQueries,
  { block, first }: RollupCursor,
  stored: StoredChain,
): Promise<void> {
  if (block >= first) {
    await rewindRollups(chain, Math.max(first - 1, block - MAX_STEP_BLOCKS));
    return;
  }
  await chain.query(sql`UPDATE {{schema}}.rollup_origin SET first_block = :from`, { from: stored.from });
  await chain.query(sql`DELETE FROM {{schema}}.stock_ledgers`);
  await chain.query(sql`DELETE FROM {{schema}}.stock_holdings`);
  await chain.query(sql`DELETE FROM {{schema}}.dex_pool_ticks`);
  await moveRollups(chain, stored.from - 1);
}
