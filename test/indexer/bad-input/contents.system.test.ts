/** Contents of blocks that are odd, hostile, or of a past that changed. */
import type { Hex, RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { type ChainIndex, openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { describeTokens } from '../../../lambdas/indexer/describe/describe-tokens.ts';
import { createRetryingClient } from '../../../lambdas/indexer/fetch/retrying-client.ts';
import { completeHistory } from '../../../lambdas/indexer/follow/complete-history.ts';
import { type FillParts, fillRange } from '../../../lambdas/indexer/follow/fill-range.ts';
import { deriveStep } from '../../../lambdas/rollups/derive-step.ts';
import { toQuotes } from '../../../lambdas/rollups/prices/quotes.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import type { DexProtocol } from '../../../lambdas/shared/runtime/settings.ts';
import { TOKEN_EVENTS, V2_EVENTS, V3_EVENTS, V4_EVENTS } from '../../chain-data/decode/contract-events.ts';
import {
  ALICE,
  address,
  BOB,
  type LogContents,
  logOf,
  rawBlock,
  rawTransaction,
  TIMESTAMP,
  TOKEN,
  word,
  ZERO,
} from '../../chain-data/decode/raw-blocks.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { createFakeNode, type Said } from '../fetch/fake-node.ts';
import { answersOf, makeBlock } from '../fetch/node-chain.ts';
import { dumpIndex } from '../follow/dump-index.ts';
import { type ForkingChain, makeForkingChain } from '../follow/forking-chain.ts';
import { decode, followAll, followerOf, inTime } from './indexed-chain.ts';
import { indexedChain } from './indexed-node.ts';
import { type JsonTransaction, jsonBlock } from './json-chain.ts';
import { contradictionsOf } from './sound-index.ts';

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

describe('contents of any kind', () => {
  const { erc20, erc721, single, batch } = TOKEN_EVENTS;
  const MAX_UINT = 2n ** 256n - 1n;
  const KIB = 1_024;

  const bytes = (length: number, seed: number): Hex =>
    `0x${Buffer.from(Array.from({ length }, (_, index) => (index * 31 + seed) % 256)).toString('hex')}`;

  /** An index of a chain with an empty block, one block of these transactions, and another empty one. */
  async function indexed(
    transactions: readonly JsonTransaction[],
    answer?: (to: string, data: string) => Said,
  ) {
    return indexedChain(database, [makeBlock(0, 0), jsonBlock(1, transactions), makeBlock(2, 0)], answer);
  }

  describe('sizes', () => {
    test('a log of 64 KB and calldata of 120 KB are stored whole, in rows that can be read', async () => {
      const data = bytes(64 * KIB, 3);
      const input = bytes(120 * KIB, 5);
      const { query } = await indexed([{ input, logs: [{ address: TOKEN, topics: [word(1)], data }] }]);
      const whole = async (table: string, column: string, kind: string) => {
        const [head] = await query(
          `SELECT encode(${column}, 'hex') AS part, ${column}_size AS size FROM {schema}.${table}`,
        );
        const parts = [String(head?.part)];
        for (const { piece } of await query(
          `SELECT piece FROM {schema}.data_pieces WHERE kind = '${kind}' ORDER BY piece`,
        )) {
          const [row] = await query(
            `SELECT encode(data, 'hex') AS part FROM {schema}.data_pieces
           WHERE kind = '${kind}' AND piece = ${piece}`,
          );
          parts.push(String(row?.part));
        }
        return { data: `0x${parts.join('')}`, size: head?.size };
      };
      expect(await whole('logs', 'data', 'log_data')).toEqual({ data, size: 64 * KIB });
      expect(await whole('transactions', 'input', 'tx_input')).toEqual({ data: input, size: 120 * KIB });
    });

    test('blocks with 500 transactions and with none', async () => {
      const chain = [makeBlock(0, 0), makeBlock(1, 500), makeBlock(2, 0), makeBlock(3, 1)];
      const { query } = await indexedChain(database, chain);
      expect(await query('SELECT number, tx_count, log_count FROM {schema}.blocks ORDER BY 1')).toEqual(
        [0, 500, 0, 1].map((count, number) => ({ number, tx_count: count, log_count: count })),
      );
      expect(await query('SELECT count(*) AS count FROM {schema}.traces')).toEqual([{ count: 1_002 }]);
    });

    test('pages end early where data is long, so that what is held at once stays small', async () => {
      const heavy = { input: bytes(120 * KIB, 1) };
      const chain = Array.from({ length: 40 }, (_, number) => jsonBlock(number, Array(10).fill(heavy)));
      const { reader } = await followerOf(createFakeNode(answersOf(chain)), database);
      const pages: number[] = [];
      for await (const page of reader.pages(0, 39, inTime())) pages.push(page.length);
      // Ten times 120 KB of calldata weigh as much as 2,410 rows.
      expect(pages).toEqual([9, 9, 9, 9, 4]);
    });
  });

  describe('transfers', () => {
    test('a batch with unequal arrays is a log and no transfer; its neighbours are both', async () => {
      const unequal = logOf(batch, TOKEN, [ALICE, ZERO, BOB, [1n, 2n, 3n], [4n, 5n]]);
      const { query } = await indexed([
        {
          logs: [
            logOf(single, TOKEN, [ALICE, ZERO, BOB, 1n, 7n]),
            unequal,
            logOf(batch, TOKEN, [ALICE, ZERO, BOB, [], []]),
            logOf(batch, TOKEN, [ALICE, ZERO, BOB, [1n, 2n], [1n, 9n]]),
          ],
        },
      ]);
      expect(await query('SELECT count(*) AS logs FROM {schema}.logs')).toEqual([{ logs: 4 }]);
      expect(
        await query(`SELECT log_index, batch_index, token_id::text AS id, amount::text AS amount
        FROM {schema}.nft_transfers ORDER BY 1, 2`),
      ).toEqual([
        { log_index: 0, batch_index: 0, id: '1', amount: '7' },
        { log_index: 3, batch_index: 0, id: '1', amount: '1' },
        { log_index: 3, batch_index: 1, id: '2', amount: '9' },
      ]);
      expect(
        await query(
          `SELECT token_id::text AS id, amount::text AS amount FROM {schema}.nft_owners ORDER BY 1`,
        ),
      ).toEqual([
        { id: '1', amount: '8' },
        { id: '2', amount: '9' },
      ]);
    });

    test('of three and of four topics from one contract are each what they are, and the token is the higher standard', async () => {
      const logs = [
        logOf(erc721, TOKEN, [ALICE, BOB, 9n]),
        logOf(erc20, TOKEN, [ALICE, BOB, 5n]),
        logOf(erc20, address(0x72), [ALICE, BOB, 1n]),
      ];
      const { query } = await indexed([{ logs }]);
      expect(await query('SELECT amount::text AS amount FROM {schema}.erc20_transfers')).toEqual([
        { amount: '5' },
        { amount: '1' },
      ]);
      expect(await query('SELECT token_id::text AS id FROM {schema}.nft_transfers')).toEqual([{ id: '9' }]);
      const tokens = 'SELECT standard, transfer_count, first_seen_block, updated_block FROM {schema}.tokens';
      expect(await query(`${tokens} ORDER BY standard`)).toEqual([
        { standard: 20, transfer_count: 1, first_seen_block: 1, updated_block: 1 },
        { standard: 721, transfer_count: 2, first_seen_block: 1, updated_block: 1 },
      ]);
    });

    test('amounts that add up to more than a uint256 stop nothing', async () => {
      const minted = Array.from({ length: 20 }, () => logOf(single, TOKEN, [ALICE, ZERO, BOB, 1n, MAX_UINT]));
      const sent = Array.from({ length: 20 }, () => logOf(erc20, address(0x71), [ALICE, BOB, MAX_UINT]));
      const { query } = await indexed([{ logs: [...minted, ...sent] }]);
      expect(await query('SELECT amount::text AS amount FROM {schema}.nft_owners')).toEqual([
        { amount: MAX_UINT.toString() },
      ]);
      expect(await query('SELECT count(*) AS count FROM {schema}.erc20_transfers')).toEqual([{ count: 20 }]);
    });

    test('liquidity that no pool can have stops nothing', async () => {
      const id = word(0x9001);
      const manager = address(0x44);
      const added = Array.from({ length: 20 }, () =>
        logOf(V4_EVENTS.modify, manager, [id, ALICE, -100, 100, 2n ** 255n - 1n, word(0)]),
      );
      const { query } = await indexed([
        {
          logs: [
            logOf(V4_EVENTS.initialize, manager, [id, address(1), address(2), 3_000, 60, ZERO, 2n ** 96n, 0]),
            logOf(V4_EVENTS.swap, manager, [id, ALICE, -5n, 4n, 2n ** 96n, 7n, 0, 3_000]),
            ...added,
          ],
        },
      ]);
      expect(await query('SELECT liquidity::text AS liquidity FROM {schema}.dex_pools')).toEqual([
        { liquidity: (2n ** 128n - 1n).toString() },
      ]);
    });
  });

  describe('what tokens say of themselves', () => {
    const SYMBOL = '0x95d89b41';
    const text = (hex: string): Said => ({
      result: `${word(32)}${word(hex.length / 2).slice(2)}${hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')}`,
    });
    const REVERTED: Said = { error: { code: 3, message: 'execution reverted: \u0000no' } };

    test.each<[string, Said, string | null]>([
      ['bytes32', { result: `0x${Buffer.from('MKR').toString('hex').padEnd(64, '0')}` }, 'MKR'],
      ['bytes32 of what is no UTF-8', { result: `0xff4d${'fe'.repeat(30)}` }, 'M'],
      ['text of what is no UTF-8', text('4142ff43'), 'ABC'],
      ['text with NUL', text('41004200'), 'AB'],
      [
        'text with quotes, backslashes and braces',
        text(Buffer.from('{"\\a\',}').toString('hex')),
        '{"\\a\',}',
      ],
      ['a long text', text('f09f9880'.repeat(5_000)), '\u{1f600}'.repeat(255)],
      ['nothing', { result: '0x' }, null],
      ['a revert', REVERTED, null],
      ['an offset far away', { result: word(MAX_UINT) + word(1).slice(2) }, null],
    ])('%s as a symbol', async (_, said, symbol) => {
      const answer = (_to: string, data: string): Said => (data === SYMBOL ? said : REVERTED);
      const { query, schema, node } = await indexed(
        [{ logs: [logOf(erc20, TOKEN, [ALICE, BOB, 5n])] }],
        answer,
      );
      const patient = createRetryingClient(node, { now: () => 0 }, async () => undefined);
      const parts = { chain: connectionTo(database.writer, schema), node: patient };
      expect(await describeTokens(parts, 25, inTime())).toBe(1);
      expect(await describeTokens(parts, 25, inTime())).toBe(0);
      expect(await query('SELECT name, symbol, decimals, metadata_status FROM {schema}.tokens')).toEqual([
        { name: null, symbol, decimals: null, metadata_status: symbol === null ? 'absent' : 'partial' },
      ]);
    });
  });
});

describe('claims of strangers', () => {
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
    const appended = append(index, blocks.slice(FIRST + 1)).catch(() =>
      append(index, blocks.slice(FIRST + 1)),
    );
    await Promise.all([appended, fillRange(partsOf(blocks, index), { from: 0, to: FIRST - 1 }, inTime())]);
    await completeHistory(partsOf(blocks, index), inTime());
    expect(await exchanges(schema)).toEqual(await honest('uniswap_v2'));
  });
});

describe('the past of a chain', () => {
  const HEAD = 120;
  const FIRST = 90;

  let chain: ForkingChain;

  beforeEach(() => {
    chain = makeForkingChain(HEAD, 8);
  });

  const dump = (schema: string) => dumpIndex(database.postgres.superuser, schema);
  const partsOf = (index: ChainIndex): FillParts => ({
    reader: chain.reader,
    index,
    decode,
    outOfTime: () => false,
  });

  /** An index that began late, and had its past filled up in parts, in this order. */
  async function filled(ranges: readonly (readonly [from: number, to: number])[]) {
    const schema = await newSchema(database);
    const index = openChainIndex(connectionTo(database.writer, schema));
    await index.begin(chain.blocks[FIRST - 1] as RawBlock);
    await followAll(partsOf(index));
    for (const [from, to] of ranges) await fillRange(partsOf(index), { from, to }, inTime());
    return { schema, index };
  }

  async function undisturbed() {
    const schema = await newSchema(database);
    await followAll(partsOf(openChainIndex(connectionTo(database.writer, schema))));
    return dump(schema);
  }

  test('the past that comes later makes the index what it had been from the beginning', async () => {
    const { schema, index } = await filled([
      [60, 89],
      [0, 19],
      [20, 59],
    ]);
    const before = await dump(schema);
    const expected = await undisturbed();
    expect(before.dex_swaps?.length).toBeLessThan(expected.dex_swaps?.length ?? 0);
    expect(await completeHistory(partsOf(index), inTime())).toEqual({ blocks: 61, complete: true });
    expect(await dump(schema)).toEqual(expected);
    expect(await completeHistory(partsOf(index), inTime())).toEqual({ blocks: 0, complete: true });
  });

  test('nothing is complete while something is missing below', async () => {
    const { schema, index } = await filled([
      [60, 89],
      [20, 59],
      [1, 19],
    ]);
    const before = await dump(schema);
    expect(await completeHistory(partsOf(index), inTime())).toEqual({ blocks: 0, complete: true });
    expect(await dump(schema)).toEqual(before);
  });

  test('what the time does not allow is left for later', async () => {
    const { schema, index } = await filled([
      [60, 89],
      [0, 59],
    ]);
    const before = await dump(schema);
    const late = { ...partsOf(index), outOfTime: () => true };
    expect(await completeHistory(late, inTime())).toEqual({ blocks: 0, complete: false });
    expect(await dump(schema)).toEqual(before);
  });

  test('several at once complete it as one does', async () => {
    const { schema, index } = await filled([
      [60, 89],
      [0, 59],
    ]);
    await Promise.all([1, 2, 3].map(() => completeHistory(partsOf(index), inTime())));
    expect(await dump(schema)).toEqual(await undisturbed());
  });

  test('what is taken back meanwhile is not covered', async () => {
    const { schema, index } = await filled([
      [60, 89],
      [0, 59],
    ]);
    const step = await index.historyStep();
    expect(step).toMatchObject({ from: 60, to: HEAD });
    chain.fork(HEAD - 10, HEAD + 2);
    await followAll(partsOf(index));
    await completeHistory(partsOf(index), inTime());
    expect(await contradictionsOf(database.postgres.superuser, schema)).toEqual([]);
    expect(await dump(schema)).toEqual(await undisturbed());
  });

  test('a step that was seen before a rollback leaves nothing', async () => {
    const { schema, index } = await filled([
      [60, 89],
      [0, 59],
    ]);
    const step = await index.historyStep();
    if (step === undefined) throw new Error('nothing to do');
    const cursor = await index.cursor();
    const ancestor = chain.blocks[HEAD - 10];
    if (cursor === undefined || ancestor === undefined) throw new Error('no cursor');
    await index.rollBack(cursor, ancestor);
    await expect(index.completeHistory(step, [], [])).rejects.toThrow('not all blocks');
    expect(await contradictionsOf(database.postgres.superuser, schema)).toEqual([]);
  });
});
