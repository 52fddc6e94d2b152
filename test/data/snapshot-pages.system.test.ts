import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkContract } from '../api/contract.ts';
import { address, type SeededChain, startSeededChain } from './seeded-chain.ts';

const TOKEN = address('70');
const HOLDERS = `/tokens/${TOKEN}/holders?limit=2`;
const HOLDER = address('a1');

let chain: SeededChain;

beforeAll(async () => {
  chain = await startSeededChain();
  await chain.insert(`INSERT INTO {schema}.coverage VALUES ('balances', '{[0,301)}')`);
  await completeSnapshot(1);
  // Six holders of a token. The first one holds three tokens.
  await chain.insert(`INSERT INTO {schema}.balances
    SELECT decode(lpad('a' || n, 40, '0'), 'hex'), decode(lpad('70', 40, '0'), 'hex'), n * 10, 'ledger', 'verified', 300, 1
    FROM generate_series(1, 6) AS n`);
  await chain.insert(`INSERT INTO {schema}.balances
    SELECT decode(lpad('a1', 40, '0'), 'hex'), decode(lpad('7' || n, 40, '0'), 'hex'), 5, 'ledger', 'verified', 300, 1
    FROM generate_series(1, 2) AS n`);
});

afterAll(() => chain?.close());

async function completeSnapshot(id: number): Promise<void> {
  await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (${id}, 300, '\\x00', now(), '2026-01-0${id}T00:00:00Z')`);
}

const holdersOf = (rows: readonly Record<string, unknown>[]) =>
  rows.map(({ holder }) => String(holder).slice(-2));

test('pages of one snapshot go on while the next is under way', async () => {
  await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time)
    VALUES (2, 310, '\\x00', now())`);
  const first = await chain.get(HOLDERS);
  expect(holdersOf(first.json.data)).toEqual(['a6', 'a5']);
  const second = await chain.get(`${HOLDERS}&cursor=${first.json.next_cursor}`);
  expect(holdersOf(second.json.data)).toEqual(['a4', 'a3']);
  const third = await chain.get(`${HOLDERS}&cursor=${second.json.next_cursor}`);
  expect(holdersOf(third.json.data)).toEqual(['a2', 'a1']);
  expect(third.json.next_cursor).toBeUndefined();
  await chain.insert('DELETE FROM {schema}.balance_snapshots WHERE snapshot_id = 2');
});

test('a newer snapshot ends them, and they begin anew', async () => {
  const balances = `/addresses/${HOLDER}/balances?limit=2`;
  const [holders, held] = [await chain.get(HOLDERS), await chain.get(balances)];
  await completeSnapshot(2);
  // The holder that was first is now last, and the others move up.
  await chain.insert(`UPDATE {schema}.balances SET amount = 1, snapshot_id = 2 WHERE amount = 60`);
  const charged = chain.charged();
  for (const [operation, path, { json }] of [
    ['listTokenHolders', HOLDERS, holders],
    ['listAddressBalances', balances, held],
  ] as const) {
    const {
      statusCode,
      json: refused,
      body,
      headers,
    } = await chain.get(`${path}&cursor=${json.next_cursor}`);
    expect([statusCode, refused.error]).toEqual([
      409,
      {
        code: 'snapshot_replaced',
        message: 'a newer balances snapshot is complete: start again without the cursor',
      },
    ]);
    expect(headers?.['X-CU-Billed']).toBe('0');
    checkContract(operation, { status: 409, contentType: 'application/json', body: String(body) });
  }
  expect(chain.charged()).toBe(charged);
  expect(holdersOf((await chain.get(HOLDERS)).json.data)).toEqual(['a5', 'a4']);
});

test('an answer that a client has is told again when only its snapshot is another', async () => {
  const path = `/addresses/${HOLDER}/balances`;
  const { headers } = await chain.get(path);
  const ifNoneMatch = String(headers?.ETag);
  expect((await chain.get(path, { ifNoneMatch })).statusCode).toBe(304);
  await completeSnapshot(3);
  const newer = await chain.get(path, { ifNoneMatch });
  expect([newer.statusCode, newer.json.meta?.refreshed_at]).toEqual([200, '2026-01-03T00:00:00Z']);
});
