import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { untouchedSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { V2_EVENTS, V3_EVENTS } from '../decode/contract-events.ts';
import { ALICE, address, BOB, type LogContents, logOf } from '../decode/raw-blocks.ts';
import { append, cursorOf, linkedBlock } from './linked-blocks.ts';
import { countTouchedRows } from './touched-rows.ts';

const POOL = address(0xdec0);
const OTHERS = 5_000;
const HISTORY = 20_000;
const HEAD = 50_000;
/** Rows that a block of two events may read, in all tables; far less than the history. */
const MAX_READ = 200;

const V2: readonly LogContents[] = [
  logOf(V2_EVENTS.swap, POOL, [ALICE, 10n, 0n, 0n, 9n, BOB]),
  logOf(V2_EVENTS.sync, POOL, [110n, 91n]),
];
const V3: readonly LogContents[] = [
  logOf(V3_EVENTS.swap, POOL, [ALICE, BOB, 10n, -9n, 2n ** 96n, 70n, 0]),
  logOf(V3_EVENTS.mint, POOL, [ALICE, BOB, -60, 60, 5n, 1n, 1n]),
];

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

/** An index with a pool that has had many swaps and liquidity events, besides others. */
async function busyPool(protocol: string, events: readonly [kind: string, price: string | null]) {
  const schema = await untouchedSchema(database);
  const [kind, price] = events;
  const hex = { pool: POOL.slice(2), alice: ALICE.slice(2) };
  const column = price === null ? 'NULL' : `${price}`;
  await database.admin.query(
    `INSERT INTO ${schema}.dex_pools (pool_id, protocol, factory, token0, token1, created_block, created_log_index,
       created_time, updated_block)
     SELECT CASE WHEN number = 0 THEN decode(:pool, 'hex') ELSE decode(lpad(to_hex(number), 40, '0'), 'hex') END,
            '${protocol}', '\\x01', '\\x02', '\\x03', 0, number, to_timestamp(0), 0
     FROM generate_series(0, ${OTHERS}) AS number`,
    { pool: hex.pool },
  );
  await database.admin.query(
    `INSERT INTO ${schema}.dex_swaps (block_number, log_index, tx_index, tx_hash, block_time, protocol, pool_id, sender,
       trader, trader_kind, token_in, token_out, amount_in, amount_out, amount0, amount1, sqrt_price_x96, tick, liquidity)
     SELECT number, 0, 0, '\\x00', to_timestamp(number), '${protocol}', decode(:pool, 'hex'), decode(:alice, 'hex'),
            decode(:alice, 'hex'), 'tx_from', '\\x02', '\\x03', 1, 1, 1, -1, ${column}, ${column}::integer, ${column}
     FROM generate_series(1, ${HISTORY}) AS number`,
    hex,
  );
  await database.admin.query(
    `INSERT INTO ${schema}.dex_liquidity_events (block_number, log_index, tx_index, tx_hash, block_time, protocol,
       pool_id, kind, liquidity_delta, amount0, amount1)
     SELECT number, 1, 0, '\\x00', to_timestamp(number), '${protocol}', decode(:pool, 'hex'), '${kind}', NULL, 5, 5
     FROM generate_series(1, ${HISTORY}) AS number`,
    { pool: hex.pool },
  );
  await openChainIndex(connectionTo(database.writer, schema)).begin(linkedBlock(HEAD - 1, []));
  await database.admin.query(
    `ANALYZE ${schema}.dex_pools, ${schema}.dex_swaps, ${schema}.dex_liquidity_events`,
  );
  const counted = countTouchedRows(database.writer, schema);
  return { schema, counted, index: openChainIndex(connectionTo(counted.database, schema)) };
}

async function poolIn(schema: string) {
  const { rows } = await database.admin.query(
    `SELECT reserve0::text AS reserve0, reserve1::text AS reserve1, sqrt_price_x96::text AS price, tick,
            liquidity::text AS liquidity, updated_block
     FROM ${schema}.dex_pools WHERE pool_id = decode(:pool, 'hex')`,
    { pool: POOL.slice(2) },
  );
  return rows[0];
}

const V2_AFTER = { reserve0: '110', reserve1: '91', price: null, tick: null, liquidity: null };
const V2_BEFORE = { ...V2_AFTER, reserve0: '5', reserve1: '5' };
const V3_AFTER = { reserve0: null, reserve1: null, price: String(2n ** 96n), tick: 0, liquidity: '75' };
const V3_BEFORE = { ...V3_AFTER, price: '7', tick: 7, liquidity: '7' };

test.each([
  ['uniswap_v2', V2, ['sync', null], V2_AFTER, V2_BEFORE],
  ['uniswap_v3', V3, ['mint', '7'], V3_AFTER, V3_BEFORE],
] as const)(
  'the events that a pool of %s ever had do not count for a block that touches it',
  async (...given) => {
    const [protocol, logs, events, after, before] = given;
    const { schema, counted, index } = await busyPool(protocol, events);
    await append(index, [linkedBlock(HEAD, [])]);
    const empty = counted.read();
    await append(index, [linkedBlock(HEAD + 1, logs)]);
    expect(counted.read() - empty).toBeLessThan(MAX_READ);
    expect(await poolIn(schema)).toEqual({ ...after, updated_block: HEAD + 1 });
    const appended = counted.read();
    await index.rollBack(await cursorOf(index), linkedBlock(HEAD, []));
    expect(counted.read() - appended).toBeLessThan(MAX_READ);
    expect(await poolIn(schema)).toEqual({ ...before, updated_block: HISTORY });
  },
);
