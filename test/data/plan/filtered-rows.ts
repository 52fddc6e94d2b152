import { ENTRY_POINTS } from '../../../lambdas/shared/runtime/settings.ts';
import { type Run, type Samples, seededAddress } from './seeded-rows.ts';

/** What is sent by an address to itself, and the like: enough to be seen when it is all read for one page. */
const MANY = 5_000;
/** The same in tables of which there are fewer rows. */
const SOME = 100;

/** First those that took effect, then those that were superseded, last one that is pending. */
const ANNOUNCED = 60_000;

const bytes = (address: string) => `'\\x${address.slice(2)}'::bytea`;
export const OF_ITSELF = seededAddress('0a', 7_777_777);
export const ONE_TOKEN = seededAddress('0b', 7_777_777);
export const OTHER_TOKEN = seededAddress('0b', 8_888_888);
export const MIXED = seededAddress('0c', 99);
export const FEW_1155 = seededAddress('0a', 9_999_999);
/** Only strangers have logged user operations of it. */
export const FORGED = seededAddress('0a', 6_666_666);
export const FEW_721 = seededAddress('0a', 8_888_888);

/** Rows that filters have to find among many others: the few are the oldest, or the others come first in the order. */
export async function fillFilteredRows(on: Run, schema: string, { token }: Samples): Promise<void> {
  const run = (sql: string) => on(sql.replaceAll('{schema}', schema));
  const hash = `decode(lpad(to_hex(n), 64, '0'), 'hex')`;
  const time = (block: string) => `'2026-01-01T00:00:00Z'::timestamptz + (${block}) * interval '1 second'`;
  const many = `generate_series(0, ${MANY - 1}) AS n`;
  await run(`INSERT INTO {schema}.transactions (block_number, tx_index, hash, block_hash, block_time, type, from_address,
      to_address, nonce, value, gas, gas_used, cumulative_gas_used, status, log_count, input, input_size)
    SELECT n, 100, ${hash}, ${hash}, ${time('n')}, 2, ${bytes(OF_ITSELF)}, ${bytes(OF_ITSELF)}, n, n / ${MANY - 10}, 0, 0, 0, 1, 0, '\\x', 0
    FROM ${many}`);
  const moved = (log: number, token: string, from: string, to: string) =>
    run(`INSERT INTO {schema}.erc20_transfers
        (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
      SELECT n, ${log}, 0, ${hash}, ${time('n')}, ${bytes(token)}, ${from}, ${to}, 1, 'transfer' FROM ${many}`);
  await moved(100, token, bytes(OF_ITSELF), bytes(OF_ITSELF));
  await run(`INSERT INTO {schema}.nft_transfers (block_number, log_index, batch_index, tx_index, tx_hash, block_time, standard,
      token, token_id, from_address, to_address, amount, kind)
    SELECT n, 200, 0, 0, ${hash}, ${time('n')}, CASE WHEN n < 3 THEN 1155 ELSE 721 END, ${bytes(MIXED)}, n,
      ${bytes(FEW_1155)}, ${bytes(FEW_1155)}, 1, 'transfer' FROM ${many}`);
  await run(`INSERT INTO {schema}.nft_owners
    SELECT ${bytes(FEW_1155)}, ${bytes(MIXED)}, n, CASE WHEN n > ${MANY - 3} THEN 1155 ELSE 721 END, 1, n, ${time('n')}
    FROM ${many}`);
  await run(`INSERT INTO {schema}.traces (block_number, tx_index, trace_index, tx_hash, block_time, trace_address, type,
      from_address, to_address, value, gas, gas_used, input, input_size, output, output_size, subcalls, reverted_by_parent)
    SELECT n, 9, 9, ${hash}, ${time('n')}, '', 'CALL', ${bytes(OF_ITSELF)}, ${bytes(OF_ITSELF)}, n / ${MANY - 10}, 1, 1, '\\x', 0, '\\x', 0,
      0, false FROM ${many}`);
  // A stranger says that one address sent many user operations, and a listed contract says that many others did.
  await run(`INSERT INTO {schema}.logs (block_number, log_index, tx_index, tx_hash, block_time, address, topic0, topic1, topic2, topic3,
      data, data_size)
    SELECT n, 400 + place, 0, ${hash}, ${time('n')}, emitter, decode('49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f', 'hex'),
      ${hash}, CASE place WHEN 0 THEN decode('${FORGED.slice(2).padStart(64, '0')}', 'hex') ELSE ${hash} END, ${hash}, '\\x', 0
    FROM ${many}, (VALUES (0, ${bytes(OTHER_TOKEN)}), (1, ${bytes(String(ENTRY_POINTS[0]))})) AS logged (place, emitter)`);
  await run(`INSERT INTO {schema}.withdrawals
    SELECT n, 0, ${time('n')}, n, n, CASE WHEN n % 100 = 0 THEN ${bytes(OF_ITSELF)} ELSE decode(lpad(to_hex(n), 40, '0'), 'hex') END, 1
    FROM ${many}`);
  await run(`INSERT INTO {schema}.tokens (address, standard, symbol, metadata_status, first_seen_block, updated_block)
    SELECT decode('0e' || lpad(to_hex(n), 38, '0'), 'hex'), CASE WHEN n > ${SOME - 3} THEN 1155 ELSE 20 END, 'SAME', 'complete', 1, 1
    FROM generate_series(0, ${SOME - 1}) AS n`);
  await run(`INSERT INTO {schema}.tokens (address, standard, symbol, metadata_status, first_seen_block, updated_block)
    SELECT decode('0d' || lpad(to_hex(n), 38, '0'), 'hex'), 20, 'T' || n, 'complete', 1, 1 FROM ${many}`);
  await run(`INSERT INTO {schema}.dex_pools (pool_id, protocol, factory, token0, token1, created_block, created_log_index,
      created_time, updated_block)
    SELECT decode('0f' || lpad(to_hex(n), 38, '0'), 'hex'), CASE WHEN n > ${SOME - 3} THEN 'uniswap_v2' ELSE 'uniswap_v3' END,
      '\\x00', CASE WHEN n % 2 = 0 THEN ${bytes(ONE_TOKEN)} ELSE ${bytes(OTHER_TOKEN)} END,
      CASE WHEN n % 2 = 1 THEN ${bytes(ONE_TOKEN)} ELSE ${bytes(OTHER_TOKEN)} END, 1, 0, now(), 1 FROM generate_series(0, ${SOME - 1}) AS n`);
  await run(`INSERT INTO {schema}.token_prices (token, block_number, block_time, price_usd, method, sample_trades)
    SELECT ${bytes(ONE_TOKEN)}, n, ${time('n')}, 1, 'peg', 0 FROM ${many}`);
  await run(`INSERT INTO {schema}.stock_multipliers
    SELECT ${bytes(seededAddress('0b', 3))}, n / 20, 100 + n % 20, ${hash}, ${time('n / 20')}, 1, 1, ${time('n / 20')},
      CASE WHEN n = ${ANNOUNCED - 1} THEN 'infinity' ELSE ${time('n / 20')} END,
      n BETWEEN ${ANNOUNCED / 2} AND ${ANNOUNCED - 2}
    FROM generate_series(0, ${ANNOUNCED - 1}) AS n`);
  await run(`INSERT INTO {schema}.dex_liquidity_events (block_number, log_index, tx_index, tx_hash, block_time, protocol, pool_id, kind)
    SELECT n / 40, 300 + n % 40, 0, ${hash}, ${time('n / 40')}, 'uniswap_v3',
      CASE WHEN n % 130 = 0 THEN ${bytes(ONE_TOKEN)} ELSE decode(lpad(md5((n % 5000)::text), 40, '0'), 'hex') END, 'mint'
    FROM generate_series(0, ${40 * MANY - 1}) AS n`);
  await run('ANALYZE');
  // Statistics do not have these, as they have not those of one owner among millions.
  await run(`INSERT INTO {schema}.nft_owners
    SELECT ${bytes(FEW_721)}, ${bytes(MIXED)}, n, CASE WHEN n > ${MANY - 3} THEN 721 ELSE 1155 END, 1, n, ${time('n')}
    FROM ${many}`);
}
