/** Lists of an address with very much: each page has its bound, cursors lead to the end, and nothing is lost or comes twice. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MAX_EXAMINED_ROWS } from '../../lambdas/data/plan/scan.ts';
import { address, type SeededChain, startSeededChain } from './seeded-chain.ts';

/** Transfers of nothing, and the one of something behind them. */
const ZEROS = 1_000_000;
const ZEROS_OF_INSERT = 100_000;
const ZEROS_OF_BLOCK = 4_000;
const POISONED = address('d0');
const TOKENS = 100_000;
const HOLDER = address('a1');
const NATIVE = address('0');
/** Logs that others made in the form of Permit2's, and the one approval behind them. */
const JUNK = 10_000;
const OWNER = address('a11ce');
const PERMIT2_TOPIC = 'da9fa7c1b00402c17d0161b249b1ab8bbec047c5a52207b9c112deffd817036b';
const APPROVAL_TOPIC = '8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';

const bytes = (hex: string) => `'\\x${hex.replace('0x', '')}'::bytea`;
const word = (value: string) => bytes(BigInt(value).toString(16).padStart(64, '0'));
const number = (n: string, length: number) => `decode(lpad(to_hex(${n}), ${2 * length}, '0'), 'hex')`;

let chain: SeededChain;

beforeAll(async () => {
  chain = await startSeededChain();
  const moved = (amount: number, block: string, log: string, rows: string) =>
    chain.insert(`INSERT INTO {schema}.erc20_transfers
      (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
    SELECT ${block}, ${log}, 0, ${number('n', 32)}, '2026-01-01', ${bytes(address('70'))}, ${bytes(address('b0b'))},
      ${bytes(POISONED)}, ${amount}, 'transfer' FROM ${rows} AS n`);
  await moved(5, '299', '0', 'generate_series(1, 1)');
  for (let from = 0; from < ZEROS; from += ZEROS_OF_INSERT)
    await moved(
      0,
      `300 + n / ${ZEROS_OF_BLOCK}`,
      `n % ${ZEROS_OF_BLOCK}`,
      `generate_series(${from}, ${from + ZEROS_OF_INSERT - 1})`,
    );
  await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (1, 300, '\\x00', now(), now())`);
  await chain.insert(`INSERT INTO {schema}.coverage VALUES ('balances', '{[0,301)}')`);
  await chain.insert(`INSERT INTO {schema}.balances
    SELECT ${bytes(HOLDER)}, ${number('n', 20)}, n, 'ledger', 'verified', 300, 1 FROM generate_series(1, ${TOKENS}) AS n`);
  const logged = (emitter: string, topics: string, block: string, rows: string) =>
    chain.insert(`INSERT INTO {schema}.logs (block_number, log_index, tx_index, tx_hash, block_time, address,
      topic0, topic1, topic2, topic3, data, data_size)
    SELECT ${block}, n % 1000, 0, ${number('n', 32)}, '2026-01-01', ${bytes(emitter)}, ${topics}, ${word('9')}, 32 FROM ${rows} AS n`);
  const places = (topic0: string, topic3: string) =>
    `${bytes(topic0)}, ${word(OWNER)}, ${word(address('51'))}, ${topic3}`;
  await logged(address('70'), places(APPROVAL_TOPIC, 'NULL'), '299', 'generate_series(1, 1)');
  await logged(
    address('bad'),
    places(PERMIT2_TOPIC, word(address('52'))),
    '300 + n / 1000',
    `generate_series(0, ${JUNK - 1})`,
  );
});

afterAll(() => chain?.close());

/** All pages of a list: its rows, how many pages there are, and the most rows that one of them read. */
async function allPages(path: string, options: Parameters<SeededChain['get']>[1] = {}) {
  const rows: Record<string, unknown>[] = [];
  let [cursor, pages, most] = ['', 0, 0];
  do {
    const { statusCode, json } = await chain.get(`${path}${cursor}`, options);
    expect({ path, statusCode, error: json.error }).toEqual({ path, statusCode: 200, error: undefined });
    rows.push(...json.data);
    pages += 1;
    most = Math.max(most, Number(json.meta.rows_read));
    cursor = json.next_cursor === undefined ? '' : `&cursor=${json.next_cursor}`;
  } while (cursor !== '');
  return { rows, pages, most };
}

test.each(['activity?exclude_zero=true', 'activity?min_amount=1', 'transfers?exclude_zero=true'])(
  '%s of an address that was sent nothing a million times ends, page after bounded page, with the one thing that it was sent',
  async (list) => {
    const { rows, pages, most } = await allPages(`/addresses/${POISONED}/${list}&finality=latest`);
    expect(rows).toMatchObject([{ block_number: 299, amount: '5' }]);
    expect(pages).toBe(Math.ceil((ZEROS + 1) / MAX_EXAMINED_ROWS));
    expect(most).toBeLessThanOrEqual(MAX_EXAMINED_ROWS + 1);
  },
);

test('balances of an address with 100,000 tokens come whole, the native coin once and first', async () => {
  const readBalance = async () => '7';
  const { rows, pages } = await allPages(`/addresses/${HOLDER}/balances?native=true&limit=500`, {
    readBalance,
  });
  expect([rows.length, pages]).toEqual([TOKENS + 1, Math.ceil((TOKENS + 1) / 500)]);
  expect(rows[0]).toMatchObject({ token: NATIVE, balance: '7' });
  expect(new Set(rows.map(({ token }) => token)).size).toBe(TOKENS + 1);
});

test('an approval is found behind 10,000 logs that others made in the form of one, by pages that are bounded', async () => {
  const { rows, pages, most } = await allPages(`/addresses/${OWNER}/approvals?finality=latest`);
  expect(rows).toMatchObject([{ block_number: 299, kind: 'approval', token: address('70') }]);
  expect([pages, most]).toEqual([Math.ceil((JUNK + 1) / MAX_EXAMINED_ROWS), MAX_EXAMINED_ROWS + 1]);
});
