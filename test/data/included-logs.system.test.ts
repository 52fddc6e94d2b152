import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type SeededChain, startSeededChain } from './seeded-chain.ts';

const LONG_DATA_BYTES = 16_384;
const MANY = 501;
const LONG = 33;

let chain: SeededChain;

beforeAll(async () => {
  chain = await startSeededChain();
});

afterAll(() => chain?.close());

const hashOf = (block: number) => `0x${block.toString(16).padStart(64, '0')}`;

/** A transaction, alone in its block, with logs of so many bytes of data. */
async function transactionWith(block: number, logs: number, bytes: number): Promise<string> {
  const hash = `'\\x${hashOf(block).slice(2)}'::bytea`;
  const address = `decode(repeat('05', 20), 'hex')`;
  await chain.insert(`INSERT INTO {schema}.transactions
      (block_number, tx_index, hash, block_hash, block_time, type, from_address, nonce, value, gas, gas_used,
       cumulative_gas_used, log_count, input, input_size)
    VALUES (${block}, 0, ${hash}, ${hash}, now(), 2, ${address}, 0, 0, 0, 0, 0, ${logs}, '\\x', 0)`);
  await chain.insert(`INSERT INTO {schema}.logs
        (block_number, log_index, tx_index, tx_hash, block_time, address, topic0, topic1, topic2, topic3, data, data_size)
    SELECT ${block}, n, 0, ${hash}, now(), ${address}, NULL, NULL, NULL, NULL, decode(repeat('ff', ${bytes}), 'hex'), ${bytes}
    FROM generate_series(0, ${logs - 1}) AS n`);
  return hashOf(block);
}

interface WithLogs {
  readonly logs: readonly { readonly log_index: number }[];
  readonly logs_truncated: boolean;
}

async function included(hash: string): Promise<WithLogs> {
  const { statusCode, json } = await chain.get(`/transactions/${hash}?include_logs=true`);
  expect({ statusCode, error: json.error }).toEqual({ statusCode: 200, error: undefined });
  return json.data as unknown as WithLogs;
}

const indexes = ({ logs }: WithLogs) => logs.map(({ log_index }) => log_index);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

test('all logs come along with their transaction, and the answer says so', async () => {
  const found = await included(await transactionWith(100, MANY - 1, 32));
  expect(found.logs_truncated).toBe(false);
  expect(indexes(found)).toEqual(upTo(MANY - 1));
  const without = await included(await transactionWith(101, 0, 0));
  expect(without).toMatchObject({ logs: [], logs_truncated: false });
});

test('of more than 500 logs the first 500 come along, and the answer says that others do not', async () => {
  const found = await included(await transactionWith(110, MANY, 32));
  expect(found.logs_truncated).toBe(true);
  expect(indexes(found)).toEqual(upTo(MANY - 1));
});

test('of long logs as many come along as an answer has room for', async () => {
  const hash = await transactionWith(120, LONG, LONG_DATA_BYTES);
  const found = await included(hash);
  expect(found.logs_truncated).toBe(true);
  expect(indexes(found)).toEqual(upTo(found.logs.length));
  expect(found.logs.length).toBeGreaterThan(10);
  const all = await chain.get(`/transactions/${hash}/logs`);
  expect(all.json.data[0]).toEqual(found.logs[0]);
});

test('a transaction without its logs says nothing of them', async () => {
  const { json } = await chain.get(`/transactions/${await transactionWith(130, 1, 32)}`);
  expect(json.data).not.toHaveProperty('logs');
  expect(json.data).not.toHaveProperty('logs_truncated');
});
