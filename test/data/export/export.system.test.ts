/** Exports: CSV, JSON lines and Parquet. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ExportPage, exportList, type Span } from '../../../lambdas/data/export/export-list.ts';
import type { ExportEnd, TextFormat } from '../../../lambdas/data/export/format.ts';
import { parquetFile } from '../../../lambdas/data/export/parquet-file.ts';
import { renderRows } from '../../../lambdas/data/export/render-rows.ts';
import { textFile } from '../../../lambdas/data/export-response.ts';
import { type DataOperationId, OPERATIONS } from '../../../lambdas/data/operations/operations.ts';
import type { Failure } from '../../../lambdas/data/response/failure.ts';
import { address, type SeededChain, startSeededChain } from '../seeded-chain.ts';
import { readParquet } from './read-parquet.ts';

describe('exports', () => {
  const TOKEN = address('70');
  /** More than some statements tell. */
  const TRANSFERS = 9_800;
  const LIST = `/tokens/${TOKEN}/transfers?order=asc`;
  const PAGE = 500;

  let chain: SeededChain;

  beforeAll(async () => {
    chain = await startSeededChain();
    await chain.insert(`INSERT INTO {schema}.erc20_transfers
        (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
    SELECT 100 + n / 100, n % 100, 0, decode(lpad(to_hex(n), 64, '0'), 'hex'), '2026-01-01', decode(lpad('70', 40, '0'), 'hex'),
      decode(lpad('a1', 40, '0'), 'hex'), decode(lpad('b2', 40, '0'), 'hex'), n * 1e30, 'transfer'
    FROM generate_series(0, ${TRANSFERS - 1}) AS n`);
    await chain.insert(`UPDATE {schema}.tokens SET symbol = 'a "quoted", text', decimals = 18`);
  });

  afterAll(() => chain?.close());

  /** Everything that a request is answered, and what it cost. */
  async function file(path: string) {
    const [charged, drawn] = [chain.charged(), chain.drawn()];
    const bills: unknown[] = [];
    const response = await chain.get(path, { onFileEnd: (bill) => bills.push(bill) });
    const pieces: string[] = [];
    for await (const piece of response.file?.stream ?? []) pieces.push(String(piece));
    return {
      ...response,
      pieces,
      bills,
      text: pieces.join(''),
      charged: chain.charged() - charged,
      drawn: chain.drawn() - drawn,
    };
  }

  /** The rows of a file of JSON lines, and its last line. */
  function linesOf(text: string): { rows: Record<string, unknown>[]; end: ExportEnd | undefined } {
    const lines = text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const last = lines.at(-1);
    const isEnd = last !== undefined && Object.keys(last).join() === 'end';
    return { rows: isEnd ? lines.slice(0, -1) : lines, end: isEnd ? (last.end as ExportEnd) : undefined };
  }

  /** Rows as texts, which are compared in no time. */
  function textsOf(rows: readonly Record<string, unknown>[]): string[] {
    return rows.map((row) => JSON.stringify(row));
  }

  /** Records of a file of CSV as RFC 4180 has them; what is not quoted is null if there is nothing of it. */
  function recordsOf(text: string): (string | null)[][] {
    const records: (string | null)[][] = [];
    let record: (string | null)[] = [];
    for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
      record.push(quoted?.replaceAll('""', '"') ?? (plain === '' ? null : (plain ?? null)));
      if (end === ',') continue;
      records.push(record);
      record = [];
    }
    return records;
  }

  async function allPages(path: string): Promise<Record<string, unknown>[]> {
    const rows: Record<string, unknown>[] = [];
    for (let cursor = ''; ; ) {
      const { json } = await chain.get(`${path}&limit=${PAGE}${cursor}`);
      rows.push(...json.data);
      if (json.next_cursor === undefined) return rows;
      cursor = `&cursor=${json.next_cursor}`;
    }
  }

  describe('an export', () => {
    test('of lines of JSON has every row of the pages, and says at the end that it is whole', async () => {
      const { statusCode, headers, text, pieces, bills, charged } = await file(`${LIST}&format=ndjson`);
      const { rows, end } = linesOf(text);
      expect([statusCode, headers['Content-Type']]).toEqual([200, 'application/x-ndjson']);
      expect(textsOf(rows)).toEqual(textsOf(await allPages(LIST)));
      const billed = 10 + Math.ceil((TRANSFERS - 100) / 20);
      expect(end).toEqual({
        complete: true,
        rows: TRANSFERS,
        billed_cu: billed,
        // This meter has no lanes.
        charges: [],
        meta: { as_of_block: 600, finalized_block: 344, coverage: 'full', refreshed_at: expect.any(String) },
      });
      expect(charged).toBe(billed);
      expect(bills).toEqual([{ billedCu: billed, lane: undefined }]);
      expect(pieces.length).toBeGreaterThan(2);
    });

    test('of CSV has the same, with names first, nothing for null and a comment at the end', async () => {
      const path = `${LIST}&include=token`;
      const { headers, text } = await file(`${path}&format=csv`);
      expect(headers['Content-Type']).toBe('text/csv; charset=utf-8');
      const at = text.lastIndexOf('\r\n#') + 2;
      const [names, ...records] = recordsOf(text.slice(0, at));
      const rows = await allPages(path);
      expect(names).toEqual(Object.keys(rows[0] ?? {}));
      expect(records.map((record) => JSON.stringify(record))).toEqual(
        rows.map((row) =>
          JSON.stringify(Object.values(row).map((value) => (value === null ? null : String(value)))),
        ),
      );
      expect(JSON.parse(text.slice(at + 2))).toMatchObject({ complete: true, rows: TRANSFERS });
    });

    test('that its client leaves bills each page that was handed over once, and reads one further one at most', async () => {
      const before = chain.charged();
      const statements = chain.statements().length;
      const { file } = await chain.get(`${LIST}&format=ndjson`);
      const first = await file?.stream.next();
      const rows = linesOf(String(first?.value)).rows.length;
      await file?.stream.return();
      expect(chain.charged() - before).toBe(10 + Math.ceil((rows - 100) / 20));
      expect(chain.statements()).toHaveLength(statements + 2);
      expect(linesOf(String(first?.value)).end).toBeUndefined();
    });

    test('that no client reads is not billed', async () => {
      const before = chain.charged();
      await chain.get(`${LIST}&format=ndjson`);
      expect(chain.charged()).toBe(before);
    });

    test('of an empty list has its last line alone', async () => {
      const none = `/addresses/${address('dead')}/transfers?format=`;
      expect(linesOf((await file(`${none}ndjson`)).text)).toMatchObject({
        rows: [],
        end: { complete: true, rows: 0 },
      });
      expect((await file(`${none}csv`)).text).toMatch(/^# \{.*\}\r\n$/);
    });

    test('is refused as a page is, before anything is sent', async () => {
      for (const [path, status] of [
        [`/tokens/${address('ffff')}/transfers?format=csv`, 404],
        ['/blocks?format=csv&from_block=500', 409],
        ['/blocks?format=xlsx', 400],
        ['/blocks?format=csv&limit=10', 400],
        ['/tokens?format=csv&search=a', 400],
        ['/blocks/5?format=csv', 400],
      ] as const) {
        const { statusCode, file } = await chain.get(path);
        expect([path, statusCode, file]).toEqual([path, status, undefined]);
      }
    });

    test('is there for every list that has pages', () => {
      const lists = (Object.keys(OPERATIONS) as DataOperationId[]).filter((id) => OPERATIONS[id].paged);
      for (const parameter of ['format', 'trailer', 'max_rows']) {
        const exported = lists.filter((id) =>
          OPERATIONS[id].parameters.some(({ name }) => name === parameter),
        );
        expect([parameter, exported]).toEqual([parameter, lists]);
      }
    });
  });

  test('whatever texts a row has, a file has them again', async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc
        .array(fc.integer({ min: 1, max: 0x7f }), { maxLength: 5 })
        .map((codes) => String.fromCharCode(...codes)),
      fc.constantFrom(
        '',
        ' ',
        '"',
        '""',
        '\\',
        '\\"',
        '\n',
        '",\n',
        ',',
        '()',
        '\r\n',
        '#',
        '=1+1',
        't',
        'null',
        '🦊',
      ),
    );
    // As JSON tells it: without -0.
    const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    const row = fc.tuple(fc.integer({ min: 0 }), texts, fc.option(texts), fc.option(fc.boolean()), json);
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
        const sent = rows.map(([n, a, b, flag, list]) => ({ n, a, b, flag, list: [list].slice(0, n % 2) }));
        const names = Object.keys(sent[0] ?? {});
        const query = `SELECT string_agg(row::text, chr(10)) AS pack FROM (SELECT n, a, b, flag, list FROM
        json_to_recordset((:rows)::json) AS t (n bigint, a text, b text, flag boolean, list json)) AS row`;
        const [packed] = (await chain.database.reader.query(query, { rows: JSON.stringify(sent) })).rows;
        const kinds = { n: 'integer', flag: 'boolean', list: 'json' } as const;
        const file = { names, packs: [String(packed?.pack)], kinds, isJson: false };
        expect(linesOf(renderRows('ndjson', file, true)).rows).toEqual(sent);
        expect(recordsOf(renderRows('csv', { ...file, isRaw: true }, true))).toEqual([
          names,
          ...sent.map(({ n, a, b, flag, list }) => [
            String(n),
            a,
            b,
            flag === null ? null : String(flag),
            JSON.stringify(list),
          ]),
        ]);
      }),
      { numRuns: 60 },
    );
  });

  const FAILURE: Failure = {
    statusCode: 429,
    code: 'rate_limited',
    message: 'rate limit exceeded',
    retryAfterMs: 1_250.5,
  };

  /** A list of numbers, told by pages; the cursor of a page is the first number behind it. */
  function numbers(count: number, pageRows: number) {
    let [reading, most] = [0, 0];
    const page = (from: number, rows: number): ExportPage => {
      const last = Math.min(from + rows, count);
      const lines = Array.from({ length: last - from }, (_, index) => `(${from + index})`);
      const meta = { as_of: 1, finalized: 1, refreshed_at: '' } as ExportPage['response']['meta'];
      const packs = lines.length === 0 ? [] : [lines.join('\n')];
      const bytes = lines.reduce((sum, line) => sum + line.length, 0);
      const response = { names: ['n'], packs, coverage: 'full', rows: lines.length, bytes, meta } as const;
      return { response, nextCursor: last < count ? String(last) : undefined };
    };
    return {
      first: (from: number) => page(from, pageRows),
      most: () => most,
      readPage: async ({ cursor, size: { rows } }: Span) => {
        reading += 1;
        most = Math.max(most, reading);
        await Promise.resolve();
        reading -= 1;
        return page(Number(cursor), Math.min(rows, pageRows));
      },
    };
  }

  /** What writes numbers. */
  function numbersFile(format: TextFormat) {
    return textFile({ format, columns: [{ name: 'n', kind: 'integer' }] });
  }

  describe('a file that ends early', () => {
    test('goes on where it ended, whatever ended it, with no row lost or repeated and each billed once', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: 5_000 }),
          fc.integer({ min: 1, max: 900 }),
          fc.integer({ min: 1, max: 3_000 }),
          fc.integer({ min: 200, max: 40_000 }),
          fc.integer({ min: 1, max: 20 }),
          async (count, pageRows, maxRows, maxBytes, pagesUntilFailure) => {
            const list = numbers(count, pageRows);
            const told: unknown[] = [];
            let from = 0;
            for (;;) {
              let [charged, pages] = [0, 0];
              const charges: string[] = [];
              const bills: unknown[] = [];
              let text = '';
              const sent = { bytes: 0 };
              const lines = exportList({
                writer: numbersFile('ndjson'),
                sent,
                first: list.first(from),
                readPage: async (span) => {
                  pages += 1;
                  return pages < pagesUntilFailure ? list.readPage(span) : FAILURE;
                },
                maxRows,
                priceOf: ({ rows }) => 10 + rows,
                charge: async (cu) => {
                  charged += cu;
                  const lane = `lane;n=${charges.length + 1};total=${charged}`;
                  charges.push(`${lane} ${cu}`);
                  return { cu, lane };
                },
                clock: { now: () => 0 },
                endsAt: 1,
                maxSentBytes: maxBytes,
                onEnd: (bill) => bills.push(bill),
              });
              for await (const piece of lines) {
                expect(bills).toEqual([]);
                text += piece;
                sent.bytes += piece.length;
              }
              const { rows, end } = linesOf(text);
              told.push(...rows.map(({ n }) => n));
              expect(end).toMatchObject({ rows: rows.length, billed_cu: charged, charges });
              const lane = charges.at(-1)?.split(' ')[0];
              expect(bills).toEqual([{ billedCu: charged, lane }]);
              expect(charged).toBe(10 + rows.length);
              expect(end?.complete).toBe(end?.next_cursor === undefined);
              if (end?.next_cursor === undefined) break;
              expect(rows.length).toBeGreaterThan(0);
              expect(rows.length).toBeLessThanOrEqual(Math.max(maxRows, pageRows));
              from = Number(end.next_cursor);
            }
            expect(told).toEqual(Array.from({ length: count }, (_, index) => index));
            expect(list.most()).toBeLessThanOrEqual(1);
          },
        ),
        { numRuns: 100 },
      );
    });

    test('by the time that it has says so, and what failed is told', async () => {
      const list = numbers(10_000, 500);
      const parts = {
        sent: { bytes: 0 },
        first: list.first(0),
        readPage: list.readPage,
        maxRows: 1_000_000,
        priceOf: ({ rows }: { readonly rows: number }) => rows,
        charge: async (cu: number) => ({ cu, lane: undefined }),
        endsAt: 2,
      } as const;
      let now = 0;
      const late: string[] = [];
      for await (const piece of exportList({
        ...parts,
        writer: numbersFile('csv'),
        clock: { now: () => now },
      })) {
        late.push(String(piece));
        if (late.length === 2) now = parts.endsAt;
      }
      expect(late.at(-1)).toMatch(/^# \{"complete":false,"rows":1000,.*"next_cursor":"1000"/);
      const failed = await textOf(
        exportList({
          ...parts,
          writer: numbersFile('csv'),
          clock: { now: () => 0 },
          readPage: async () => FAILURE,
        }),
      );
      expect(failed.split('\r\n').at(-2)).toContain(
        '"next_cursor":"500","error":{"code":"rate_limited","message":"rate limit exceeded","retry_after_ms":1251}',
      );
      expect(list.most()).toBe(1);
    });

    test('by what Lambda can send of it in the time that it has says so', async () => {
      const sent = { bytes: 0 };
      const lines = exportList({
        writer: numbersFile('ndjson'),
        sent,
        first: numbers(5_000, 500).first(0),
        readPage: numbers(5_000, 500).readPage,
        maxRows: 1_000_000,
        priceOf: ({ rows }) => rows,
        charge: async (cu: number) => ({ cu, lane: undefined }),
        clock: { now: () => 0 },
        endsAt: 10_000,
      });
      let text = '';
      for await (const piece of lines) {
        text += piece;
        // 6 MB at once, and two more in each second.
        sent.bytes += 13_000_001;
      }
      expect(linesOf(text).end).toMatchObject({ complete: false, rows: 1_000, next_cursor: '1000' });
    });
  });

  test('a file of many pages reads one ahead of those that its client has taken, and no further one', async () => {
    const pages = 300;
    const list = numbers(pages * 500, 500);
    let [reads, ahead] = [0, 0];
    const lines = exportList({
      writer: numbersFile('ndjson'),
      sent: { bytes: 0 },
      first: list.first(0),
      readPage: (span) => {
        reads += 1;
        return list.readPage(span);
      },
      maxRows: 1_000_000,
      priceOf: ({ rows }) => rows,
      charge: async (cu: number) => ({ cu, lane: undefined }),
      clock: { now: () => 0 },
      endsAt: 1,
    });
    let taken = 0;
    for await (const _ of lines) {
      taken += 1;
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      ahead = Math.max(ahead, reads + 1 - taken);
    }
    expect(taken).toBeGreaterThan(pages);
    expect([ahead, list.most()]).toEqual([1, 1]);
  });

  async function textOf(lines: AsyncIterable<string | Uint8Array>): Promise<string> {
    let text = '';
    for await (const piece of lines) text += piece;
    return text;
  }
});

describe('exports as Parquet', () => {
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
      const trailers = ['trailer=none', 'trailer=none&format=parquet', 'trailer=all&format=csv'];
      for (const asked of [...trailers, 'csv=raw', 'csv=raw&format=ndjson', 'csv=all&format=csv'])
        expect((await chain.get(`/blocks?${asked}`)).statusCode).toBe(400);
    });
  });
});
