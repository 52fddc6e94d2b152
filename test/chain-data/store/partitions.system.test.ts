/** Partitions of the tables of a chain, and its pools. */
import {
  END_OF_BLOCKS,
  FIRST_BLOCKS,
  LEAD_BLOCKS,
} from '../../../lambdas/chain-data/store/partition-bounds.ts';
import { createPartitions } from '../../../lambdas/chain-data/store/partitions.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { dropChain } from '../../../lambdas/migrate/migrate.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { untouchedSchema } from '../../database/empty-schemas.ts';
import { linesOf } from '../../database/lines-of.ts';
import {
  MADE_CHAINS,
  type MigratedDatabase,
  startMigratedDatabase,
} from '../../database/migrated-database.ts';
import { V2_EVENTS, V3_EVENTS } from '../decode/contract-events.ts';
import { ALICE, address, BOB, type LogContents, logOf } from '../decode/raw-blocks.ts';
import { append, cursorOf, fill, linkedBlock } from './linked-blocks.ts';
import { countTouchedRows } from './touched-rows.ts';

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

describe('partitions of a chain', () => {
  const HIGH = 25_000_000;
  const [REBUILT, REFILLED] = MADE_CHAINS;

  test('an index that is rebuilt high up goes on in the instances that had filled it', async () => {
    const index = openChainIndex(connectionTo(database.writer, REBUILT));
    const base = linkedBlock(HIGH - 1, []);
    const block = linkedBlock(HIGH, []);
    await index.begin(base);
    await append(index, [block]);
    await dropChain(database.admin, REBUILT);
    await database.migrate([REBUILT]);
    await index.begin(base);
    await append(index, [block]);
    expect((await cursorOf(index)).number).toBe(HIGH);
  });

  test('so it is in one that only fills, from its second attempt on', async () => {
    const filling = openChainIndex(connectionTo(database.writer, REFILLED));
    const following = () => openChainIndex(connectionTo(database.writer, REFILLED));
    const blocks = [linkedBlock(9_999_999, []), linkedBlock(10_000_000, [])];
    await following().begin(linkedBlock(HIGH - 1, []));
    await fill(filling, blocks);
    await dropChain(database.admin, REFILLED);
    await database.migrate([REFILLED]);
    await following().begin(linkedBlock(HIGH - 1, []));
    await expect(fill(filling, blocks)).rejects.toThrow('no partition');
    await fill(filling, blocks);
    expect(await filling.missing({ from: 9_999_998, to: 10_000_001 })).toEqual([
      { from: 9_999_998, to: 9_999_998 },
      { from: 10_000_001, to: 10_000_001 },
    ]);
  });

  test('the last blocks that have room in a row have a partition, and those behind them are refused by name', async () => {
    const partitions = createPartitions(connectionTo(database.writer, REFILLED));
    const last = END_OF_BLOCKS - 1;
    await partitions.ensure({ from: last, to: last });
    await partitions.ensure({ from: last, to: last }, 1_000);
    await expect(partitions.ensure({ from: last, to: END_OF_BLOCKS })).rejects.toThrow(
      `block ${END_OF_BLOCKS} cannot be stored: partitions end at ${END_OF_BLOCKS}`,
    );
  });
});

describe('partitions by volume', () => {
  /** The last block of the partition that a chain begins with, and the last one whose append needs no other. */
  const LAST = FIRST_BLOCKS - 1;
  const CALM = LAST - LEAD_BLOCKS;

  const boundsOf = (schema: string) =>
    linesOf(database.reader, `SELECT from_block, to_block FROM "${schema}".partitions ORDER BY 1`);

  /** A chain whose newest blocks are these. */
  async function chainAt(first: number, last: number) {
    const schema = await untouchedSchema(database);
    const index = openChainIndex(connectionTo(database.writer, schema));
    await index.begin(linkedBlock(first - 1, []));
    await append(index, range(first, last));
    return { schema, index };
  }

  /** Blocks of a branch that follow each other; the block below them is of the branch `below`. */
  function range(first: number, last: number, branch = 0, below = 0) {
    return Array.from({ length: last - first + 1 }, (_, place) =>
      linkedBlock(first + place, [], branch, place === 0 ? below : branch),
    );
  }

  test('the next partition is as wide as the stored bytes ask for, and not above what they do', async () => {
    const schema = await untouchedSchema(database);
    const stored = 4_000;
    await database.writer.query(`INSERT INTO "${schema}".coverage VALUES ('blocks', '{[0,${stored})}')`);
    await database.writer.query(`INSERT INTO "${schema}".blocks SELECT n, sha256(int8send(n)), sha256(int8send(n - 1)), now(),
      '\\x00', 1, 1, 7, '\\x00', '\\x00', '\\x00', '\\x00', 0, 0, 500 FROM generate_series(0, ${stored - 1}) AS n`);
    const { rows } = await database.reader.query(
      `SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class
     WHERE relnamespace = '"${schema}"'::regnamespace AND relkind = 'r' AND relname LIKE '%\\_r0'`,
    );
    const blockBytes = Number(rows[0]?.bytes) / stored;
    const width = 50_000;
    const partitions = createPartitions(connectionTo(database.writer, schema), width * blockBytes + 1);
    await partitions.ensure({ from: LAST, to: LAST }, LEAD_BLOCKS);
    expect(await boundsOf(schema)).toEqual([`0 ${FIRST_BLOCKS}`, `${FIRST_BLOCKS} ${FIRST_BLOCKS + width}`]);
  });

  test('it is there a thousand blocks before it is needed', async () => {
    const { schema, index } = await chainAt(CALM, CALM);
    expect(await boundsOf(schema)).toEqual([`0 ${FIRST_BLOCKS}`]);
    await append(index, [linkedBlock(CALM + 1, [])]);
    expect(await boundsOf(schema)).toEqual([`0 ${FIRST_BLOCKS}`, `${FIRST_BLOCKS} ${2 * FIRST_BLOCKS}`]);
  });

  test('a table that stays locked holds up no block that has its place, and the partition is made later', async () => {
    const { schema, index } = await chainAt(CALM, CALM);
    await database.admin.transaction(async (change) => {
      await change.query(`LOCK TABLE "${schema}".withdrawals IN SHARE UPDATE EXCLUSIVE MODE`);
      await append(index, [linkedBlock(CALM + 1, [])]);
      expect((await cursorOf(index)).number).toBe(CALM + 1);
      expect(await boundsOf(schema)).toHaveLength(1);
    });
    await append(index, [linkedBlock(CALM + 2, [])]);
    expect(await boundsOf(schema)).toHaveLength(2);
  });

  test('a reorganisation while the last partition is attached ends well, and so does the next across it', async () => {
    const { schema, index } = await chainAt(CALM - 9, CALM);
    const below = await index.cursor();
    await database.writer.transaction(async (making) => {
      const bounds = { from: FIRST_BLOCKS, end: FIRST_BLOCKS + 7, suffix: '_r1' };
      await making.query(`SELECT "${schema}".create_partition(:from, :end, :suffix)`, bounds);
      await making.query(`SELECT "${schema}".attach_partition(:from, :end, :suffix)`, bounds);
      if (below === undefined) throw new Error('no cursor');
      await index.rollBack(below, linkedBlock(CALM - 5, []));
    });
    await append(index, range(CALM - 4, LAST + 5, 1));
    const across = await index.cursor();
    if (across === undefined) throw new Error('no cursor');
    await index.rollBack(across, linkedBlock(LAST - 3, [], 1));
    await append(index, range(LAST - 2, LAST + 9, 2, 1));
    const blocks = await linesOf(
      database.reader,
      `SELECT count(*) AS all, max(number), count(*) FILTER (WHERE number >= ${FIRST_BLOCKS}) AS above FROM "${schema}".blocks`,
    );
    expect(blocks).toEqual([`${LAST + 9 - (CALM - 9) + 1} ${LAST + 9} 9`]);
  });

  test('blocks go into a new partition while a reader that began before keeps its transaction open', async () => {
    const { schema, index } = await chainAt(CALM, CALM);
    const newest = `SELECT max(number) AS number FROM "${schema}".blocks`;
    await database.reader.transaction(async (open) => {
      await open.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      expect((await open.query(newest)).rows).toEqual([{ number: CALM }]);
      await append(index, range(CALM + 1, LAST + 1));
      expect((await open.query(newest)).rows).toEqual([{ number: CALM }]);
      expect((await database.reader.query(newest)).rows).toEqual([{ number: LAST + 1 }]);
    });
  });
});

describe('pools', () => {
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

  /** Reserves, price, tick and liquidity of the pool, and the block of its last change. */
  const poolIn = (schema: string) =>
    linesOf(
      database.admin,
      `SELECT reserve0::text, reserve1::text, sqrt_price_x96::text, tick, liquidity::text, updated_block
       FROM ${schema}.dex_pools WHERE pool_id = '\\x${POOL.slice(2)}'`,
    );

  test.each([
    ['uniswap_v2', V2, ['sync', null], '110 91 - - -', '5 5 - - -'],
    ['uniswap_v3', V3, ['mint', '7'], `- - ${2n ** 96n} 0 75`, '- - 7 7 7'],
  ] as const)(
    'the events that a pool of %s ever had do not count for a block that touches it',
    async (...given) => {
      const [protocol, logs, events, after, before] = given;
      const { schema, counted, index } = await busyPool(protocol, events);
      await append(index, [linkedBlock(HEAD, [])]);
      const empty = counted.read();
      await append(index, [linkedBlock(HEAD + 1, logs)]);
      expect(counted.read() - empty).toBeLessThan(MAX_READ);
      expect(await poolIn(schema)).toEqual([`${after} ${HEAD + 1}`]);
      const appended = counted.read();
      await index.rollBack(await cursorOf(index), linkedBlock(HEAD, []));
      expect(counted.read() - appended).toBeLessThan(MAX_READ);
      expect(await poolIn(schema)).toEqual([`${before} ${HISTORY}`]);
    },
  );
});
