import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createExportPlaces, PLACE_MS } from '../../lambdas/data/export/export-places.ts';
import type { ExportEnd } from '../../lambdas/data/export/format.ts';
import { computeUnitsOf, paidBytes } from '../../lambdas/data/plan/price.ts';
import type { Queries } from '../../lambdas/shared/chain-database/chain-database.ts';
import { memoryWaitingStore } from '../support/memory/waiting-store.ts';
import { address, CHAIN, type SeededChain, startSeededChain } from './seeded-chain.ts';

/** A contract that has emitted nothing but long logs, and as many short ones between them of another. */
const LOGS = 2_200;
const KEPT_BYTES = 16_384;
const LONG = address('e1');
const MIXED = address('e2');
const LOG_PRICE = { computeUnits: 20, isPerItem: false };
/** More than a log of this contract takes as JSON. */
const ROW_BYTES = 2 * KEPT_BYTES + 600;
const TRANSACTION = `0x${'7'.repeat(64)}`;

let chain: SeededChain;

beforeAll(async () => {
  chain = await startSeededChain();
  // Stored out of line, as incompressible values are: only a read of the value reads its pages.
  await chain.database.admin.query(`ALTER TABLE "${CHAIN}".logs_r0 ALTER data SET STORAGE EXTERNAL`);
  const insert = (count: number, values: string) =>
    chain.insert(`INSERT INTO {schema}.logs
      (block_number, log_index, tx_index, tx_hash, block_time, address, topic0, data, data_size)
      SELECT ${values} FROM generate_series(0, ${count - 1}) AS n`);
  const place = (block: string) => `${block}, n, 0, decode(repeat('77', 32), 'hex'), '2026-01-01'`;
  const of = (contract: string) => `decode('${contract.slice(2)}', 'hex'), decode(repeat('01', 32), 'hex')`;
  const data = `decode(repeat(md5(n::text), ${KEPT_BYTES / 16}), 'hex')`;
  await insert(LOGS, `${place('50')}, ${of(LONG)}, ${data}, ${KEPT_BYTES}`);
  // Of a megabyte, the first 16 KiB are kept.
  await insert(
    40,
    `${place('60')}, ${of(MIXED)}, CASE WHEN n % 4 = 0 THEN ${data} ELSE '\\x07' END, CASE WHEN n % 4 = 0 THEN 1000000 ELSE 1 END`,
  );
  await chain.insert(`INSERT INTO {schema}.transactions
      (block_number, tx_index, hash, block_hash, block_time, type, from_address, nonce, value, gas, gas_used, cumulative_gas_used, log_count, input, input_size)
    VALUES (50, 0, decode(repeat('77', 32), 'hex'), decode(lpad(to_hex(50), 64, '0'), 'hex'), '2026-01-01', 2, decode(repeat('0a', 20), 'hex'), 0, 0, 1, 1, 1, ${LOGS}, '\\x', 0)`);
  await chain.database.admin.query(`ANALYZE "${CHAIN}".logs`);
});

afterAll(() => chain?.close());

interface Row {
  readonly log_index: number;
  readonly data: string;
}

async function fileOf(path: string, options: Parameters<SeededChain['get']>[1] = {}) {
  const charged = chain.charged();
  const response = await chain.get(path, options);
  let text = '';
  for await (const piece of response.file?.stream ?? []) text += piece;
  const lines = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const { end } = (lines.pop() ?? {}) as { readonly end?: ExportEnd };
  return { ...response, text, rows: lines as Row[], end, charged: chain.charged() - charged };
}

/** Pages of PostgreSQL's files that the statement of a request reads, at its one execution. */
async function pagesRead(path: string): Promise<number> {
  let read = Number.NaN;
  const explaining: Queries = {
    query: async (sql, parameters) => {
      const { rows } = await chain.database.reader.query(
        `EXPLAIN (ANALYZE, BUFFERS, TIMING off, FORMAT JSON) ${sql}`,
        parameters,
      );
      const [{ Plan: plan }] = JSON.parse(String(Object.values(rows[0] ?? {})[0]));
      read = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      expect([path, plan['Temp Written Blocks']]).toEqual([path, 0]);
      return chain.database.reader.query(sql, parameters);
    },
  };
  await chain.get(path, { database: explaining });
  return read;
}

describe('pages and files of long rows', () => {
  test('read the long values of those rows alone that they tell', async () => {
    const short = await pagesRead(`/logs?address=${LONG}&limit=1&order=asc`);
    for (const [query, bytes] of [
      ['limit=50', paidBytes(50)],
      ['limit=500', paidBytes(500)],
      ['format=ndjson', paidBytes(500)],
      [`format=csv`, paidBytes(500)],
    ] as const) {
      const pages = await pagesRead(`/logs?address=${LONG}&order=asc&${query}`);
      // Nine pages of the file of long values for each, and the three of its index.
      const longRows = Math.ceil(bytes / (2 * KEPT_BYTES));
      expect([query, pages <= short + 12 * longRows + 200]).toEqual([query, true]);
    }
  });

  test('have as many bytes as their price pays for, and are billed for them', async () => {
    for (const limit of [1, 50, 100, 120, 500]) {
      const path = `/logs?address=${LONG}&limit=${limit}&order=asc`;
      const drawn = chain.drawn();
      const { json, headers } = await chain.get(path);
      const bytes = Buffer.byteLength(JSON.stringify(json.data));
      expect(bytes).toBeLessThanOrEqual(paidBytes(limit) + 1);
      const isFull = json.data.length === limit || bytes + ROW_BYTES > paidBytes(limit);
      expect([limit, isFull]).toEqual([limit, true]);
      const price = computeUnitsOf(LOG_PRICE, { rows: limit, bytes: 0 });
      expect([chain.drawn() - drawn, headers['X-CU-Cost']]).toEqual([price, String(price)]);
      expect(Number(headers['X-CU-Billed'])).toBeLessThanOrEqual(price);
      if (limit === 500) expect(Number(headers['X-CU-Billed'])).toBeGreaterThanOrEqual(price - 2);
    }
  });

  test('tell each row once, by pages and by the files that go on where the one before ended', async () => {
    const expected = Array.from({ length: LOGS }, (_, index) => index);
    const paged: number[] = [];
    for (let cursor = ''; paged.length < LOGS / 10; ) {
      const { json } = await chain.get(`/logs?address=${LONG}&order=asc&limit=500${cursor}`);
      paged.push(...json.data.map(({ log_index }) => Number(log_index)));
      cursor = `&cursor=${json.next_cursor}`;
    }
    expect(paged).toEqual(expected.slice(0, paged.length));
    const filed: number[] = [];
    let calls = 0;
    for (let cursor = ''; ; ) {
      const { statusCode, rows, end, charged } = await fileOf(
        `/logs?address=${LONG}&order=asc&format=ndjson&max_rows=20000${cursor}`,
      );
      calls += 1;
      expect([statusCode, end?.error, end?.billed_cu]).toEqual([200, undefined, charged]);
      filed.push(...rows.map(({ log_index }) => log_index));
      if (end?.complete !== false) break;
      cursor = `&cursor=${end.next_cursor}`;
    }
    expect(filed).toEqual(expected);
    expect(calls).toBeGreaterThan(2);
  });

  test('with a byte beside a megabyte have all of them, cut where they are longer than what is kept', async () => {
    const { json } = await chain.get(`/logs?address=${MIXED}&limit=500&order=asc`);
    const { rows } = await fileOf(`/logs?address=${MIXED}&order=asc&format=ndjson`);
    expect(rows).toEqual(json.data);
    expect(
      json.data.map(({ data, data_size, data_truncated }) => [
        String(data).length,
        data_size,
        data_truncated,
      ]),
    ).toEqual(
      Array.from({ length: 40 }, (_, n) =>
        n % 4 === 0 ? [2 + 2 * KEPT_BYTES, 1_000_000, true] : [4, 1, false],
      ),
    );
    const { json: small } = await chain.get(`/logs?address=${MIXED}&order=asc`);
    expect([small.data.length < 40, small.next_cursor]).toEqual([true, expect.any(String)]);
  });

  test('of CSV are those of JSON', async () => {
    const response = await chain.get(`/logs?address=${MIXED}&order=asc&format=csv`);
    let text = '';
    for await (const piece of response.file?.stream ?? []) text += piece;
    const [names, ...lines] = text.split('\r\n').slice(0, -2);
    const { rows } = await fileOf(`/logs?address=${MIXED}&order=asc&format=ndjson`);
    expect(names).toBe(Object.keys(rows[0] ?? {}).join(','));
    expect(lines).toEqual(
      rows.map((row) =>
        Object.values(row)
          .map((value) => {
            const told = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
            return told.includes('"') ? `"${told.replaceAll('"', '""')}"` : told;
          })
          .join(','),
      ),
    );
  });

  test('within a transaction are cut and priced as a page of them', async () => {
    const drawn = chain.drawn();
    const { json, headers } = await chain.get(`/transactions/${TRANSACTION}?include_logs=true`);
    const logs = json.data.logs as Row[];
    expect(json.data.logs_truncated).toBe(true);
    expect(logs.map(({ log_index }) => log_index)).toEqual([...logs.keys()]);
    expect(Buffer.byteLength(JSON.stringify(logs))).toBeLessThanOrEqual(paidBytes(500));
    expect([logs.length > 10, headers['X-CU-Billed'], chain.drawn() - drawn]).toEqual([true, '25', 25]);
    const plain = await chain.get(`/transactions/${TRANSACTION}`);
    expect([plain.headers['X-CU-Cost'], plain.headers['X-CU-Billed']]).toEqual(['5', '5']);
  });
});

describe('the most rows of a file', () => {
  const list = `/logs?address=${LONG}&order=asc&format=ndjson`;

  test.each([1, 2, 100, 150, 1_000])('%i bound its rows, its bytes and its price', async (maxRows) => {
    const { rows, end, headers, charged } = await fileOf(`${list}&max_rows=${maxRows}`);
    const most = computeUnitsOf(LOG_PRICE, { rows: maxRows, bytes: 0 });
    expect(headers['X-CU-Max']).toBe(String(most));
    expect(charged).toBeLessThanOrEqual(most);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThanOrEqual(maxRows);
    expect(end).toMatchObject({ complete: false, rows: rows.length, next_cursor: expect.any(String) });
    expect(rows.length * 2 * KEPT_BYTES).toBeLessThanOrEqual(paidBytes(maxRows));
  });

  test('of short rows are exactly so many, and none more is drawn for', async () => {
    for (const maxRows of [1, 99, 499, 500, 501]) {
      const { rows, end, headers } = await fileOf(`/blocks?to_block=344&format=ndjson&max_rows=${maxRows}`);
      expect([rows.length, end?.complete]).toEqual([Math.min(maxRows, 345), maxRows >= 345]);
      expect(headers['X-CU-Max']).toBe(
        String(computeUnitsOf({ computeUnits: 10, isPerItem: false }, { rows: maxRows, bytes: 0 })),
      );
    }
  });

  test.each(['0', '-1', '1.5', 'many', '', '1000001', '1'.repeat(400), '1&max_rows=2'])(
    'are never %s: 400 and nothing is drawn',
    async (text) => {
      const [drawn, statements] = [chain.drawn(), chain.statements().length];
      const { statusCode, json } = await chain.get(`${list}&max_rows=${text}`);
      expect([statusCode, json.error?.code]).toEqual([400, 'bad_request']);
      expect(json.error?.message).toMatch(/max_rows must be/);
      expect([chain.drawn(), chain.statements().length]).toEqual([drawn, statements]);
    },
  );

  test('go with a file, and the limit with a page', async () => {
    for (const query of ['max_rows=10', 'format=csv&limit=10']) {
      const { statusCode, json } = await chain.get(`/logs?address=${LONG}&${query}`);
      expect([statusCode, json.error?.message]).toEqual([400, expect.stringContaining('max_rows')]);
    }
  });

  test('may be others when a file goes on', async () => {
    const first = await fileOf(`${list}&max_rows=200`);
    const second = await fileOf(`${list}&max_rows=300&cursor=${first.end?.next_cursor}`);
    expect(second.rows[0]?.log_index).toBe(first.rows.length);
  });
});

describe('what a key has under way', () => {
  /** A statement that takes so long as the test wants, as another one of the key. */
  async function running(keyId: string, seat: number): Promise<() => Promise<void>> {
    const client = new pg.Client(chain.database.postgres.superuser);
    await client.connect();
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('query of ${keyId}', ${seat}))`);
    return () => client.end();
  }

  test('are so many statements: 429 beyond them, drawn and not billed, nothing is read, and others do not notice', async () => {
    const limits = { queriesPerKey: 2, exportsPerKey: 1 };
    const ends = [await running('k', 1), await running('k', 2)];
    try {
      for (const path of [
        '/blocks/5',
        `/logs?address=${LONG}`,
        `/logs?address=${LONG}&format=csv`,
        '/status/freshness',
      ]) {
        const [charged, drawn] = [chain.charged(), chain.drawn()];
        const { statusCode, json, headers, file } = await chain.get(path, { limits });
        expect([
          path,
          statusCode,
          json.error?.code,
          headers['Retry-After'],
          headers['X-CU-Billed'],
          file,
        ]).toEqual([path, 429, 'too_many_queries', '1', '0', undefined]);
        expect([chain.charged() - charged, chain.drawn() > drawn]).toEqual([0, true]);
      }
      expect((await chain.get('/blocks/5', { limits, keyId: 'another' })).statusCode).toBe(200);
      expect((await chain.get('/blocks/5', { limits: { ...limits, queriesPerKey: 3 } })).statusCode).toBe(
        200,
      );
      await ends.pop()?.();
      expect((await chain.get('/blocks/5', { limits })).statusCode).toBe(200);
    } finally {
      for (const end of ends) await end();
    }
  });

  test('are so many exports of 200 at once, and those that are cut or over give their places back', async () => {
    const limits = { queriesPerKey: 8, exportsPerKey: 4 };
    const clock = { now: () => 1_000 };
    const exportPlaces = createExportPlaces(limits, memoryWaitingStore(clock, PLACE_MS), clock);
    const ask = (keyId = 'k') =>
      chain.get(`/logs?address=${LONG}&format=ndjson&max_rows=2000`, { limits, exportPlaces, keyId });
    const responses = await Promise.all(Array.from({ length: 200 }, () => ask()));
    const begun = responses.filter(({ statusCode }) => statusCode === 200);
    const refused = responses.filter(({ statusCode }) => statusCode !== 200);
    expect([begun.length, refused.length]).toEqual([4, 196]);
    for (const { statusCode, json, headers } of refused)
      expect([
        statusCode,
        json.error?.code,
        Number(headers['Retry-After']) >= 1,
        headers['X-CU-Billed'],
      ]).toEqual([429, 'too_many_exports', true, '0']);
    const other = await chain.get('/blocks/5', { limits, exportPlaces });
    const others = await ask('another');
    expect([other.statusCode, others.statusCode]).toEqual([200, 200]);
    // One is read to its end, one is cut within, one is not read at all.
    const [whole, cut] = begun;
    const pieces: string[] = [];
    for await (const piece of whole?.file?.stream ?? []) pieces.push(String(piece));
    const charged = chain.charged();
    await cut?.file?.stream.next();
    await cut?.file?.stream.return();
    expect(chain.charged() - charged).toBeLessThanOrEqual(computeUnitsOf(LOG_PRICE, { rows: 500, bytes: 0 }));
    const again = await Promise.all([ask(), ask(), ask()]);
    expect(again.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 429]);
  });
});
