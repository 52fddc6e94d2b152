/** The Data API as a client meets it, and rows of any length. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { createExportPlaces, PLACE_MS } from '../../lambdas/data/export/export-places.ts';
import type { ExportEnd } from '../../lambdas/data/export/format.ts';
import { OPERATIONS } from '../../lambdas/data/operations/operations.ts';
import { computeUnitsOf, paidBytes } from '../../lambdas/data/plan/price.ts';
import { migrate } from '../../lambdas/migrate/migrate.ts';
import { rotate } from '../../lambdas/migrate/rotate.ts';
import type { Queries } from '../../lambdas/shared/chain-database/chain-database.ts';
import {
  DatabaseError,
  DatabaseResumingError,
  DatabaseUnavailableError,
  StatementTimeoutError,
} from '../../lambdas/shared/chain-database/database-error.ts';
import { startDataApiEndpoint } from '../../local/database/data-api-endpoint.ts';
import { CREDENTIALS, connectAs } from '../database/migrated-database.ts';
import { ACCESS_KEY_ID } from '../local/access-key.ts';
import { CLUSTER_ARN, SECRET_ARNS } from '../local/database/test-database.ts';
import { memoryWaitingStore } from '../support/memory/waiting-store.ts';
import { address, CHAIN, FINALIZED, HEAD, type SeededChain, startSeededChain } from './seeded-chain.ts';

const SECRET_MEMORY_MS = 5 * 60_000;

describe('long rows', () => {
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
              const told =
                typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
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
      await client.query(
        `BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('query of ${keyId}', ${seat}))`,
      );
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
      expect(chain.charged() - charged).toBeLessThanOrEqual(
        computeUnitsOf(LOG_PRICE, { rows: 500, bytes: 0 }),
      );
      const again = await Promise.all([ask(), ask(), ask()]);
      expect(again.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 429]);
    });
  });
});

describe('the Data API', () => {
  let chain: SeededChain;

  beforeAll(async () => {
    chain = await startSeededChain();
  });

  afterAll(() => chain?.close());

  const failing = (error: Error) => ({ database: { query: () => Promise.reject(error) } });

  async function expectFailure(path: string, status: number, code: string, options = {}): Promise<string> {
    const before = chain.charged();
    const { statusCode, json, headers } = await chain.get(path, options);
    expect({ statusCode, keys: Object.keys(json), code: json.error?.code }).toEqual({
      statusCode: status,
      keys: ['error'],
      code,
    });
    expect(Object.keys(json.error ?? {})).toEqual(['code', 'message']);
    expect(headers?.['X-CU-Billed']).toBe('0');
    expect(chain.charged()).toBe(before);
    return json.error?.message ?? '';
  }

  describe('a block', () => {
    test('is answered, charged and kept by its client for ever', async () => {
      const before = chain.charged();
      const { statusCode, json, headers } = await chain.get('/blocks/12');
      expect(statusCode).toBe(200);
      const word = (digits: string) => `0x${digits.padStart(64, '0')}`;
      expect(json.data).toMatchObject({
        number: 12,
        hash: word('c'),
        parent_hash: word('b'),
        timestamp: '2026-01-01T00:02:00Z',
        gas_limit: 30_000_000,
        gas_used: 21_000,
        base_fee_per_gas: '7',
      });
      expect(json.meta).toEqual({
        as_of_block: HEAD,
        finalized_block: FINALIZED,
        coverage: 'full',
        refreshed_at: expect.stringMatching(/^\d{4}-.*Z$/),
        rows_read: 1,
        query_ms: expect.any(Number),
      });
      expect(json).not.toHaveProperty('next_cursor');
      expect(chain.charged()).toBe(before + 5);
      expect(headers).toMatchObject({
        'Cache-Control': 'private, max-age=31536000, immutable',
        'X-CU-Billed': '5',
      });
      const again = await chain.get('/blocks/12', { ifNoneMatch: String(headers?.ETag) });
      expect(again).toMatchObject({
        statusCode: 304,
        body: '',
        headers: { 'X-CU-Billed': '1', 'X-CU-Cost': '5' },
      });
      expect(chain.charged()).toBe(before + 5 + 1);
    });

    test('above the finalized one is refused, also one that does not exist', async () => {
      for (const number of [FINALIZED + 1, HEAD, HEAD + 1, Number.MAX_SAFE_INTEGER - 1])
        expect(await expectFailure(`/blocks/${number}`, 409, 'finality_exceeded')).toMatch(
          new RegExp(`^block ${number} is above finalized_block ${FINALIZED}(;|$)`),
        );
      expect((await chain.get(`/blocks/${FINALIZED}`)).statusCode).toBe(200);
    });

    test('above the finalized one names `finality=latest` where that answers, and only there: not above the head', async () => {
      const way = `; add finality=latest to read up to as_of_block ${HEAD}`;
      const hash = `0x${HEAD.toString(16).padStart(64, '0')}`;
      for (const path of [`/blocks/${HEAD}`, `/blocks-by-hash/${hash}`, `/blocks?to_block=${HEAD}`]) {
        expect(await expectFailure(path, 409, 'finality_exceeded')).toBe(
          `block ${HEAD} is above finalized_block ${FINALIZED}${way}`,
        );
        const latest = `${path}${path.includes('?') ? '&' : '?'}finality=latest`;
        expect((await chain.get(latest)).statusCode).toBe(200);
      }
      expect(await expectFailure(`/blocks/${HEAD + 1}`, 409, 'finality_exceeded')).toBe(
        `block ${HEAD + 1} is above finalized_block ${FINALIZED}`,
      );
    });

    test('has any run of digits for its number: 409 above `finalized_block`, never 400', async () => {
      const runs = fc.bigInt({ min: BigInt(FINALIZED) + 1n, max: 10n ** 400n }).map(String);
      const beyond = ['9007199254740991', '9007199254740992', '9223372036854775808', '9'.repeat(700)];
      for (const number of [...beyond, ...fc.sample(runs, 10)])
        for (const below of ['', '/transactions'])
          await expectFailure(`/blocks/${number}${below}`, 409, 'finality_exceeded');
      await expectFailure(`/blocks?to_block=${beyond[1]}`, 409, 'finality_exceeded');
      expect((await chain.get('/blocks/0012')).json.data.number).toBe(12);
      for (const number of ['', '-1', '1.5', '1e3', '0x10', '٣'])
        await expectFailure(`/blocks/${encodeURIComponent(number)}/transactions`, 400, 'bad_request');
    });

    test('without a live row is not found', async () => {
      await chain.insert('DELETE FROM {schema}.blocks WHERE number = 20');
      await expectFailure('/blocks/20', 404, 'not_found');
      await expectFailure('/blocks/20/transactions', 404, 'not_found');
    });

    test('is found by its hash and by a time, if it is final', async () => {
      const hash = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;
      expect((await chain.get(`/blocks-by-hash/${hash(30)}`)).json.data.number).toBe(30);
      await expectFailure(`/blocks-by-hash/${hash(FINALIZED + 1)}`, 409, 'finality_exceeded');
      await expectFailure(`/blocks-by-hash/${hash(7_777)}`, 404, 'not_found');
      const at = (time: string) => chain.get(`/blocks-by-time/${time}`).then(({ json }) => json.data.number);
      expect(await at('2026-01-01T00:01:05Z')).toBe(6);
      expect(await at('2026-01-01T00:01:05Z?side=after')).toBe(7);
      await expectFailure('/blocks-by-time/2025-12-31T00:00:00Z', 404, 'not_found');
      await expectFailure('/blocks-by-time/2027-01-01T00:00:00Z', 409, 'finality_exceeded');
    });
  });

  describe('a window', () => {
    const list = (query: string) => chain.get(`/blocks?limit=500&order=asc&${query}`);
    const numbers = async (query: string) => (await list(query)).json.data.map(({ number }) => number);

    test('ends at the finalized block, and includes both of its ends', async () => {
      expect((await numbers('from_block=340')).at(-1)).toBe(FINALIZED);
      expect(await numbers('from_block=5&to_block=7')).toEqual([5, 6, 7]);
      expect(await numbers('from_time=2026-01-01T00:01:00Z&to_time=2026-01-01T00:01:20Z')).toEqual([6, 7, 8]);
      expect(await numbers('from_time=2026-01-01T00:01:01Z&to_time=2026-01-01T00:01:09Z')).toEqual([]);
    });

    test('above the finalized block is refused, or cut and told to be', async () => {
      await expectFailure(`/blocks?to_block=${FINALIZED + 1}`, 409, 'finality_exceeded');
      await expectFailure(`/blocks?from_block=${FINALIZED + 1}`, 409, 'finality_exceeded');
      await expectFailure('/blocks?to_time=2027-01-01T00:00:00Z', 409, 'finality_exceeded');
      await expectFailure('/blocks?from_time=2027-01-01T00:00:00Z', 409, 'finality_exceeded');
      const cut = await list(`from_block=340&to_block=9999&clamp=true`);
      expect(cut.json.data.map(({ number }) => number)).toEqual([340, 341, 342, 343, 344]);
      expect(cut.json.meta.coverage).toBe('partial');
      expect((await list('from_block=340&to_block=341&clamp=true')).json.meta.coverage).toBe('full');
    });

    test('that was cut says so on every page', async () => {
      const path = '/blocks?from_block=300&to_block=9999&clamp=true&limit=20';
      const first = await chain.get(path);
      const second = await chain.get(`${path}&cursor=${first.json.next_cursor}`);
      expect(second.json.meta.coverage).toBe('partial');
    });

    test('that makes no sense is refused', async () => {
      const wrong = ['from_block=7&to_block=6', 'from_block=1&to_time=2026-01-01T00:00:00Z', 'from_block=-1'];
      for (const query of wrong) await expectFailure(`/blocks?${query}`, 400, 'bad_request');
      await expectFailure(
        '/blocks?from_time=2026-01-02T00:00:00Z&to_time=2026-01-01T00:00:00Z',
        400,
        'bad_request',
      );
    });

    test('of logs is limited, and needs an address or a first topic', async () => {
      await expectFailure('/logs', 400, 'bad_request');
      expect((await chain.get(`/logs?address=${address('1')}`)).statusCode).toBe(200);
    });
  });

  describe('coverage', () => {
    test('tells of what is missing', async () => {
      await chain.insert(
        `UPDATE {schema}.coverage SET covered = int8multirange(int8range(100, 601)) WHERE dataset = 'traces'`,
      );
      await chain.insert(
        `INSERT INTO {schema}._trace_gaps (from_block, to_block, reason) VALUES (0, 99, 'node_pruned')`,
      );
      const traces = (query: string) => `/addresses/${address('1')}/traces?${query}`;
      expect((await chain.get(traces('from_block=100'))).json.meta.coverage).toBe('full');
      expect((await chain.get(traces('from_block=99'))).json.meta.coverage).toBe('partial');
      await expectFailure(traces('to_block=99'), 422, 'no_coverage');
      await expectFailure('/blocks/50/traces', 422, 'no_coverage');
      expect((await chain.get('/blocks/150/traces')).json.data).toEqual([]);
      const { json } = await chain.get('/status/coverage/traces');
      expect(json.data).toEqual([
        { from_block: 0, to_block: 99, state: 'gap', reason: 'node_pruned' },
        { from_block: 100, to_block: 600, state: 'covered', reason: null },
      ]);
    });
  });

  test('what a response has was refreshed when its data set was', async () => {
    await chain.insert(
      `UPDATE {schema}.coverage SET updated_at = '2026-01-03T00:00:00Z' WHERE dataset = 'transactions'`,
    );
    const refreshed = async (path: string) => (await chain.get(path)).json.meta.refreshed_at;
    expect(await refreshed('/transactions')).toBe('2026-01-03T00:00:00Z');
    expect(await refreshed('/status/freshness')).not.toBe('2026-01-03T00:00:00Z');
  });

  describe('what is not there', () => {
    test('has an error of its own', async () => {
      await expectFailure('/nothing', 404, 'not_found');
      await expectFailure(`/transactions/0x${'00'.repeat(32)}`, 404, 'not_found');
      await expectFailure(`/transactions/0x${'00'.repeat(32)}/logs`, 404, 'not_found');
      await expectFailure(`/tokens/${address('1')}`, 404, 'not_found');
      await expectFailure(`/addresses/${address('1')}/balances`, 422, 'dataset_not_installed');
    });

    test('an address without balances has an empty list', async () => {
      await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
      VALUES (1, 300, '\\x00', now(), '2026-01-02T00:00:00Z')`);
      const { statusCode, json } = await chain.get(`/addresses/${address('1')}/balances`);
      expect(statusCode).toBe(200);
      expect(json.data).toEqual([]);
      expect(json.meta.refreshed_at).toBe('2026-01-02T00:00:00Z');
    });

    test('of a chain that was never indexed: a block is 404 not_found, freshness and lists are 422', async () => {
      const without = { database: undefined };
      const unmigrated = failing(
        new DatabaseError('ERROR: relation "x.cursors" does not exist; SQLState: 42P01', undefined),
      );
      const empty = { database: { query: async () => ({ rows: [], updated: 0 }) } };
      for (const options of [without, unmigrated, empty]) {
        expect(await expectFailure('/blocks/5', 404, 'not_found', options)).toBe('block 5 has no live row');
        await expectFailure(`/blocks-by-hash/0x${'00'.repeat(32)}`, 404, 'not_found', options);
        await expectFailure('/status/freshness', 422, 'dataset_not_installed', options);
        await expectFailure('/blocks', 422, 'dataset_not_installed', options);
      }
    });

    test('the freshness view may be missing in an environment', async () => {
      const { json } = await chain.get('/status/freshness');
      expect(json.meta).not.toHaveProperty('rows_read');
      await chain.database.admin.query(`DROP VIEW "${CHAIN}".freshness`);
      await expectFailure('/status/freshness', 422, 'dataset_not_installed');
    });
  });

  describe('the database', () => {
    test('that sleeps or cannot be reached is a 503 that says when to come again', async () => {
      const errors = [
        new DatabaseResumingError('resuming', undefined),
        new DatabaseUnavailableError('gone', undefined),
      ];
      for (const error of errors) {
        await expectFailure('/blocks/1', 503, 'unavailable', failing(error));
        const { headers } = await chain.get('/blocks/1', failing(error));
        expect(Number(headers?.['Retry-After'])).toBeGreaterThanOrEqual(1);
      }
      await expectFailure(
        '/blocks/1',
        500,
        'internal_error',
        failing(new DatabaseError('syntax', undefined)),
      );
    });

    test('that has ended a query which took too long is there: its 503 says what to do, and not to come again', async () => {
      const slow = failing(new StatementTimeoutError('slow', undefined));
      const drawn = chain.drawn();
      expect(await expectFailure('/blocks/1', 503, 'query_timeout', slow)).toMatch(
        /narrower window|lower limit/,
      );
      expect(chain.drawn() - drawn).toBe(5);
      expect((await chain.get('/blocks/1', slow)).headers).not.toHaveProperty('Retry-After');
    });

    test('is asked once, and never for a request that is wrong', async () => {
      const before = chain.statements().length;
      await chain.get('/transfers');
      expect(chain.statements()).toHaveLength(before + 1);
      for (const path of [
        '/blocks/x',
        '/blocks?limit=0',
        '/blocks?cursor=x',
        '/transfers?token=1',
        '/stocks?day=today',
      ])
        await expectFailure(path, 400, 'bad_request');
      expect(chain.statements()).toHaveLength(before + 1);
    });

    test('never sees a word of a parameter as SQL', async () => {
      await chain.get("/tokens?symbol='; DROP TABLE blocks; --");
      expect(chain.statements().at(-1)).not.toContain('DROP');
    });

    test('cursors of another account are refused', async () => {
      const { json } = await chain.get('/blocks?limit=5');
      await expectFailure(`/blocks?limit=5&cursor=${json.next_cursor}`, 400, 'bad_request', {
        account: 'other',
      });
      await expectFailure(`/blocks?limit=5&order=asc&cursor=${json.next_cursor}`, 400, 'bad_request');
      expect((await chain.get(`/blocks?limit=50&cursor=${json.next_cursor}`)).json.data[0]?.number).toBe(
        FINALIZED - 5,
      );
    });
  });

  test('a password that is changed under load fails no request, and one that is changed by hand is a 503 until it is set', async () => {
    const [CLIENTS, ROTATIONS, RESPONSES] = [3, 2, 12];
    const { admin, postgres, secrets } = chain.database;
    // The RDS Data API forgets secrets at once, so that every change comes into use in the midst of the load.
    const dataApi = await startDataApiEndpoint({
      accessKeyId: ACCESS_KEY_ID,
      superuser: postgres.superuser,
      clusters: new Set([CLUSTER_ARN]),
      secrets,
      limits: { secretMemoryMs: 0 },
    });
    const database = connectAs({ dataApi }, 'reader');
    const seen = { served: 0, unavailable: 0, others: [] as number[], slowestMs: 0 };
    let isOver = false;
    const client = async () => {
      while (!isOver) {
        const sentAt = performance.now();
        const { statusCode, headers } = await chain.get('/blocks/12', { database });
        seen.slowestMs = Math.max(seen.slowestMs, performance.now() - sentAt);
        if (statusCode === 200) seen.served += 1;
        else if (statusCode === 503 && headers?.['X-CU-Billed'] === '0') seen.unavailable += 1;
        else seen.others.push(Number(statusCode));
      }
    };
    const further = async (kind: 'served' | 'unavailable') => {
      const enough = seen[kind] + RESPONSES;
      while (seen[kind] < enough && seen.others.length === 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const clients = Array.from({ length: CLIENTS }, client);
    try {
      let now = 1_800_000_000_000;
      const arn = SECRET_ARNS.reader;
      const secret = {
        read: async () => secrets.get(arn) ?? '',
        write: async (text: string) => void secrets.set(arn, text),
      };
      await further('served');
      for (let rotation = 0; rotation < ROTATIONS; rotation += 1) {
        await rotate('reader', { database: admin, secret, clock: { now: () => now } });
        now += SECRET_MEMORY_MS;
        await further('served');
      }
      expect(seen).toMatchObject({ unavailable: 0, others: [] });
      process.stdout.write(
        `rotated ${ROTATIONS} times under load: ${seen.served} answers, none of them 503\n`,
      );

      // A password that no session has: those that are open with another go on.
      const byHand = { username: CREDENTIALS.reader.username, password: 'changed by hand' };
      const setPasswords = (reader: typeof byHand) =>
        migrate(admin, { chains: [], migrations: [], credentials: { ...CREDENTIALS, reader } });
      secrets.set(arn, JSON.stringify(byHand));
      await further('unavailable');
      await setPasswords(byHand);
      await further('served');
      secrets.set(arn, JSON.stringify(CREDENTIALS.reader));
      await setPasswords(CREDENTIALS.reader);
      expect(seen.others).toEqual([]);
      process.stdout.write(
        `a password changed by hand: ${seen.unavailable} times 503 until it was set; slowest answer ${seen.slowestMs.toFixed(0)} ms\n`,
      );
    } finally {
      isOver = true;
      await Promise.all(clients);
      await dataApi.close();
    }
  });

  describe('a window of logs on a chain of many blocks', () => {
    const TOPIC = `0x${'11'.repeat(32)}`;
    const MAX_BLOCKS = OPERATIONS.listLogs.maxWindowBlocks ?? 0;
    const moveHead = (head: number) =>
      chain.insert(`UPDATE {schema}.cursors SET block_number = ${head} WHERE name = 'indexed'`);

    beforeAll(async () => {
      await moveHead(MAX_BLOCKS + HEAD);
      await chain.insert(`INSERT INTO {schema}.logs
          (block_number, log_index, tx_index, tx_hash, block_time, address, topic0, data, data_size)
        SELECT n, 0, 0, '\\x00', now(), '\\x01', '\\x${TOPIC.slice(2)}', '\\x', 0 FROM generate_series(1, 2) AS n`);
    });
    afterAll(() => moveHead(HEAD));

    test('may have as many blocks as the operation says', async () => {
      expect(MAX_BLOCKS).toBe(100_000);
      const { statusCode, json } = await chain.get(
        `/logs?topic0=${TOPIC}&from_block=1&to_block=${MAX_BLOCKS}`,
      );
      expect([statusCode, json.error]).toEqual([200, undefined]);
    });

    test('may not have one more, unless it is to be cut', async () => {
      const wider = `/logs?topic0=${TOPIC}&from_block=1&to_block=${MAX_BLOCKS + 1}`;
      const message = await expectFailure(wider, 409, 'window_too_large');
      expect(message).toBe(`the window is wider than ${MAX_BLOCKS} blocks: narrow it, or set clamp=true`);
      const { statusCode, json } = await chain.get(`${wider}&clamp=true`);
      expect([statusCode, json.meta.coverage]).toEqual([200, 'partial']);
      const newest = await chain.get(`/logs?topic0=${TOPIC}&to_block=${MAX_BLOCKS + 1}`);
      for (const { data } of [json, newest.json])
        expect(data.map(({ block_number }) => block_number)).toEqual([2]);
    });
  });
});
