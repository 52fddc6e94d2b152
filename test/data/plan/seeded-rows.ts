import { FIRST_BLOCKS } from '../../../lambdas/chain-data/store/partition-bounds.ts';

/** Runs one statement as the owner of the tables. */
export type Run = (sql: string) => Promise<unknown>;

interface RowsOptions {
  /** Quoted name of the chain's schema. */
  readonly schema: string;
  /** ERC-20 transfers; of everything else there is less, in fixed parts. */
  readonly transfers: number;
}

/** Transfers of a block. */
const TRANSFERS_PER_BLOCK = 20;
const FINALITY_BLOCKS = 256;
/** Part of all rows that the busy address has, on each of their sides. */
const BUSY_SHARE = 0.02;
const START = `'2026-01-01T00:00:00Z'::timestamptz`;

/** Some address that a few rows have, one that many have, and the like: what look-ups are made with. */
export interface Samples {
  readonly address: string;
  /** Has the more rows, the more there are: of each kind the same part. */
  readonly busy: string;
  /** Is sent nothing a tenth as often as there are transfers, and has no other row. */
  readonly poisoned: string;
  /** A contract that a call made. */
  readonly made: string;
  readonly token: string;
  /** Has a pool with {@link token}. */
  readonly nextToken: string;
  readonly collection: string;
  readonly tokenId: string;
  readonly pool: string;
  readonly stock: string;
  readonly hash: string;
  readonly blockHash: string;
  readonly block: number;
}

const bytes = (number: string, length: number, prefix = '00') =>
  `decode('${prefix}' || lpad(to_hex(${number}), ${length * 2 - 2}, '0'), 'hex')`;
/** Few holders have much, many have little. */
const skewed = (count: number) => `(floor(${count} * power(random(), 3)))::bigint`;
const time = (block: string) => `${START} + ${block} * interval '1 second'`;

/** Topic of ERC-20's `Approval`. */
const APPROVAL = '8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';

/** Address of a seeded kind: 09 made by calls, 0a holders, 0b tokens, 0c collections, 0d pools, 0e stocks. */
export function seededAddress(prefix: string, number: number): string {
  return `0x${prefix}${number.toString(16).padStart(38, '0')}`;
}

export const BUSY = seededAddress('0a', 0);
export const POISONED = seededAddress('08', 1);
/** A contract with so many logs that a search among them ends before their end. */
export const BUSY_CONTRACT = seededAddress('0f', 1);
/** Contracts whose logs are long, by the bytes of their data, which nothing compresses. */
export const LONG_LOGS: Readonly<Record<'12 KB' | '16 KB', string>> = {
  '12 KB': seededAddress('0f', 12),
  '16 KB': seededAddress('0f', 16),
};
/** Logs of each of these contracts; of {@link BUSY_CONTRACT}. */
const LONG_LOG_COUNT = 2_200;
const BUSY_LOG_COUNT = 12_000;
const BYTES_PER_DIGEST = 32;

/** SQL that takes the indexes away which no rule needs: to make them of all rows at once takes a fraction of the time. */
const dropIndexes = (schema: string) => `CREATE TEMPORARY TABLE dropped AS
    SELECT indexrelid::regclass::text AS name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') AS definition
    FROM pg_index JOIN pg_class ON oid = indexrelid
    WHERE relnamespace = '${schema}'::regnamespace AND NOT indisunique AND NOT indisexclusion AND NOT relispartition;
  DO $$ DECLARE each text; BEGIN
    FOR each IN SELECT name FROM dropped LOOP EXECUTE 'DROP INDEX ' || each; END LOOP;
  END $$`;
const MAKE_INDEXES = `SET maintenance_work_mem = '512MB';
  DO $$ DECLARE each text; BEGIN
    FOR each IN SELECT definition FROM dropped LOOP EXECUTE each; END LOOP;
  END $$;
  DROP TABLE dropped`;

/** Fills the tables of a chain, skewed as chains are, and has their statistics taken. */
export async function fillRows(run: Run, { schema, transfers }: RowsOptions): Promise<Samples> {
  const blocks = Math.ceil(transfers / TRANSFERS_PER_BLOCK);
  const head = blocks + FINALITY_BLOCKS;
  const transactions = Math.ceil(transfers / 10);
  const holders = Math.ceil(transfers / 50) + 100;
  const tokens = Math.min(Math.ceil(transfers / 50), 50_000);
  const pools = Math.min(Math.ceil(transfers / 50), 50_000);
  const few = Math.ceil(transfers / 10);
  const insert = (table: string, columns: string, count: number, values: string) =>
    run(
      `INSERT INTO ${schema}.${table} (${columns}) SELECT ${values} FROM generate_series(0, ${count - 1}) AS n`,
    );
  const holder = `(CASE WHEN random() < ${BUSY_SHARE} THEN 0 ELSE 1 + ${skewed(holders - 1)} END)`;
  const blockOf = (count: number) => `(n * ${blocks}::bigint / ${count})`;
  await run('SET synchronous_commit = off');
  await run(dropIndexes(schema));
  if (head >= FIRST_BLOCKS) {
    await run(`SELECT ${schema}.create_partition(${FIRST_BLOCKS}, ${head + 1}, '_r1')`);
    await run(`SELECT ${schema}.attach_partition(${FIRST_BLOCKS}, ${head + 1}, '_r1')`);
  }
  await run(`INSERT INTO ${schema}.cursors (name, block_number, block_hash, block_time)
    SELECT name, ${head}, '\\x00', ${time(String(head))} FROM unnest(ARRAY['indexed', 'node']) AS name`);
  await run(`INSERT INTO ${schema}.proof_levels SELECT 1024 * n, 1024, 1024, 1024, 0, 1024, 0, 0, 0, 1024, 0, 1024, 0
    FROM generate_series(0, 20000) AS n`);
  await run(`INSERT INTO ${schema}.coverage SELECT name, int8multirange(int8range(0, ${head + 1}))
    FROM unnest(ARRAY['blocks','transactions','logs','erc20_transfers','nft_transfers','tokens','nft_owners','balances',
      'dex_pools','dex_swaps','dex_liquidity_events','token_prices','candles','stock_tokens','stock_multipliers',
      'stock_daily','traces']) AS name`);
  await insert(
    'blocks',
    'number, hash, parent_hash, time, miner, gas_limit, gas_used, base_fee_per_gas, state_root, transactions_root, receipts_root, extra_data, tx_count, log_count, size',
    head + 1,
    `n, ${bytes('n', 32, 'bb')}, ${bytes('greatest(n - 1, 0)', 32, 'bb')}, ${time('n')}, ${bytes('0', 20)}, 30000000, 21000, 7, ${bytes('n', 32)}, ${bytes('n', 32)}, ${bytes('n', 32)}, '\\x', 2, 20, 900`,
  );
  await insert(
    'transactions',
    'block_number, tx_index, hash, block_hash, block_time, type, from_address, to_address, nonce, value, gas, gas_price, effective_gas_price, gas_used, cumulative_gas_used, status, log_count, input, input_size',
    transactions,
    `${blockOf(transactions)}, n % 2, ${bytes('n', 32, 'cc')}, ${bytes(blockOf(transactions), 32, 'bb')}, ${time(blockOf(transactions))}, 2, ${bytes(holder, 20, '0a')}, ${bytes(holder, 20, '0a')}, n, n, 100000, 7, 7, 21000, 21000, 1, 10, '\\xa9059cbb', 4`,
  );
  await insert(
    'erc20_transfers',
    'block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind',
    transfers,
    `n / ${TRANSFERS_PER_BLOCK}, n % ${TRANSFERS_PER_BLOCK}, n % 2, ${bytes('n / 10', 32, 'cc')}, ${time(`n / ${TRANSFERS_PER_BLOCK}`)}, ${bytes(skewed(tokens), 20, '0b')}, ${bytes(holder, 20, '0a')}, ${bytes(holder, 20, '0a')}, n + 1, 'transfer'`,
  );
  await insert(
    'erc20_transfers',
    'block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind',
    few,
    `${blockOf(few)}, 500 + n % 20, n % 2, ${bytes('n', 32, 'cc')}, ${time(blockOf(few))}, ${bytes(skewed(tokens), 20, '0b')}, ${bytes(holder, 20, '0a')}, '\\x${POISONED.slice(2)}', 0, 'transfer'`,
  );
  await insert(
    'logs',
    'block_number, log_index, tx_index, tx_hash, block_time, address, topic0, topic1, topic2, data, data_size',
    few,
    `${blockOf(few)}, 600 + n % 20, n % 2, ${bytes('n', 32, 'cc')}, ${time(blockOf(few))}, ${bytes(skewed(tokens), 20, '0b')}, '\\x${APPROVAL}', '\\x${'00'.repeat(12)}'::bytea || ${bytes(holder, 20, '0a')}, ${bytes('n', 32)}, ${bytes('n', 32)}, 32`,
  );
  await insert(
    'logs',
    'block_number, log_index, tx_index, tx_hash, block_time, address, topic0, topic1, topic2, data, data_size',
    few,
    `${blockOf(few)}, 100 + n % 20, n % 2, ${bytes('n', 32, 'cc')}, ${time(blockOf(few))}, ${bytes(skewed(tokens), 20, '0b')}, ${bytes('n % 7', 32)}, ${bytes('n', 32)}, ${bytes('n', 32)}, ${bytes('n', 32)}, 32`,
  );
  await insert(
    'nft_transfers',
    'block_number, log_index, batch_index, tx_index, tx_hash, block_time, standard, token, token_id, from_address, to_address, amount, kind',
    few,
    `${blockOf(few)}, 30 + n % 20, 0, n % 2, ${bytes('n', 32, 'cc')}, ${time(blockOf(few))}, 721, ${bytes(skewed(100), 20, '0c')}, n % 10000, ${bytes(holder, 20, '0a')}, ${bytes(holder, 20, '0a')}, 1, 'transfer'`,
  );
  await insert(
    'tokens',
    'address, standard, name, symbol, decimals, total_supply, metadata_status, first_seen_block, transfer_count, holder_count, updated_block',
    tokens,
    `${bytes('n', 20, '0b')}, 20, 'Token ' || n, 'T' || n, 18, 10::numeric ^ 24, 'complete', n, 1, 1, n`,
  );
  await insert(
    'tokens',
    'address, standard, name, symbol, metadata_status, first_seen_block, updated_block',
    100,
    `${bytes('n', 20, '0c')}, 721, 'Items ' || n, 'I' || n, 'complete', n, n`,
  );
  await insert(
    'nft_items',
    'token, token_id, first_seen_block, updated_block',
    few,
    `${bytes('n % 100', 20, '0c')}, n / 100, 1, 1`,
  );
  await insert(
    'nft_owners',
    'owner, token, token_id, standard, amount, acquired_block, acquired_time',
    few,
    `${bytes(holder, 20, '0a')}, ${bytes('n % 100', 20, '0c')}, n / 100, 721, 1, ${blockOf(few)}, ${time(blockOf(few))}`,
  );
  await run(`INSERT INTO ${schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (1, ${blocks}, '\\x00', ${time(String(blocks))}, now())`);
  await run(`INSERT INTO ${schema}.balances (holder, token, amount, method, confidence, block_number, snapshot_id)
    SELECT ${bytes(holder, 20, '0a')}, ${bytes(skewed(tokens), 20, '0b')}, n + 1, 'ledger', 'verified', ${blocks}, 1
    FROM generate_series(0, ${few - 1}) AS n ON CONFLICT DO NOTHING`);
  await run(
    `INSERT INTO ${schema}.balance_history SELECT holder, token, 1, amount, method, confidence FROM ${schema}.balances`,
  );
  await insert(
    'dex_pools',
    'pool_id, protocol, factory, token0, token1, fee_pips, created_block, created_log_index, created_time, updated_block, liquidity_usd',
    pools,
    `${bytes('n', 20, '0d')}, 'uniswap_v3', ${bytes('1', 20, 'ff')}, ${bytes(`n % ${tokens}`, 20, '0b')}, ${bytes(`(n + 1) % ${tokens}`, 20, '0b')}, 3000, n, 0, ${time('n')}, n, CASE WHEN n % 3 > 0 THEN (n * 7919::bigint % 1000003)::numeric / 100 END`,
  );
  await insert(
    'dex_swaps',
    'block_number, log_index, tx_index, tx_hash, block_time, protocol, pool_id, sender, recipient, trader, trader_kind, token_in, token_out, amount_in, amount_out, amount0, amount1, fee_pips',
    few,
    `${blockOf(few)}, 60 + n % 20, n % 2, ${bytes('n', 32, 'cc')}, ${time(blockOf(few))}, 'uniswap_v3', ${bytes(skewed(pools), 20, '0d')}, ${bytes('n % 50', 20, '0a')}, ${bytes('n % 50', 20, '0a')}, ${bytes(holder, 20, '0a')}, 'tx_from', ${bytes(skewed(tokens), 20, '0b')}, ${bytes('7', 20, '0f')}, n + 1, n + 1, n + 1, -n - 1, 3000`,
  );
  await insert(
    'dex_liquidity_events',
    'block_number, log_index, tx_index, tx_hash, block_time, protocol, pool_id, kind, amount0, amount1',
    few,
    `${blockOf(few)}, 80 + n % 20, n % 2, ${bytes('n', 32, 'cc')}, ${time(blockOf(few))}, 'uniswap_v3', ${bytes(skewed(pools), 20, '0d')}, 'mint', n, n`,
  );
  await insert(
    'dex_pool_states',
    'pool_id, block_number, amount0, amount1, depth0, depth1',
    few,
    `${bytes(`n % ${pools}`, 20, '0d')}, n / ${pools} * 10, n, n, n, n`,
  );
  await insert(
    'token_names',
    'token, to_block, name, symbol, decimals',
    2_000,
    `${bytes(`n % ${tokens}`, 20, '0b')}, n / ${tokens}, 'Former ' || n, 'F' || n, 18`,
  );
  await insert(
    'token_prices',
    'token, block_number, block_time, price_usd, method, sample_trades',
    few,
    `${bytes(`n % ${tokens}`, 20, '0b')}, n / ${tokens} * 10, ${time(`n / ${tokens} * 10`)}, 1.5, 'stable_pool', 1`,
  );
  await insert(
    'candles',
    'subject_kind, subject, interval_seconds, start_time, open, high, low, close, volume_base, trades, first_block, last_block',
    few,
    `CASE WHEN n % 2 = 0 THEN 'token' ELSE 'pool' END, ${bytes(`n / 2 % ${tokens}`, 20, '0b')}, 3600, ${START} + n / ${tokens * 2} * interval '1 hour', 1, 2, 0.5, 1.5, 100, 3, 1, 2`,
  );
  await insert(
    'stock_tokens',
    'token, issuer, name, symbol, decimals, initial_multiplier, registered_block, updated_block',
    200,
    `${bytes('n', 20, '0b')}, 'unknown', 'Stock ' || n, 'S' || n, 18, 10::numeric ^ 18, n, n`,
  );
  await insert(
    'stock_multipliers',
    'token, block_number, log_index, tx_hash, block_time, old_multiplier, new_multiplier, set_at, effective_at',
    2_000,
    `${bytes('n % 200', 20, '0b')}, n * ${blocks}::bigint / 2000, 0, ${bytes('n', 32, 'cc')}, ${time(`n * ${blocks}::bigint / 2000`)}, 10::numeric ^ 18, 10::numeric ^ 18, ${time('n')}, ${time('n')}`,
  );
  await insert(
    'stock_daily',
    'day, token, transfers, transfers_raw_amount, transfers_ui_amount, unique_senders, unique_receivers, mint_raw_amount, burn_raw_amount, net_supply_change, dex_swap_count, dex_raw_volume, ui_multiplier, first_block, last_block, refreshed_at',
    20_000,
    `'2026-01-01'::date + n / 200, ${bytes('n % 200', 20, '0b')}, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 10::numeric ^ 18, 1, 2, now()`,
  );
  await insert(
    'traces',
    'block_number, tx_index, trace_index, tx_hash, block_time, trace_address, type, from_address, to_address, value, gas, gas_used, input, input_size, output, output_size, subcalls, reverted_by_parent',
    few,
    `${blockOf(few)}, n % 2, n % 20 / 2, ${bytes('n', 32, 'cc')}, ${time(blockOf(few))}, '', 'CALL', ${bytes(holder, 20, '0a')}, ${bytes(holder, 20, '0a')}, n % 3, 100, 50, '\\xa9059cbb', 4, '\\x', 0, 0, false`,
  );
  await insert(
    'traces',
    'block_number, tx_index, trace_index, tx_hash, block_time, trace_address, type, from_address, to_address, value, gas, gas_used, input, input_size, output, output_size, subcalls, reverted_by_parent',
    few,
    `${blockOf(few)}, n % 2, 20 + n % 20 / 2, ${bytes('n', 32, 'cc')}, ${time(blockOf(few))}, '', 'CREATE2', ${bytes(holder, 20, '0a')}, ${bytes('n', 20, '09')}, 0, 100, 50, '\\x', 0, '\\x', 0, 0, false`,
  );
  await run(MAKE_INDEXES);
  // Else PostgreSQL would do it by itself, in the midst of what is measured.
  await run('VACUUM (ANALYZE)');
  const block = Math.floor(blocks / 2);
  return {
    address: seededAddress('0a', Math.floor(holders / 8)),
    busy: BUSY,
    poisoned: POISONED,
    made: seededAddress('09', Math.floor(few / 2)),
    token: seededAddress('0b', 3),
    nextToken: seededAddress('0b', 4),
    collection: seededAddress('0c', 3),
    tokenId: '5',
    pool: seededAddress('0d', 3),
    stock: seededAddress('0b', 3),
    hash: `0xcc${Math.floor(transactions / 2)
      .toString(16)
      .padStart(62, '0')}`,
    blockHash: `0xbb${block.toString(16).padStart(62, '0')}`,
    block,
  };
}

/**
 * Logs that are dear to read, behind {@link fillRows}: the busy contract's and the first long ones in all blocks, the longest all
 * of one transaction.
 */
export async function fillDearLogs(run: Run, { schema, transfers }: RowsOptions): Promise<void> {
  const blocks = Math.ceil(transfers / TRANSFERS_PER_BLOCK);
  const transactions = Math.ceil(transfers / 10);
  const logs = (
    { address, count, size }: { readonly address: string; readonly count: number; readonly size: number },
    { block, hash, index }: { readonly block: string; readonly hash: string; readonly index: number },
  ) => {
    const data = `(SELECT coalesce(string_agg(sha256(int8send(n * 1000::bigint + k)), ''), '') FROM generate_series(1, ${size / BYTES_PER_DIGEST}) AS k)`;
    return run(`INSERT INTO ${schema}.logs
        (block_number, log_index, tx_index, tx_hash, block_time, address, topic0, topic1, data, data_size)
      SELECT ${block}, ${index} + n, 0, ${bytes(hash, 32, 'cc')}, ${time(block)}, decode('${address.slice(2)}', 'hex'),
        ${bytes('1', 32, 'ee')}, ${bytes('n', 32)}, ${data}, ${size} FROM generate_series(0, ${count - 1}) AS n`);
  };
  const spread = (count: number) => `(n * ${blocks}::bigint / ${count})`;
  const first = longTransaction(transactions);
  await logs(
    { address: BUSY_CONTRACT, count: BUSY_LOG_COUNT, size: 0 },
    { block: spread(BUSY_LOG_COUNT), hash: 'n', index: 1_000_000 },
  );
  await logs(
    { address: LONG_LOGS['12 KB'], count: LONG_LOG_COUNT, size: 12 * 1_024 },
    { block: spread(LONG_LOG_COUNT), hash: 'n', index: 2_000_000 },
  );
  await logs(
    { address: LONG_LOGS['16 KB'], count: LONG_LOG_COUNT, size: 16 * 1_024 },
    {
      block: String(Math.floor((first * blocks) / transactions)),
      hash: String(first),
      index: 3_000_000,
    },
  );
}

/** Number of the transaction that has all logs of 16 KB: an even one, so the first of its block. */
function longTransaction(transactions: number): number {
  return 2 * Math.floor(transactions / 6);
}

/** Its hash, where so many transfers were seeded. */
export function longTransactionHash(transfers: number): string {
  return `0xcc${longTransaction(Math.ceil(transfers / 10))
    .toString(16)
    .padStart(62, '0')}`;
}
