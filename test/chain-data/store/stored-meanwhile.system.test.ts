/** What is added up of stored blocks is that of all of them, whoever stores some while others add up the rest. */
import { DERIVED_AFTER } from '../../../lambdas/backfill/bulk/derived-tables.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { storeStocks } from '../../../lambdas/indexer/describe/store-descriptions.ts';
import { type ChainConnection, connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { decode } from '../../indexer/bad-input/indexed-chain.ts';
import { untilTrue } from '../../support/until-true.ts';
import { MULTIPLIER_UPDATED, TOKEN_EVENTS, V3_EVENTS } from '../decode/contract-events.ts';
import {
  ALICE,
  address,
  BOB,
  type LogContents,
  logOf,
  TIMESTAMP,
  TOKEN,
  ZERO,
} from '../decode/raw-blocks.ts';
import { append, cursorOf, fill, linkedBlock } from './linked-blocks.ts';

const POOL = address(0xdec3);
const CREATED = logOf(V3_EVENTS.created, address(0xfac3), [address(0xc01), address(0xc02), 500, 10, POOL]);
const CREATED_IN = 1;
const LAST = 20;
const WAIT_MS = 30_000;
const POLL_MS = 20;

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

/** Blocks of a chain, by their numbers. */
function chainWith(logs: Readonly<Record<number, LogContents>>) {
  const blocks = Array.from({ length: LAST + 1 }, (_, number) => {
    const log = logs[number];
    return linkedBlock(number, log === undefined ? [] : [log]);
  });
  return (from: number, to = from) => blocks.slice(from, to + 1);
}

/** A chain whose pool is traded in these blocks, each at a price and a liquidity of its own. */
function chainOf(...traded: readonly number[]) {
  const trades = traded.map((number) => {
    const state = [2n ** 96n + BigInt(number), BigInt(number), number];
    return [number, logOf(V3_EVENTS.swap, POOL, [ALICE, BOB, -1n, 2n, ...state])] as const;
  });
  return chainWith({ [CREATED_IN]: CREATED, ...Object.fromEntries(trades) });
}

async function indexFrom(first: number) {
  const schema = await newSchema(database);
  const connection = connectionTo(database.writer, schema);
  const index = openChainIndex(connection);
  await index.begin(linkedBlock(first - 1, []));
  return { schema, connection, index };
}

type Indexed = Awaited<ReturnType<typeof indexFrom>>;

/** The last trade that the pool's state is of. */
async function stateIn(schema: string) {
  const { rows } = await database.admin.query(
    `SELECT (sqrt_price_x96 - 2::numeric ^ 96)::int AS price, liquidity::int, tick, updated_block::int FROM ${schema}.dex_pools`,
  );
  return rows;
}
const stateOf = (block: number) => [{ price: block, liquidity: block, tick: block, updated_block: block }];

/** Does some work but for the end of its transaction, begins other work, and ends the first once the other waits for it. */
async function whileOpen(
  connection: ChainConnection,
  work: (connection: ChainConnection) => Promise<void>,
  other: () => Promise<void>,
) {
  const [done, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const open: ChainConnection = {
    ...connection,
    transaction: (statements) =>
      connection.transaction(async (queries) => {
        const result = await statements(queries);
        done.resolve();
        await end.promise;
        return result;
      }),
  };
  const working = work(open);
  await Promise.race([done.promise, working]);
  const waiting = other();
  await untilTrue(isAnybodyWaiting, {
    withinMs: WAIT_MS,
    everyMs: POLL_MS,
    failure: () => 'nobody waits for a lock',
  }).finally(end.resolve);
  await Promise.all([working, waiting]);
}

/** Fills a gap, and before that transaction ends a reorganisation takes back what is above block 10. */
function fillWhileRolledBack({ connection, index }: Indexed, blocks: Parameters<typeof fill>[1]) {
  return whileOpen(
    connection,
    (open) => fill(openChainIndex(open), blocks),
    async () => index.rollBack(await cursorOf(index), linkedBlock(10, [])),
  );
}

async function isAnybodyWaiting() {
  const { rows } = await database.admin.query(
    `SELECT count(*) AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
  );
  return Number(rows[0]?.waiting) > 0;
}

describe('the state of a pool is that of its last trade, if that is stored', () => {
  test('by the head, while those of an attached partition are added up', async () => {
    const blocks = chainOf(3, 6);
    const { schema, connection, index } = await indexFrom(0);
    await append(index, blocks(0, 5));
    const statements = DERIVED_AFTER.find(({ step }) => step === 'states of pools')?.statements(0) ?? [];
    await whileOpen(
      connection,
      (open) => append(openChainIndex(open), blocks(6)),
      () =>
        connection.transaction(async (queries) => {
          for (const statement of statements) await queries.query(statement, { from: 0, to: 5 });
        }),
    );
    expect(await stateIn(schema)).toEqual(stateOf(6));
  });

  test('by the head, while a fill stores an earlier one', async () => {
    const blocks = chainOf(7, 11, 12);
    const { schema, connection, index } = await indexFrom(10);
    await append(index, blocks(10));
    await fill(index, blocks(0, 5));
    await append(index, blocks(11));
    await whileOpen(
      connection,
      (open) => append(openChainIndex(open), blocks(12)),
      () => fill(index, blocks(6, 9)),
    );
    expect(await stateIn(schema)).toEqual(stateOf(12));
  });

  test('by a fill, while the history below is completed', async () => {
    const blocks = chainOf(3, 7);
    const { schema, connection, index } = await indexFrom(10);
    await append(index, blocks(10, 12));
    await fill(index, blocks(3, 5));
    await fill(index, blocks(0, 2));
    const step = await index.historyStep();
    if (step === undefined) throw new Error('the history is complete');
    expect(step).toMatchObject({ from: 3, to: 5, read: [3] });
    await whileOpen(
      connection,
      (open) => fill(openChainIndex(open), blocks(6, 9)),
      () => index.completeHistory(step, blocks(3), blocks(3).map(decode)),
    );
    expect(await stateIn(schema)).toEqual(stateOf(7));
  });

  test('by a fill, while a reorganisation takes back a later one', async () => {
    const blocks = chainOf(3, 7, 12);
    const indexed = await indexFrom(10);
    const { schema, index } = indexed;
    await append(index, blocks(10, 11));
    await fill(index, blocks(0, 5));
    await append(index, blocks(12));
    await fillWhileRolledBack(indexed, blocks(6, 9));
    expect(await stateIn(schema)).toEqual(stateOf(7));
  });
});

test('a token has the transfers that a fill stores while a reorganisation takes back the only others', async () => {
  const blocks = chainWith({
    7: logOf(TOKEN_EVENTS.single, TOKEN, [ALICE, ZERO, BOB, 1n, 5n]),
    12: logOf(TOKEN_EVENTS.erc20, TOKEN, [ALICE, BOB, 5n]),
  });
  const indexed = await indexFrom(10);
  const { schema, index } = indexed;
  await append(index, blocks(10, 12));
  await fill(index, blocks(3, 5));
  await fillWhileRolledBack(indexed, blocks(6, 9));
  const { rows } = await database.admin.query(
    `SELECT standard, transfer_count::int, first_seen_block::int, updated_block::int FROM ${schema}.tokens`,
  );
  expect(rows).toEqual([{ standard: 1155, transfer_count: 1, first_seen_block: 7, updated_block: 7 }]);
});

const stock = { address: TOKEN, uid: null, oraclePaused: null, isContradicted: false, metadata: undefined };
const announcement = (number: number) => {
  const times = [number, number + 100].map((after) => BigInt(TIMESTAMP + after));
  return logOf(MULTIPLIER_UPDATED, TOKEN, [1n, 2n, ...times]);
};

test('what a fill announces of a stock counts while a reorganisation takes back a later announcement', async () => {
  const blocks = chainWith({ 3: announcement(3), 7: announcement(7), 12: announcement(12) });
  const indexed = await indexFrom(10);
  const { schema, index } = indexed;
  await append(index, blocks(10, 12));
  await fill(index, blocks(3, 5));
  await fillWhileRolledBack(indexed, blocks(6, 9));
  const { rows } = await database.admin.query(
    `SELECT block_number::int, superseded FROM ${schema}.stock_multipliers ORDER BY 1`,
  );
  expect(rows).toEqual([
    { block_number: 3, superseded: true },
    { block_number: 7, superseded: false },
  ]);
});

test('a stock that is registered while its first announcement is stored began with what that replaced', async () => {
  const blocks = chainWith({ 12: announcement(12) });
  const { schema, connection, index } = await indexFrom(10);
  await append(index, blocks(10));
  await whileOpen(
    connection,
    (open) => append(openChainIndex(open), blocks(11, 12)),
    () => storeStocks(connection, [{ ...stock, multiplier: 2n }]),
  );
  const { rows } = await database.admin.query(`SELECT initial_multiplier::int FROM ${schema}.stock_tokens`);
  expect(rows).toEqual([{ initial_multiplier: 1 }]);
});

test('a node that names a block while a reorganisation takes it back has named none', async () => {
  const blocks = chainWith({});
  const { schema, connection, index } = await indexFrom(10);
  await append(index, blocks(10, 14));
  const [named] = blocks(14);
  if (named === undefined) throw new Error('no block');
  await whileOpen(
    connection,
    async (open) => openChainIndex(open).rollBack(await cursorOf(index), linkedBlock(11, [])),
    () => index.noteFindings({ named }),
  );
  const { rows } = await database.admin.query(
    `SELECT (SELECT block_number::int FROM ${schema}.cursors WHERE name = 'agreed') AS agreed, blocks, hash_agreed
     FROM ${schema}.proof_levels`,
  );
  expect(rows).toEqual([{ agreed: 9, blocks: 2, hash_agreed: 0 }]);
});

test('a stock stays that a reorganisation takes back the first move of, as a fill has stored an earlier one', async () => {
  const moved = logOf(TOKEN_EVENTS.erc20, TOKEN, [ALICE, BOB, 5n]);
  const blocks = chainWith({ 7: moved, 12: moved });
  const { schema, connection, index } = await indexFrom(10);
  await append(index, blocks(10, 12));
  await storeStocks(connection, [{ ...stock, multiplier: 1n }]);
  await fill(index, blocks(6, 9));
  await index.rollBack(await cursorOf(index), linkedBlock(10, []));
  const { rows } = await database.admin.query(`SELECT registered_block::int FROM ${schema}.stock_tokens`);
  expect(rows).toEqual([{ registered_block: 7 }]);
});
