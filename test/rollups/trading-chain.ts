import { emptyLogRows } from '../../lambdas/chain-data/decode/decode-logs.ts';
import { isoTime } from '../../lambdas/chain-data/decode/iso-time.ts';
import type { BlockId, Hex } from '../../lambdas/chain-data/decode/raw-block.ts';
import type {
  BlockRows,
  Erc20TransferRow,
  LiquidityEvent,
  LogRow,
  LogSite,
  MultiplierRow,
  PoolRow,
  SwapEvent,
} from '../../lambdas/chain-data/decode/rows.ts';
import { TOPICS } from '../../lambdas/chain-data/decode/topics.ts';
import { type ChainIndex, openChainIndex } from '../../lambdas/indexer/chain-index/chain-index.ts';
import { type DeriveOutcome, deriveStep } from '../../lambdas/rollups/derive-step.ts';
import type { Quotes } from '../../lambdas/rollups/prices/quotes.ts';
import { tickAtRoot } from '../../lambdas/rollups/ticks/tick-prices.ts';
import type { ChainDatabase } from '../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import type { ChainSchema } from '../../lambdas/shared/chain-database/chain-schema.ts';
import { chainSchema } from '../../lambdas/shared/chain-database/chain-schema.ts';
import type { DexProtocol } from '../../lambdas/shared/runtime/settings.ts';
import { linesOf } from '../database/lines-of.ts';

/** More steps than any chain of a test takes. */
const MAX_STEPS = 100;

export const ZERO_ADDRESS: Hex = `0x${'0'.repeat(40)}`;

/** Makes the pools of tests. */
export const FACTORY: Hex = `0x${'fac'.padStart(40, '0')}`;

/** The one factory of all protocols, as a stage file lists it. */
export const EXCHANGES = (['uniswap_v2', 'uniswap_v3', 'uniswap_v4'] as const).map((protocol) => ({
  protocol,
  factory: FACTORY,
}));

/** An address that is easy to tell from others. */
export function address(number: number): Hex {
  return `0x${number.toString(16).padStart(40, '0')}`;
}

export interface TestPool {
  readonly id: Hex;
  readonly protocol: DexProtocol;
  readonly token0: Hex;
  readonly token1: Hex;
  readonly feePips?: number;
  /** @default 60; none with V2 */
  readonly tickSpacing?: number;
  readonly hooks?: Hex;
  /** @default {@link FACTORY} */
  readonly factory?: Hex;
}

/** What happens in a block of a test, in the order of its logs. */
export type Happening =
  | { readonly kind: 'pool'; readonly pool: TestPool }
  | { readonly kind: 'sync'; readonly pool: TestPool; readonly reserves: readonly [bigint, bigint] }
  | { readonly kind: 'initialize'; readonly pool: TestPool; readonly sqrtPriceX96: bigint }
  | {
      readonly kind: 'mint' | 'burn';
      readonly pool: TestPool;
      readonly amounts: readonly [bigint, bigint];
      /** Of V3. */
      readonly liquidity?: bigint;
      readonly ticks?: readonly [number, number];
    }
  | {
      readonly kind: 'modify';
      readonly pool: TestPool;
      readonly liquidity: bigint;
      readonly ticks: readonly [number, number];
    }
  | {
      readonly kind: 'swap';
      readonly pool: TestPool;
      readonly amounts: readonly [bigint, bigint];
      readonly sqrtPriceX96?: bigint;
      /** @default that of the price */
      readonly tick?: number;
      readonly liquidity?: bigint;
    }
  | {
      readonly kind: 'transfer';
      readonly token: Hex;
      readonly from: Hex;
      readonly to: Hex;
      readonly amount: bigint;
    }
  | {
      readonly kind: 'announce';
      readonly token: Hex;
      readonly old: bigint;
      readonly multiplier: bigint;
      /** Seconds since the epoch. */
      readonly effectiveAt: number;
    }
  | {
      /** `AnswerUpdated` of an aggregator. */
      readonly kind: 'answer';
      readonly aggregator: Hex;
      readonly current: bigint;
    }
  | { readonly kind: 'log'; readonly emitter: Hex; readonly topics: readonly Hex[]; readonly data: Hex };

export interface TestBlock {
  /** Seconds since the epoch. */
  readonly time: number;
  readonly happenings: readonly Happening[];
}

/** A chain whose index is filled block by block with what a test says, through the index of the product. */
export class TradingChain {
  readonly name: string;
  readonly index: ChainIndex;
  readonly schema: ChainSchema;
  readonly #database: ChainDatabase;
  readonly #ids: BlockId[] = [];
  #fork = 0;

  constructor(database: ChainDatabase, chain: string) {
    this.#database = database;
    this.name = chain;
    this.index = openChainIndex(connectionTo(database, chain));
    this.schema = chainSchema(chain);
  }

  /** Stores blocks on top of those that are there. */
  async append(blocks: readonly TestBlock[]): Promise<void> {
    if (this.#ids.length === 0)
      await this.index.begin({ number: -1, hash: hashOf(-1, 0), parentHash: hashOf(-2, 0), timestamp: 0 });
    const ids = blocks.map(({ time }, index) => {
      const number = this.#ids.length + index;
      const parentHash = this.#ids.at(-1)?.hash ?? hashOf(-1, 0);
      return { number, hash: hashOf(number, this.#fork), parentHash, timestamp: time };
    });
    const head = ids.at(-1);
    const cursor = await this.index.cursor();
    if (head === undefined || cursor === undefined) return;
    const rows = blocks.map((block, index) =>
      rowsOf(this.#ids.length + index, ids[index]?.hash ?? '0x', block),
    );
    await this.index.append(cursor, { ids, rows, head });
    this.#ids.push(...ids);
  }

  /** Derives until there is nothing left to derive, and tells what each step did. */
  async derive(quotes: Quotes): Promise<DeriveOutcome['kind'][]> {
    const kinds: DeriveOutcome['kind'][] = [];
    while (kinds.length < MAX_STEPS) {
      const { kind } = await deriveStep(connectionTo(this.#database, this.name), quotes);
      if (kind === 'idle') return kinds;
      kinds.push(kind);
    }
    throw new Error('the derivation does not come to rest');
  }

  /** Rows of a statement, in which `$` stands for the schema and its dot. */
  async rows(sql: string) {
    return (await this.#database.query(sql.replaceAll('$', `${this.schema}.`))).rows;
  }

  /** The same, each row as one text: its values in their order, and a dash for what is absent. */
  lines(sql: string): Promise<string[]> {
    return linesOf(this.#database, sql.replaceAll('$', `${this.schema}.`));
  }

  /** Notes what a token says of its decimals. */
  async knowToken(token: Hex, decimals: number): Promise<void> {
    await this.rows(`INSERT INTO $tokens (address, standard, decimals, first_seen_block, updated_block)
      VALUES ('\\x${token.slice(2)}', 20, ${decimals}, 0, 0)
      ON CONFLICT (address) DO UPDATE SET decimals = EXCLUDED.decimals`);
  }

  /** Lists a stock with its first multiplier: 10^18 is one. */
  async listStock(token: Hex, multiplier = 10n ** 18n): Promise<void> {
    await this.rows(`INSERT INTO $stock_tokens (token, issuer, initial_multiplier, registered_block, updated_block)
      VALUES ('\\x${token.slice(2)}', 'unknown', ${multiplier}, 0, 0)`);
  }

  /** Replaces all above a block by nothing, as a reorganisation does before the new blocks come. */
  async rollBack(number: number): Promise<void> {
    const cursor = await this.index.cursor();
    const ancestor = this.#ids[number];
    if (cursor === undefined || ancestor === undefined) throw new Error('no such block');
    await this.index.rollBack(cursor, ancestor);
    this.#ids.length = number + 1;
    this.#fork += 1;
  }
}

function hashOf(number: number, fork: number): Hex {
  return `0x${(number + 2).toString(16).padStart(32, '0')}${fork.toString(16).padStart(32, '0')}`;
}

function rowsOf(number: number, hash: Hex, { time, happenings }: TestBlock): BlockRows {
  const rows = emptyRows(number, hash, time);
  for (const [logIndex, happening] of happenings.entries()) {
    const site: LogSite = {
      block_number: number,
      log_index: logIndex,
      tx_index: 0,
      tx_hash: hash,
      block_time: isoTime(time),
    };
    addHappening(rows, site, happening);
  }
  return rows;
}

function addHappening(rows: BlockRows, site: LogSite, happening: Happening): void {
  switch (happening.kind) {
    case 'pool':
      rows.dex_pools.push(poolRow(happening.pool, site));
      return;
    case 'swap':
      rows.swap_events.push(swapEvent(happening, site));
      return;
    case 'transfer':
      rows.erc20_transfers.push(transferRow(happening, site));
      return;
    case 'announce':
      rows.stock_multipliers.push(multiplierRow(happening, site));
      return;
    case 'answer':
      rows.logs.push(oracleLog(happening, site));
      return;
    case 'log':
      rows.logs.push(logRow(happening, site));
      return;
    default:
      rows.liquidity_events.push(liquidityEvent(happening, site));
  }
}

function poolRow(
  { id, protocol, token0, token1, feePips = 3_000, tickSpacing = 60, hooks, factory = FACTORY }: TestPool,
  site: LogSite,
): PoolRow {
  return {
    pool_id: id,
    protocol,
    factory,
    token0,
    token1,
    fee_pips: feePips,
    dynamic_fee: false,
    tick_spacing: protocol === 'uniswap_v2' ? null : tickSpacing,
    hooks: hooks ?? null,
    created_block: site.block_number,
    updated_block: site.block_number,
    created_log_index: site.log_index,
    created_time: site.block_time,
  };
}

function emitterOf({ id, protocol, factory = FACTORY }: TestPool): Hex {
  return protocol === 'uniswap_v4' ? factory : id;
}

function swapEvent(
  { pool, amounts: [amount0, amount1], sqrtPriceX96, tick, liquidity }: Extract<Happening, { kind: 'swap' }>,
  site: LogSite,
): SwapEvent {
  return {
    ...site,
    protocol: pool.protocol,
    pool_id: pool.id,
    emitter: emitterOf(pool),
    sender: address(0x5e),
    recipient: null,
    trader: address(0x7d),
    trader_kind: 'tx_from',
    amount0,
    amount1,
    fee_pips: null,
    sqrt_price_x96: sqrtPriceX96 ?? null,
    tick: tick ?? (sqrtPriceX96 === undefined ? null : tickAtRoot(sqrtPriceX96)),
    liquidity: liquidity ?? null,
  };
}

function liquidityEvent(
  happening: Extract<Happening, { kind: 'sync' | 'initialize' | 'mint' | 'burn' | 'modify' }>,
  site: LogSite,
): LiquidityEvent {
  const { pool, kind } = happening;
  const [amount0, amount1] =
    kind === 'sync'
      ? happening.reserves
      : kind === 'mint' || kind === 'burn'
        ? happening.amounts
        : [null, null];
  const { liquidity = null, ticks = [null, null] } =
    kind === 'sync' || kind === 'initialize' ? {} : happening;
  const [tick_lower, tick_upper] = ticks;
  return {
    ...site,
    protocol: pool.protocol,
    pool_id: pool.id,
    emitter: emitterOf(pool),
    kind,
    owner: null,
    tick_lower,
    tick_upper,
    liquidity_delta: kind === 'burn' && liquidity !== null ? -liquidity : liquidity,
    amount0,
    amount1,
    sqrt_price_x96: kind === 'initialize' ? happening.sqrtPriceX96 : null,
  };
}

function transferRow(
  { token, from, to, amount }: Extract<Happening, { kind: 'transfer' }>,
  site: LogSite,
): Erc20TransferRow {
  const kind = from === ZERO_ADDRESS ? 'mint' : to === ZERO_ADDRESS ? 'burn' : 'transfer';
  return { ...site, token, from_address: from, to_address: to, amount, kind };
}

function multiplierRow(
  { token, old, multiplier, effectiveAt }: Extract<Happening, { kind: 'announce' }>,
  site: LogSite,
): MultiplierRow {
  return {
    token,
    block_number: site.block_number,
    log_index: site.log_index,
    tx_hash: site.tx_hash,
    block_time: site.block_time,
    old_multiplier: old,
    new_multiplier: multiplier,
    set_at: site.block_time,
    effective_at: isoTime(effectiveAt),
  };
}

function oracleLog({ aggregator, current }: Extract<Happening, { kind: 'answer' }>, site: LogSite): LogRow {
  const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;
  const topics = [TOPICS.answerUpdated, word(current), word(1n)];
  const data = word(BigInt(Date.parse(site.block_time) / 1_000));
  return logRow({ kind: 'log', emitter: aggregator, topics, data }, site);
}

function logRow({ emitter, topics, data }: Extract<Happening, { kind: 'log' }>, site: LogSite): LogRow {
  const [topic0 = null, topic1 = null, topic2 = null, topic3 = null] = topics;
  return {
    ...site,
    address: emitter,
    topic0,
    topic1,
    topic2,
    topic3,
    data,
    data_size: (data.length - 2) / 2,
  };
}

function emptyRows(number: number, hash: Hex, time: number): BlockRows {
  const word: Hex = `0x${'0'.repeat(64)}`;
  return {
    block: {
      number,
      hash,
      parent_hash: word,
      time: isoTime(time),
      miner: ZERO_ADDRESS,
      gas_limit: 0n,
      gas_used: 0n,
      base_fee_per_gas: null,
      state_root: word,
      transactions_root: word,
      receipts_root: word,
      extra_data: '0x',
      tx_count: 0,
      log_count: 0,
      size: 0,
      l1_block_number: null,
      send_count: null,
      send_root: null,
      extra: '{}',
      extra_omitted: null,
    },
    transactions: [],
    withdrawals: [],
    logs: [],
    data_pieces: [],
    traces: [],
    trace_gap: null,
    ...emptyLogRows(),
  };
}
