import { encodeEventTopics, type Hex, numberToHex, parseAbiItem } from 'viem';
import { TOPICS } from '../../lambdas/chain-data/decode/topics.ts';
import { linkStocks } from '../../lambdas/indexer/describe/link-stocks.ts';
import { deriveStep } from '../../lambdas/rollups/derive-step.ts';
import { toQuotes } from '../../lambdas/rollups/quotes.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { newSchema } from '../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';
import { address, TradingChain, ZERO_ADDRESS } from './trading-chain.ts';

const STOCK = address(0x57);
const HOLDER = address(0xbeef);
const AGGREGATOR = address(0xfeed);
const FACTORY = address(0xfac);
const START = Date.parse('2026-11-18T00:00:00Z') / 1_000;
const DAY = 86_400;
const ANSWERED = parseAbiItem(
  'event AnswerUpdated(int256 indexed current, uint256 indexed round, uint256 updatedAt)',
);
const QUOTES = toQuotes(undefined, [{ token: STOCK, aggregator: AGGREGATOR, decimals: 8 }]);

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

/** A chain with a stock token that moves in every block, a block a day. */
async function newChain(blocks: number): Promise<TradingChain> {
  const chain = new TradingChain(database.writer, await newSchema(database));
  await database.writer.query(
    `INSERT INTO ${chain.schema}.stock_tokens (token, issuer, initial_multiplier, registered_block, updated_block)
     VALUES (decode(:token, 'hex'), 'unknown', 1000000000000000000, 0, 0)`,
    { token: STOCK.slice(2) },
  );
  await chain.append(
    Array.from({ length: blocks }, (_, index) => ({
      time: START + index * DAY,
      happenings: [{ kind: 'transfer', token: STOCK, from: ZERO_ADDRESS, to: HOLDER, amount: 5n }],
    })),
  );
  return chain;
}

interface TestLog {
  readonly block: number;
  readonly index?: number;
  readonly emitter: string;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

async function addLog(
  chain: TradingChain,
  { block, index = 9, emitter, topics, data }: TestLog,
): Promise<void> {
  const [topic0 = '0x', topic1 = '0x'] = topics;
  await database.writer.query(
    `INSERT INTO ${chain.schema}.logs
       (block_number, log_index, tx_index, tx_hash, block_time, address, topic0, topic1, data, data_size)
     SELECT number, :index, 0, hash, time, decode(:emitter, 'hex'), decode(:topic0, 'hex'), decode(:topic1, 'hex'),
            decode(:data, 'hex'), 32 FROM ${chain.schema}.blocks WHERE number = :block`,
    {
      block,
      index,
      emitter: emitter.slice(2),
      topic0: topic0.slice(2),
      topic1: topic1.slice(2),
      data: data.slice(2),
    },
  );
}

function respond(current: bigint, updatedAt: bigint): Pick<TestLog, 'topics' | 'data'> {
  const topics = encodeEventTopics({ abi: [ANSWERED], args: { current, round: 1n } });
  return { topics: topics as unknown as Hex[], data: numberToHex(updatedAt, { size: 32 }) };
}

async function derive(chain: TradingChain): Promise<void> {
  while ((await deriveStep(connectionTo(database.writer, chain.name), QUOTES)).kind !== 'idle');
}

async function prices(chain: TradingChain): Promise<unknown[]> {
  const { rows } = await database.writer.query(
    `SELECT block_number, price_usd::text AS price, extract(epoch FROM oracle_time)::bigint AS at
     FROM ${chain.schema}.stock_oracle_prices ORDER BY block_number, log_index`,
  );
  return rows.map(({ block_number, price, at }) => [block_number, price, at]);
}

async function days(chain: TradingChain): Promise<unknown[]> {
  const { rows } = await database.writer.query(
    `SELECT oracle_price_usd::text AS price, premium_bps FROM ${chain.schema}.stock_daily ORDER BY day`,
  );
  // Nothing was traded, so there is no price to compare.
  expect(rows.map(({ premium_bps }) => premium_bps)).toEqual(rows.map(() => null));
  return rows.map(({ price }) => price);
}

test('answers of the feed are prices, and each day has the last one until its end', async () => {
  const chain = await newChain(4);
  await addLog(chain, { block: 1, emitter: AGGREGATOR, ...respond(123_45000000n, 1_800_000_000n) });
  await addLog(chain, { block: 2, emitter: AGGREGATOR, ...respond(2n ** 200n, 1_800_000_001n) });
  await addLog(chain, { block: 2, index: 10, emitter: AGGREGATOR, ...respond(1n, 1_800_000_002n) });
  await derive(chain);
  expect(await prices(chain)).toEqual([
    [1, '123.45', 1_800_000_000],
    [2, `${2n ** 200n / 10n ** 8n}.${(2n ** 200n % 10n ** 8n).toString().padStart(8, '0')}`, 1_800_000_001],
    [2, '0.00000001', 1_800_000_002],
  ]);
  expect(await days(chain)).toEqual([null, '123.45', '0.00000001', '0.00000001']);
});

test('what is no price is none: another emitter, zero, less, no time, no words', async () => {
  const chain = await newChain(2);
  await addLog(chain, { block: 1, emitter: FACTORY, ...respond(5n, 1_800_000_000n) });
  await addLog(chain, { block: 1, index: 10, emitter: AGGREGATOR, ...respond(0n, 1_800_000_000n) });
  await addLog(chain, { block: 1, index: 11, emitter: AGGREGATOR, ...respond(-5n, 1_800_000_000n) });
  await addLog(chain, { block: 1, index: 12, emitter: AGGREGATOR, ...respond(5n, 2n ** 63n) });
  const { topics } = respond(5n, 1n);
  await addLog(chain, { block: 1, index: 13, emitter: AGGREGATOR, topics, data: '0x' });
  await derive(chain);
  expect(await prices(chain)).toEqual([]);
});

test('a reorganisation takes prices with it', async () => {
  const chain = await newChain(3);
  await addLog(chain, { block: 1, emitter: AGGREGATOR, ...respond(100n, 1_800_000_000n) });
  await addLog(chain, { block: 2, emitter: AGGREGATOR, ...respond(200n, 1_800_000_000n) });
  await derive(chain);
  await chain.rollBack(1);
  expect(await prices(chain)).toEqual([[1, '0.000001', 1_800_000_000]]);
});

describe('an answer after the last transfer of a day', () => {
  const transfer = { kind: 'transfer', token: STOCK, from: ZERO_ADDRESS, to: HOLDER, amount: 5n } as const;
  const answered = (current: bigint) => ({ kind: 'answer', aggregator: AGGREGATOR, current }) as const;
  const blocks = [
    { time: START, happenings: [answered(100n)] },
    { time: START + 10, happenings: [transfer] },
    { time: START + 20, happenings: [] },
    { time: START + 30, happenings: [answered(200n)] },
  ];

  test('is the price of that day, whether it was derived with the transfer or later', async () => {
    const [live, atOnce] = [await newChain(0), await newChain(0)];
    for (const block of blocks) {
      await live.append([block]);
      await derive(live);
    }
    await atOnce.append(blocks);
    await derive(atOnce);
    expect(await days(live)).toEqual(['0.000002']);
    expect(await days(atOnce)).toEqual(['0.000002']);
  });

  test('goes with its block, and the answer before it counts again', async () => {
    const chain = await newChain(0);
    await chain.append(blocks);
    await derive(chain);
    await chain.rollBack(2);
    expect(await days(chain)).toEqual(['0.000001']);
    await chain.append([{ time: START + 25, happenings: [] }]);
    await derive(chain);
    expect(await days(chain)).toEqual(['0.000001']);
  });
});

test('the stage file names the issuer by its factory, and the feed', async () => {
  const chain = await newChain(2);
  const data: Hex = `0x${STOCK.slice(2).padStart(64, '0')}${'0'.repeat(128)}`;
  const settings = {
    issuers: [{ factory: FACTORY.toUpperCase().replace('0X', '0x'), name: 'Issuer\'s, "Ltd"' }],
    priceFeeds: [{ token: STOCK, aggregator: AGGREGATOR, decimals: 8 }],
  };
  const linked = async () => {
    await linkStocks(connectionTo(database.writer, chain.name), settings);
    const { rows } = await database.writer.query(
      `SELECT issuer, encode(factory, 'hex') AS factory, encode(price_feed, 'hex') AS feed FROM ${chain.schema}.stock_tokens`,
    );
    return rows[0];
  };
  const feed = AGGREGATOR.slice(2);
  await addLog(chain, {
    block: 1,
    emitter: HOLDER,
    topics: [TOPICS.stockDeployed, `0x${'1'.repeat(64)}`],
    data,
  });
  expect(await linked()).toEqual({ issuer: 'unknown', factory: null, feed });
  await addLog(chain, {
    block: 1,
    index: 10,
    emitter: FACTORY,
    topics: [TOPICS.stockDeployed, `0x${'1'.repeat(64)}`],
    data,
  });
  expect(await linked()).toEqual({ issuer: 'Issuer\'s, "Ltd"', factory: FACTORY.slice(2), feed });
});
