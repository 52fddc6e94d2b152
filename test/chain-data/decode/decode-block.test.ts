import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { toHex } from 'viem';
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import { columnParts, LOAD_COLUMNS, TABLE_COLUMNS } from '../../../lambdas/chain-data/decode/load-columns.ts';
import { TOPICS } from '../../../lambdas/chain-data/decode/topics.ts';
import { repetitions } from '../../support/at-length.ts';
import {
  ALICE,
  BOB,
  blockOfLogs,
  decodeLogs,
  PLAIN,
  rawBlock,
  rawTransaction,
  TOKEN,
  word,
} from './raw-blocks.ts';

const MIGRATIONS = join(import.meta.dirname, '../../../database/migrations');

interface Migrated {
  readonly type: string;
  readonly isNullable: boolean;
  /** Whether a row must say it. */
  readonly required: boolean;
}

/** Columns of the tables that migrations make. */
function migratedColumns(): Map<string, Map<string, Migrated>> {
  const sql = readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => readFileSync(join(MIGRATIONS, file), 'utf8'))
    .join('\n');
  const tables = sql.matchAll(/CREATE TABLE \{\{schema\}\}\.(\w+) \(\n(.*?)\n\)/gs);
  return new Map(
    Array.from(tables, ([, table = '', body = '']) => {
      const columns = body.matchAll(/^ {2}([a-z]\w*) (\w+(?:\[\])?)(.*)$/gm);
      return [
        table,
        new Map(
          Array.from(columns, ([, name = '', type = '', rest = '']) => {
            const isNullable = !/NOT NULL|PRIMARY KEY/.test(rest);
            return [name, { type, isNullable, required: !isNullable && !rest.includes('DEFAULT') }];
          }),
        ),
      ];
    }),
  );
}

test.each(Object.entries(LOAD_COLUMNS))('the columns of %s are those of its table', (table, columns) => {
  const migrated = migratedColumns().get(table) ?? new Map<string, Migrated>();
  for (const [name, type] of Object.entries(columns))
    expect([name, migrated.get(name)?.type]).toEqual([name, type]);
  for (const [name, spec] of Object.entries(TABLE_COLUMNS[table as keyof typeof TABLE_COLUMNS]))
    expect([name, columnParts(spec as Parameters<typeof columnParts>[0]).isNullable]).toEqual([
      name,
      migrated.get(name)?.isNullable,
    ]);
  const required = Array.from(migrated).filter(([, column]) => column.required);
  expect(Object.keys(columns)).toEqual(expect.arrayContaining(required.map(([name]) => name)));
});

test('rows have the members that they are loaded with', () => {
  const rows = decodeBlock(
    {
      ...blockOfLogs([{ address: TOKEN, topics: [TOPICS.transfer, word(1), word(2)], data: word(3) }]),
      ...LAYER_2,
    },
    PLAIN,
  );
  const members = (row: object | undefined) => Object.keys(row ?? {}).sort();
  expect(members(rows.block)).toEqual(members(LOAD_COLUMNS.blocks));
  for (const table of ['transactions', 'logs', 'erc20_transfers'] as const)
    expect(members(rows[table][0])).toEqual(members(LOAD_COLUMNS[table]));
});

const LAYER_2 = { l1BlockNumber: 20_000_000, sendCount: 5, sendRoot: word(8), extra: { mixHash: word(9) } };

test('a block of a layer 2, with a transaction of its own kind', () => {
  const base = rawTransaction(0, {
    type: 105,
    requestId: word(4),
    extra: { maxRefund: '0x1' },
    input: '0xabcdef0123',
  });
  const receipt = { ...base.receipt, gasUsedForL1: 500n, l1BlockNumber: 20_000_000 };
  const rows = decodeBlock(rawBlock([{ ...base, receipt }], LAYER_2), PLAIN);
  expect(rows.block).toMatchObject({
    number: 7,
    time: '2023-11-14T22:13:20.000Z',
    tx_count: 1,
    log_count: 0,
    l1_block_number: 20_000_000,
    send_count: 5,
    send_root: word(8),
    extra: JSON.stringify({ mixHash: word(9) }),
  });
  expect(rows.transactions).toMatchObject([
    {
      type: 105,
      gas_used_for_l1: 500n,
      l1_block_number: 20_000_000,
      method_id: '0xabcdef01',
      request_id: word(4),
      extra: '{"maxRefund":"0x1"}',
      from_address: ALICE,
      to_address: BOB,
    },
  ]);
});

test('calldata of 120 KB and a log of 64 KB are kept whole, in pieces', () => {
  const input = toHex(Uint8Array.from({ length: 120 * 1_024 }, (_, index) => index % 251));
  const data = toHex(Uint8Array.from({ length: 64 * 1_024 }, (_, index) => index % 241));
  const base = rawTransaction(0, { input });
  const receipt = { ...base.receipt, logs: [{ logIndex: 0, address: TOKEN, topics: [], data }] };
  const { transactions, logs, data_pieces } = decodeBlock(rawBlock([{ ...base, receipt }]), PLAIN);
  const joined = (kind: string, head: string | undefined) =>
    data_pieces
      .filter((piece) => piece.kind === kind)
      .reduce((whole, { data: more }) => whole + more.slice(2), head);
  expect(transactions[0]).toMatchObject({ input_size: 120 * 1_024 });
  expect(joined('tx_input', transactions[0]?.input)).toBe(input);
  expect(logs[0]).toMatchObject({ data_size: 64 * 1_024 });
  expect(joined('log_data', logs[0]?.data)).toBe(data);
  expect(Math.max(...data_pieces.map((piece) => piece.data.length / 2 - 1))).toBe(24_576);
});

test('a block without transactions', () => {
  const { block, ...rows } = decodeBlock(rawBlock([]), PLAIN);
  expect(block.tx_count).toBe(0);
  expect(Object.values(rows).flat()).toEqual([null]);
});

test('no log throws: it is decoded, or undecodable, or nothing that is known', () => {
  const topic0 = fc.constantFrom(...Object.values(TOPICS));
  const anyWord = fc.oneof(
    fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => toHex(bytes)),
    fc.nat({ max: 400 }).map(word),
    fc.constant(word(-1)),
  );
  const tail = fc.uint8Array({ maxLength: 40 }).map((bytes) => toHex(bytes).slice(2));
  const data = fc
    .tuple(fc.array(anyWord, { maxLength: 12 }), tail)
    .map(([words, rest]) => `0x${words.map((one) => one.slice(2)).join('')}${rest}` as const);
  const topics = fc
    .tuple(topic0, fc.array(anyWord, { maxLength: 3 }))
    .map(([first, rest]) => [first, ...rest]);
  const options = { wrappedNative: new Set([TOKEN]) };
  fc.assert(
    fc.property(topics, data, (someTopics, someData) => {
      const rows = decodeLogs([{ address: TOKEN, topics: someTopics, data: someData }], options);
      expect(rows.logs).toHaveLength(1);
      const values = [...rows.erc20_transfers, ...rows.nft_transfers].map(({ amount }) => amount);
      expect(values.filter((amount) => amount < 0n || amount >= 2n ** 256n)).toEqual([]);
      if (rows.undecodable_logs.length > 0) expect(values).toEqual([]);
    }),
    { numRuns: repetitions(3_000) },
  );
});
