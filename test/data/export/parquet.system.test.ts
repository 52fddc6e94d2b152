import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ExportEnd } from '../../../lambdas/data/export/format.ts';
import { parquetFile } from '../../../lambdas/data/export/parquet-file.ts';
import { address, type SeededChain, startSeededChain } from '../seeded-chain.ts';
import { readParquet } from './read-parquet.ts';

const TOKEN = address('70');
/** More than a row group has, and than a statement tells. */
const TRANSFERS = 6_200;
const LIST = `/tokens/${TOKEN}/transfers?order=asc`;
const MOST = 2n ** 256n - 1n;
const END: ExportEnd = {
  complete: true,
  rows: 0,
  billed_cu: 0,
  charges: [],
  meta: { as_of_block: 1, finalized_block: 1, coverage: 'full', refreshed_at: '' },
};

let chain: SeededChain;

beforeAll(async () => {
  chain = await startSeededChain();
  await chain.insert(`INSERT INTO {schema}.erc20_transfers
        (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
    SELECT 100 + n / 100, n % 100, 0, decode(lpad(to_hex(n), 64, '0'), 'hex'), '2026-01-01T00:00:00.5Z', decode(lpad('70', 40, '0'), 'hex'),
      decode(lpad('a1', 40, '0'), 'hex'), decode(lpad('b2', 40, '0'), 'hex'), ${MOST} - n, 'transfer'
    FROM generate_series(0, ${TRANSFERS - 1}) AS n`);
  await chain.insert(`UPDATE {schema}.tokens SET symbol = 'a "quoted", text', decimals = 18`);
});

afterAll(() => chain?.close());

async function file(path: string) {
  const charged = chain.charged();
  const response = await chain.get(path);
  const pieces: (string | Uint8Array)[] = [];
  for await (const piece of response.file?.stream ?? []) pieces.push(piece);
  return { ...response, pieces, text: pieces.join(''), charged: chain.charged() - charged };
}

/** Rows as JSON has them, from those of Parquet. */
function plain(rows: readonly Record<string, unknown>[]): unknown[] {
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        if (typeof value === 'bigint') return [name, Number(value)];
        return [name, value instanceof Date ? value.toISOString().replace('.000Z', 'Z') : value];
      }),
    ),
  );
}

describe('an export as Parquet', () => {
  test('has the rows of the other formats in row groups, for the same price, and tells in its metadata that it is whole', async () => {
    const path = `${LIST}&include=token&finality=latest`;
    const lines = await file(`${path}&format=ndjson`);
    const { headers, pieces, charged } = await file(`${path}&format=parquet`);
    const read = await readParquet(pieces);
    const rows = lines.text.trimEnd().split('\n').slice(0, -1);
    expect(headers['Content-Type']).toBe('application/vnd.apache.parquet');
    expect(plain(read.rows).map((row) => JSON.stringify(row).replace('.500Z', '.5Z'))).toEqual(
      rows.map((row) => row.replace('.500Z', '.5Z')),
    );
    expect(read.groups).toEqual([5_000, TRANSFERS - 5_000]);
    expect(charged).toBe(lines.charged);
    expect(read.metadata).toEqual({
      complete: 'true',
      rows: String(TRANSFERS),
      billed_cu: String(charged),
      charges: '[]',
      as_of_block: '600',
      finalized_block: '344',
      coverage: 'full',
      refreshed_at: expect.any(String),
    });
    expect(pieces.length).toBeGreaterThan(2);
  });

  test('has types that lose nothing: texts for 256 bits, whole numbers, moments', async () => {
    const { columns, rows } = await readParquet((await file(`${LIST}&format=parquet&max_rows=1`)).pieces);
    expect(Object.fromEntries(columns)).toMatchObject({
      amount: 'UTF8',
      transaction_hash: 'UTF8',
      block_number: 'INT64',
      timestamp: 'TIMESTAMP_MILLIS',
    });
    expect(rows[0]?.amount).toBe(String(MOST));
  });

  test.each(['', '&include=token', '&finality=latest', '&include=token&finality=latest'])(
    'without rows opens and has the same columns, %s',
    async (asked) => {
      const some = await readParquet((await file(`${LIST}&format=parquet&max_rows=1${asked}`)).pieces);
      const none = await file(`/addresses/${address('dead')}/transfers?format=parquet${asked}`);
      const read = await readParquet(none.pieces);
      expect(read.rows).toEqual([]);
      expect(read.metadata).toMatchObject({ complete: 'true', rows: '0' });
      // Those of an address say which way each went.
      expect(read.columns.filter(([name]) => name !== 'direction')).toEqual(some.columns);
    },
  );

  test('that ends early says where it goes on; one that was cut opens nowhere', async () => {
    const first = await file(`${LIST}&format=parquet&max_rows=6100`);
    const { rows, metadata } = await readParquet(first.pieces);
    expect([rows.length, metadata.complete]).toEqual([6_100, 'false']);
    const rest = await file(`${LIST}&format=parquet&cursor=${metadata.next_cursor}`);
    expect((await readParquet(rest.pieces)).rows).toHaveLength(TRANSFERS - 6_100);
    await expect(readParquet(first.pieces.slice(0, -1))).rejects.toThrow();
  });

  test('of rows that come as JSON, and of lists and objects, has their JSON', async () => {
    const read = await readParquet((await file('/blocks?format=parquet&max_rows=3')).pieces);
    const { json } = await chain.get('/blocks?limit=3');
    expect(read.rows.map(({ extra, number }) => [JSON.parse(String(extra)), Number(number)])).toEqual(
      json.data.map(({ extra, number }) => [extra, number]),
    );
    const writer = parquetFile(
      [{ name: 'a' }, { name: 'n', kind: 'integer' }, { name: 'l', kind: 'json' }],
      true,
    );
    const begun = writer.rows(
      ['a', 'n', 'l'],
      ['{"a":"x\\ny","n":7,"l":["0x1"]}\n{"a":null,"n":null,"l":null}'],
    );
    const { rows } = await readParquet([begun, writer.end(END)]);
    expect(rows).toEqual([
      { a: 'x\ny', n: 7n, l: '["0x1"]' },
      { a: null, n: null, l: null },
    ]);
  });

  test('has whole numbers that JSON quotes, so that no reader rounds them; those that may exceed 64 bits are texts', async () => {
    const writer = parquetFile([
      { name: 'nonce', kind: 'integer' },
      { name: 'gas', kind: 'integer', isWide: true },
    ]);
    const begun = writer.rows(['nonce', 'gas'], [`("""${2n ** 63n - 1n}""","""${MOST}""")\n(7,21000)`]);
    expect((await readParquet([begun, writer.end(END)])).rows).toEqual([
      { nonce: 2n ** 63n - 1n, gas: String(MOST) },
      { nonce: 7n, gas: '21000' },
    ]);
  });

  test('keeps four megabytes of rows at most, however long they are', async () => {
    const writer = parquetFile([{ name: 'data' }]);
    const pack = Array.from({ length: 10 }, () => `(0x${'ab'.repeat(30_000)})`).join('\n');
    const pieces = Array.from({ length: 20 }, () => writer.rows(['data'], [pack]));
    const { groups, rows } = await readParquet([...pieces, writer.end(END)]);
    expect(rows).toHaveLength(200);
    expect(Math.max(...groups)).toBe(67);
    // The last of them is all that was kept until the end.
    expect(pieces.filter((piece) => piece.length > 0).length).toBeGreaterThan(2);
  });
});

describe('trailer=none', () => {
  test('leaves rows alone, for the same price', async () => {
    for (const format of ['csv', 'ndjson']) {
      const whole = await file(`${LIST}&format=${format}`);
      const bare = await file(`${LIST}&format=${format}&trailer=none`);
      expect(whole.text.slice(0, bare.text.length)).toBe(bare.text);
      expect(whole.text.slice(bare.text.length)).toMatch(/^(# \{|\{"end":).*\r?\n$/);
      expect(bare.charged).toBe(whole.charged);
    }
  });

  test('has names of columns in CSV without rows, and nothing in JSON lines', async () => {
    const none = `/addresses/${address('dead')}/transfers?trailer=none&format=`;
    const names = (await file(`${LIST}&format=csv&max_rows=1`)).text.split('\r\n')[0];
    const [header, ...rest] = (await file(`${none}csv`)).text.split('\r\n');
    expect(header?.replace(',direction', '')).toBe(names);
    expect(rest).toEqual(['']);
    expect((await file(`${none}ndjson`)).text).toBe('');
  });

  test('goes with lines alone', async () => {
    for (const asked of ['trailer=none', 'trailer=none&format=parquet', 'trailer=all&format=csv'])
      expect((await chain.get(`/blocks?${asked}`)).statusCode).toBe(400);
  });
});
