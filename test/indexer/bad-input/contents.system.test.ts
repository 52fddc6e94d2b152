import type { Hex } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { TOPICS } from '../../../lambdas/chain-data/decode/topics.ts';
import { describeTokens } from '../../../lambdas/indexer/describe/describe-tokens.ts';
import { createRetryingClient } from '../../../lambdas/indexer/fetch/retrying-client.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { TOKEN_EVENTS, V4_EVENTS } from '../../chain-data/decode/contract-events.ts';
import {
  ALICE,
  address,
  BOB,
  type LogContents,
  logOf,
  TOKEN,
  word,
  ZERO,
} from '../../chain-data/decode/raw-blocks.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { createFakeNode, type Said } from '../fetch/fake-node.ts';
import { answersOf, makeBlock, type NodeBlockJson } from '../fetch/node-chain.ts';
import { followAll, followerOf, inTime } from './indexed-chain.ts';
import { type JsonTransaction, jsonBlock } from './json-chain.ts';
import { contradictionsOf } from './sound-index.ts';

const { erc20, erc721, single, batch, consecutive } = TOKEN_EVENTS;
const MAX_UINT = 2n ** 256n - 1n;
const KIB = 1_024;

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

const bytes = (length: number, seed: number): Hex =>
  `0x${Buffer.from(Array.from({ length }, (_, index) => (index * 31 + seed) % 256)).toString('hex')}`;

/** An index of a chain with an empty block, one block of these transactions, and another empty one. */
async function indexed(
  transactions: readonly JsonTransaction[],
  answer?: (to: string, data: string) => Said,
) {
  return indexedChain([makeBlock(0, 0), jsonBlock(1, transactions), makeBlock(2, 0)], answer);
}

async function indexedChain(chain: readonly NodeBlockJson[], answer?: (to: string, data: string) => Said) {
  const usual = answersOf(chain);
  const node = createFakeNode((call) => {
    if (call.params[0] === 'latest') return { result: chain.at(-1)?.block };
    if (call.method !== 'eth_call' || answer === undefined) return usual(call);
    const [{ to, data }] = call.params as [{ to: string; data: string }];
    return answer(to, data);
  });
  const parts = await followerOf(node, database);
  expect(await followAll(parts)).toEqual(['began', 'appended', 'idle']);
  expect(await contradictionsOf(database.postgres.superuser, parts.schema)).toEqual([]);
  const query = async (sql: string) =>
    (await database.reader.query(sql.replaceAll('{schema}', parts.schema))).rows;
  return { ...parts, node, query };
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

  test('blocks with 5,000 transactions and with none', async () => {
    const chain = [makeBlock(0, 0), makeBlock(1, 5_000), makeBlock(2, 0), makeBlock(3, 1)];
    const { query } = await indexedChain(chain);
    expect(await query('SELECT number, tx_count, log_count FROM {schema}.blocks ORDER BY 1')).toEqual(
      [0, 5_000, 0, 1].map((count, number) => ({ number, tx_count: count, log_count: count })),
    );
    expect(await query('SELECT count(*) AS count FROM {schema}.traces')).toEqual([{ count: 10_002 }]);
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
      await query(`SELECT token_id::text AS id, amount::text AS amount FROM {schema}.nft_owners ORDER BY 1`),
    ).toEqual([
      { id: '1', amount: '8' },
      { id: '2', amount: '9' },
    ]);
  });

  test('of three and of four topics from one contract are each what they are', async () => {
    const logs = [logOf(erc20, TOKEN, [ALICE, BOB, 5n]), logOf(erc721, TOKEN, [ALICE, BOB, 9n])];
    const { query } = await indexed([{ logs }]);
    expect(await query('SELECT amount::text AS amount FROM {schema}.erc20_transfers')).toEqual([
      { amount: '5' },
    ]);
    expect(await query('SELECT token_id::text AS id FROM {schema}.nft_transfers')).toEqual([{ id: '9' }]);
    expect(await query('SELECT standard, transfer_count FROM {schema}.tokens')).toEqual([
      { standard: 721, transfer_count: 2 },
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

  test('logs of ranges make a block no larger than memory holds', async () => {
    const ranges: LogContents[] = Array.from({ length: 30 }, (_, index) =>
      logOf(consecutive, TOKEN, [BigInt(index) * 5_000n, BigInt(index) * 5_000n + 4_999n, ZERO, BOB]),
    );
    const { query } = await indexed([{ logs: [...ranges, logOf(erc721, TOKEN, [ALICE, BOB, MAX_UINT])] }]);
    expect(await query('SELECT count(*) AS count FROM {schema}.nft_transfers')).toEqual([{ count: 100_001 }]);
    expect(await query('SELECT count(*) AS logs FROM {schema}.logs')).toEqual([{ logs: 31 }]);
    expect(ranges[0]?.topics[0]).toBe(TOPICS.consecutiveTransfer);
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
    ['text with quotes, backslashes and braces', text(Buffer.from('{"\\a\',}').toString('hex')), '{"\\a\',}'],
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
    const patient = createRetryingClient({ node, clock: { now: () => 0 }, wait: async () => undefined });
    const parts = { chain: connectionTo(database.writer, schema), node: patient };
    expect(await describeTokens(parts, 25, inTime())).toBe(1);
    expect(await describeTokens(parts, 25, inTime())).toBe(0);
    expect(await query('SELECT name, symbol, decimals, metadata_status FROM {schema}.tokens')).toEqual([
      { name: null, symbol, decimals: null, metadata_status: symbol === null ? 'absent' : 'partial' },
    ]);
  });
});
