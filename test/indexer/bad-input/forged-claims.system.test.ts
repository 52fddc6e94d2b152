import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { type ChainIndex, openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { completeHistory } from '../../../lambdas/indexer/follow/complete-history.ts';
import { type FillParts, fillRange } from '../../../lambdas/indexer/follow/fill-range.ts';
import { deriveStep } from '../../../lambdas/rollups/derive-step.ts';
import { toQuotes } from '../../../lambdas/rollups/quotes.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import type { DexProtocol } from '../../../lambdas/shared/runtime/settings.ts';
import { V2_EVENTS, V3_EVENTS, V4_EVENTS } from '../../chain-data/decode/contract-events.ts';
import {
  ALICE,
  address,
  BOB,
  type LogContents,
  logOf,
  rawBlock,
  rawTransaction,
  TIMESTAMP,
  word,
  ZERO,
} from '../../chain-data/decode/raw-blocks.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { decode, inTime } from './indexed-chain.ts';
import { contradictionsOf } from './sound-index.ts';

const [TOKEN0, TOKEN1, OTHER0, OTHER1] = [address(1), address(2), address(0x661), address(0x662)] as const;
const [FACTORY, STRANGER, POOL] = [address(0xfac), address(0xbad), address(0x9001)] as const;
const V4_ID = word(0x1d);
const PRICE = 2n ** 96n;
/** The index begins above a block, and has all below filled up later. */
const FIRST = 3;
const MAX_STEPS = 20;

interface Exchange {
  readonly claim: (factory: `0x${string}`, token0: string, token1: string) => LogContents;
  /** A trade that a factory's pool logs. */
  readonly trade: (factory: `0x${string}`, amount: bigint) => LogContents;
}

const EXCHANGES: Readonly<Record<DexProtocol, Exchange>> = {
  uniswap_v2: {
    claim: (factory, token0, token1) => logOf(V2_EVENTS.created, factory, [token0, token1, POOL, 1n]),
    trade: (_, amount) => logOf(V2_EVENTS.swap, POOL, [ALICE, amount, 0n, 0n, amount, BOB]),
  },
  uniswap_v3: {
    claim: (factory, token0, token1) => logOf(V3_EVENTS.created, factory, [token0, token1, 500, 10, POOL]),
    trade: (_, amount) => logOf(V3_EVENTS.swap, POOL, [ALICE, BOB, amount, -amount, PRICE, 7n, 0]),
  },
  uniswap_v4: {
    claim: (factory, token0, token1) =>
      logOf(V4_EVENTS.initialize, factory, [V4_ID, token0, token1, 500, 10, ZERO, PRICE, 0]),
    trade: (factory, amount) =>
      logOf(V4_EVENTS.swap, factory, [V4_ID, ALICE, amount, -amount, PRICE, 7n, 0, 500]),
  },
};
const PROTOCOLS = Object.keys(EXCHANGES) as DexProtocol[];
const listed = (protocol: DexProtocol) => toQuotes(undefined, [], [{ protocol, factory: FACTORY }]);

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

/** A chain whose pool is made in block 1 and trades in blocks 2, 4 and 5, with what a stranger logs in some blocks. */
function chainOf(
  protocol: DexProtocol,
  forged: Readonly<Record<number, readonly LogContents[]>>,
): RawBlock[] {
  const { claim, trade } = EXCHANGES[protocol];
  const honest: Readonly<Record<number, LogContents>> = {
    1: claim(FACTORY, TOKEN0, TOKEN1),
    2: trade(FACTORY, 20n),
    4: trade(FACTORY, 40n),
    5: trade(FACTORY, 50n),
  };
  return Array.from({ length: 6 }, (_, number) => {
    const own = honest[number];
    // A stranger's logs come behind, so that those of the pool have the same places with and without.
    const logs = [...(own === undefined ? [] : [own]), ...(forged[number] ?? [])];
    const numbered = logs.map((log, logIndex) => ({ ...log, logIndex }));
    const transaction = rawTransaction(number);
    return rawBlock([{ ...transaction, receipt: { ...transaction.receipt, logs: numbered } }], {
      number,
      hash: word(number + 100),
      parentHash: word(number + 99),
      timestamp: TIMESTAMP + number,
    });
  });
}

function partsOf(blocks: readonly RawBlock[], index: ChainIndex): FillParts {
  const reader = {
    head: async () => blocks.at(-1) as RawBlock,
    header: async (number: number) => blocks[number],
    async *pages(from: number, to: number) {
      yield blocks.slice(from, to + 1);
    },
  };
  return { reader, index, decode, outOfTime: () => false };
}

async function append(index: ChainIndex, blocks: readonly RawBlock[]): Promise<void> {
  const cursor = await index.cursor();
  const head = blocks.at(-1);
  if (cursor === undefined || head === undefined) throw new Error('nothing to append');
  await index.append(cursor, { ids: blocks, rows: blocks.map(decode), head });
}

async function derive(schema: string, quotes = listed('uniswap_v2')): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1)
    if ((await deriveStep(connectionTo(database.writer, schema), quotes)).kind === 'idle') return;
  throw new Error('the derivation does not come to rest');
}

/** Pools and what happened in them. */
async function exchanges(schema: string) {
  const tables = ['dex_pools', 'dex_swaps', 'dex_liquidity_events'].map(async (table) => {
    const { rows } = await database.writer.query(
      `SELECT to_jsonb(t)::text AS row FROM ${schema}.${table} AS t ORDER BY 1`,
    );
    return rows.map(({ row }) => row);
  });
  return Promise.all(tables);
}

async function begun(block: RawBlock | undefined) {
  const schema = await newSchema(database);
  const index = openChainIndex(connectionTo(database.writer, schema));
  await index.begin(block ?? { number: -1, hash: word(99), parentHash: word(98), timestamp: 0 });
  return { schema, index };
}

async function honest(protocol: DexProtocol) {
  const { schema, index } = await begun(undefined);
  await append(index, chainOf(protocol, {}));
  return exchanges(schema);
}

const forgeryOf = (protocol: DexProtocol) => [
  EXCHANGES[protocol].claim(STRANGER, OTHER0, OTHER1),
  ...(protocol === 'uniswap_v4' ? [EXCHANGES.uniswap_v4.trade(STRANGER, 99n)] : []),
];

describe.each(PROTOCOLS)('a claim of a stranger on a pool of %s', (protocol) => {
  test.each([true, false])(
    'that is stored first does not survive the backfill of the real one (listed: %s)',
    async (isListed) => {
      const blocks = chainOf(protocol, { 4: forgeryOf(protocol) });
      const { schema, index } = await begun(blocks[FIRST - 1]);
      await append(index, blocks.slice(FIRST, FIRST + 1));
      if (isListed) await derive(schema, listed(protocol));
      await append(index, blocks.slice(FIRST + 1));
      await fillRange(partsOf(blocks, index), { from: 0, to: FIRST - 1 }, inTime());
      await completeHistory(partsOf(blocks, index), inTime());
      expect(await exchanges(schema)).toEqual(await honest(protocol));
      expect(await contradictionsOf(database.postgres.superuser, schema)).toEqual([]);
    },
  );

  test('that was made before the pool does not survive it', async () => {
    const blocks = chainOf(protocol, { 0: forgeryOf(protocol) });
    const { schema, index } = await begun(undefined);
    await append(index, blocks.slice(0, 1));
    await derive(schema, listed(protocol));
    await append(index, blocks.slice(1));
    expect(await exchanges(schema)).toEqual(await honest(protocol));
  });

  test('that was stored before the factory was listed does not survive that', async () => {
    const blocks = chainOf(protocol, { 0: forgeryOf(protocol) });
    const { schema, index } = await begun(undefined);
    await append(index, blocks);
    await derive(schema, toQuotes(undefined));
    expect(await exchanges(schema)).not.toEqual(await honest(protocol));
    await derive(schema, listed(protocol));
    await completeHistory(partsOf(blocks, index), inTime());
    await derive(schema, listed(protocol));
    expect(await exchanges(schema)).toEqual(await honest(protocol));
    expect(await contradictionsOf(database.postgres.superuser, schema)).toEqual([]);
  });
});

test('two who store claims on one pool at once keep the better one', async () => {
  const blocks = chainOf('uniswap_v2', { 4: forgeryOf('uniswap_v2') });
  const { schema, index } = await begun(blocks[FIRST - 1]);
  await append(index, blocks.slice(FIRST, FIRST + 1));
  await derive(schema);
  const appended = append(index, blocks.slice(FIRST + 1)).catch(() => append(index, blocks.slice(FIRST + 1)));
  await Promise.all([appended, fillRange(partsOf(blocks, index), { from: 0, to: FIRST - 1 }, inTime())]);
  await completeHistory(partsOf(blocks, index), inTime());
  expect(await exchanges(schema)).toEqual(await honest('uniswap_v2'));
});
