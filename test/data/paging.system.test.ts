/** Pages of lists: in order, whole, also where blocks are missing or parameters are hostile. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ParameterEntry } from '../../lambdas/data/operations/operation-entry.ts';
import { type DataOperationId, OPERATIONS } from '../../lambdas/data/operations/operations.ts';
import { checkContract } from '../api/contract.ts';
import { anyText } from '../support/any-text.ts';
import { address, CHAIN, FINALIZED, HEAD, type SeededChain, startSeededChain } from './seeded-chain.ts';

describe('paging', () => {
  const ALICE = address('a1');
  const TOKEN = address('70');
  const MAX_PAGES = 200;

  let chain: SeededChain;

  beforeAll(async () => {
    chain = await startSeededChain();
    // Ties in blocks, transfers of Alice to herself, batches, and rows above the finalized block.
    await chain.insert(`INSERT INTO {schema}.erc20_transfers
        (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
    SELECT 300 + n / 4, n % 4 * 2, 0, decode(lpad(to_hex(n), 64, '0'), 'hex'),
      '2026-01-01T00:00:00Z'::timestamptz + (300 + n / 4) * interval '10 seconds',
      decode(lpad(CASE WHEN n % 5 = 0 THEN '71' ELSE '70' END, 40, '0'), 'hex'),
      decode(lpad(CASE WHEN n % 3 = 0 THEN 'a1' ELSE 'b2' END, 40, '0'), 'hex'),
      decode(lpad(CASE WHEN n % 2 = 0 THEN 'a1' ELSE 'c3' END, 40, '0'), 'hex'),
      CASE WHEN n = 7 THEN 2::numeric ^ 255 ELSE n END, 'transfer'
    FROM generate_series(0, 199) AS n`);
    await chain.insert(`INSERT INTO {schema}.nft_transfers
        (block_number, log_index, batch_index, tx_index, tx_hash, block_time, standard, token, token_id, from_address, to_address,
         operator, amount, kind)
    SELECT 310 + n / 6, 1 + n % 6 / 2 * 2, n % 2, 0, decode(lpad(to_hex(n), 64, '0'), 'hex'),
      '2026-01-01T00:00:00Z'::timestamptz + (310 + n / 6) * interval '10 seconds',
      CASE WHEN n % 3 = 0 THEN 721 ELSE 1155 END, decode(lpad('90', 40, '0'), 'hex'), n,
      decode(lpad('a1', 40, '0'), 'hex'), decode(lpad(CASE WHEN n % 4 = 0 THEN 'a1' ELSE 'd4' END, 40, '0'), 'hex'),
      NULL, 1, 'transfer'
    FROM generate_series(0, 59) AS n`);
  });

  afterAll(() => chain?.close());

  interface Place {
    readonly block_number: number;
    readonly log_index: number;
    readonly batch_index: number;
  }

  const placeOf = ({ block_number, log_index, batch_index }: Place) =>
    `${block_number} ${log_index} ${batch_index}`;

  async function allPages(path: string, limit: number): Promise<Record<string, unknown>[]> {
    const rows: Record<string, unknown>[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { statusCode, json } = await chain.get(
        `${path}&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`,
      );
      expect(statusCode).toBe(200);
      expect(json.data.length).toBeLessThanOrEqual(limit);
      rows.push(...json.data);
      cursor = json.next_cursor;
      if (cursor === undefined) return rows;
    }
    throw new Error('the pages do not end');
  }

  describe('pages', () => {
    test('together are the whole list, once and in order', async () => {
      const paths = fc.constantFrom(
        `/addresses/${ALICE}/transfers?standard=all`,
        `/addresses/${ALICE}/transfers?standard=erc20`,
        `/addresses/${ALICE}/transfers?standard=erc1155&direction=out`,
        `/addresses/${ALICE}/transfers?direction=in&token=${TOKEN}`,
        '/transfers?standard=all',
        `/tokens/${TOKEN}/transfers?from_block=305&to_block=330`,
        '/blocks?from_block=100',
      );
      const orders = fc.constantFrom('asc', 'desc');
      await fc.assert(
        fc.asyncProperty(paths, orders, fc.integer({ min: 3, max: 60 }), async (path, order, limit) => {
          const whole = await chain.get(`${path}&order=${order}&limit=500`);
          expect(whole.json.next_cursor).toBeUndefined();
          expect(await allPages(`${path}&order=${order}`, limit)).toEqual(whole.json.data);
        }),
        { numRuns: 25 },
      );
    });

    test('hold what the table holds up to the finalized block, transfers to oneself once', async () => {
      const { rows } = await chain.database.admin.query(
        `SELECT block_number, log_index, 0 AS batch_index FROM "${CHAIN}".erc20_transfers
       WHERE decode('a1', 'hex') IN (substr(from_address, 20), substr(to_address, 20)) AND block_number <= ${FINALIZED}
       UNION ALL SELECT block_number, log_index, batch_index FROM "${CHAIN}".nft_transfers ORDER BY 1, 2, 3`,
      );
      const listed = await allPages(`/addresses/${ALICE}/transfers?order=asc`, 17);
      expect((listed as unknown as Place[]).map(placeOf)).toEqual((rows as unknown as Place[]).map(placeOf));
      const directions = new Set(listed.map(({ direction }) => direction));
      expect([...directions].sort()).toEqual(['in', 'out', 'self']);
    });

    test('are those of the first page, whatever is indexed meanwhile', async () => {
      const path = `/addresses/${ALICE}/transfers?order=desc&limit=10`;
      const before = await chain.get(path);
      const rest = await chain.get(`${path}&cursor=${before.json.next_cursor}`);
      await chain.insert(`UPDATE {schema}.cursors SET block_number = block_number + 50`);
      const after = await chain.get(`${path}&cursor=${before.json.next_cursor}`);
      await chain.insert(`UPDATE {schema}.cursors SET block_number = block_number - 50`);
      expect(after.json.data).toEqual(rest.json.data);
    });

    test('wait out a reorganisation between two of them, and then lose and repeat nothing', async () => {
      const path = `/addresses/${ALICE}/transfers?order=desc&limit=10`;
      const before = await chain.get(path);
      const next = `${path}&cursor=${before.json.next_cursor}`;
      const undisturbed = await chain.get(next);
      await chain.insert(
        `UPDATE {schema}.cursors SET block_number = block_number - 20, reorg_epoch = reorg_epoch + 1`,
      );
      const meanwhile = await chain.get(next);
      expect([meanwhile.statusCode, meanwhile.json.error?.code]).toEqual([409, 'finality_exceeded']);
      // A cursor belongs to one finality: another would be refused.
      expect(meanwhile.json.error?.message).toMatch(/^block \d+ is above finalized_block \d+$/);
      await chain.insert(`UPDATE {schema}.cursors SET block_number = block_number + 20`);
      expect((await chain.get(next)).json.data).toEqual(undisturbed.json.data);
    });

    test.each(['asc', 'desc'])('of a window that was cut wait as well, %s', async (order) => {
      const path = `/blocks?from_block=300&to_block=9999&clamp=true&limit=10&order=${order}`;
      const whole = await chain.get(path.replace('limit=10', 'limit=500'));
      const first = await chain.get(path);
      const next = `${path}&cursor=${first.json.next_cursor}`;
      await chain.insert(`UPDATE {schema}.cursors SET block_number = block_number - 20`);
      const meanwhile = await chain.get(next);
      await chain.insert(`UPDATE {schema}.cursors SET block_number = block_number + 20`);
      expect([meanwhile.statusCode, meanwhile.json.error?.code]).toEqual([409, 'finality_exceeded']);
      const rows = [...first.json.data];
      let cursor = first.json.next_cursor;
      while (cursor !== undefined) {
        const { json } = await chain.get(`${path}&cursor=${cursor}`);
        expect(json.meta.coverage).toBe('partial');
        rows.push(...json.data);
        cursor = json.next_cursor;
      }
      expect(rows).toEqual(whole.json.data);
    });

    test('end before an answer of the RDS Data API would', async () => {
      await chain.insert(`INSERT INTO {schema}.logs
        (block_number, log_index, tx_index, tx_hash, block_time, address, topic0, topic1, topic2, topic3, data, data_size)
      SELECT 200, n, 0, decode(repeat('aa', 32), 'hex'), now(), decode(repeat('05', 20), 'hex'), NULL, NULL, NULL, NULL,
        decode(repeat('ff', 16384), 'hex'), 65536 FROM generate_series(0, 79) AS n`);
      const first = await chain.get('/blocks/200/logs?limit=500');
      expect(first.statusCode).toBe(200);
      expect(first.json.data.length).toBeLessThan(80);
      expect(first.json.data[0]).toMatchObject({ data_truncated: true, data_size: 65_536, topics: [] });
      expect(await allPages('/blocks/200/logs?', 500)).toHaveLength(80);
    });

    test('have exact numbers', async () => {
      const { json } = await chain.get(`/tokens/${TOKEN}/transfers?limit=500&from_block=301&to_block=301`);
      expect(json.data.map(({ amount }) => amount)).toContain((2n ** 255n).toString());
    });
  });

  describe('a token that is no tokenised stock', () => {
    test.each(['', '/daily', '/multipliers', '/holders', '/transfers', '/trades', '/candles?interval=1h'])(
      'has no stock resource %s',
      async (resource) => {
        const { statusCode, json } = await chain.get(`/stocks/${TOKEN}${resource}`);
        expect([statusCode, json.error?.code]).toEqual([404, 'not_found']);
      },
    );
  });
});

describe('pages of snapshots', () => {
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
});

describe('blocks that are missing', () => {
  const IMMUTABLE = 'private, max-age=31536000, immutable';
  const ASKED_AGAIN = 'private, no-cache';
  /** Time of a block of the seeded chain, or of what lies between two. */
  const at = (block: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + block * 10_000).toISOString();
  const BEFORE_ALL = '2020-01-01T00:00:00Z';

  /** A seeded chain of which a range of blocks is not there. */
  async function startWithout(from: number, to: number): Promise<SeededChain> {
    const chain = await startSeededChain();
    await chain.insert(`DELETE FROM {schema}.blocks WHERE number BETWEEN ${from} AND ${to}`);
    await chain.insert(
      `UPDATE {schema}.coverage SET covered = covered - int8multirange(int8range(${from}, ${to}, '[]'))`,
    );
    return chain;
  }

  /** What a response says of its completeness, and its blocks. */
  async function told(chain: SeededChain, path: string) {
    const { statusCode, json, headers } = await chain.get(path);
    const rows = [json.data ?? []].flat();
    return {
      status: statusCode,
      blocks: rows.length === 0 ? [] : [rows[0]?.number, rows.at(-1)?.number],
      coverage: json.meta?.coverage,
      kept: headers?.['Cache-Control'],
    };
  }

  const respond = (blocks: readonly number[], coverage: string, kept = ASKED_AGAIN) => ({
    status: 200,
    blocks,
    coverage,
    kept,
  });

  describe('where the first blocks are missing', () => {
    let chain: SeededChain;
    beforeAll(async () => {
      chain = await startWithout(0, 299);
    });
    afterAll(() => chain?.close());
    const list = (query: string) => told(chain, `/blocks?order=asc&limit=500&${query}`);

    test('a time before the first stored block stands for all of them', async () => {
      expect(await list(`to_time=${BEFORE_ALL}`)).toEqual(respond([], 'none'));
      expect(await list(`to_time=${at(100)}`)).toEqual(respond([], 'none'));
      expect(await list(`from_time=${BEFORE_ALL}&to_time=${at(310)}`)).toEqual(
        respond([300, 310], 'partial'),
      );
      expect(await list(`from_time=${at(100)}`)).toEqual(respond([300, FINALIZED], 'partial'));
      expect(await list(`from_block=0&to_block=310`)).toEqual(respond([300, 310], 'partial'));
      expect(await told(chain, `/transactions?to_time=${BEFORE_ALL}`)).toEqual(respond([], 'none'));
      expect(await told(chain, `/logs?address=${address('1')}&to_time=${at(100)}`)).toEqual(
        respond([], 'none'),
      );
    });

    test('a window of what is stored is full, and may be kept', async () => {
      expect(await list(`from_time=${at(301)}&to_time=${at(310)}`)).toEqual(
        respond([301, 310], 'full', IMMUTABLE),
      );
      expect(await list(`from_time=${at(305.1)}&to_time=${at(305.9)}`)).toEqual(
        respond([], 'full', IMMUTABLE),
      );
    });

    test('traces before the first stored block are not covered, and not billed', async () => {
      const before = chain.charged();
      const { statusCode, json } = await chain.get(`/addresses/${address('1')}/traces?to_time=${at(100)}`);
      expect([statusCode, json.error]).toEqual([
        422,
        { code: 'no_coverage', message: 'no traces of blocks 0 to 299: see status/coverage/traces' },
      ]);
      expect(chain.charged()).toBe(before);
    });

    test('nor are those of one of these blocks, whereas an unknown transaction is not there', async () => {
      const before = chain.charged();
      for (const [path, status, code] of [
        ['/blocks/5/traces', 422, 'no_coverage'],
        ['/blocks/299/traces?finality=latest', 422, 'no_coverage'],
        [`/blocks/${FINALIZED + 1}/traces`, 409, 'finality_exceeded'],
        [`/blocks/${HEAD + 1}/traces?finality=latest`, 409, 'finality_exceeded'],
        [`/transactions/0x${'5e'.repeat(32)}/traces`, 404, 'not_found'],
        ['/blocks/5/transactions', 404, 'not_found'],
        ['/blocks/5/logs', 404, 'not_found'],
      ] as const) {
        const { statusCode, json } = await chain.get(path);
        expect([path, statusCode, json.error?.code]).toEqual([path, status, code]);
      }
      expect(chain.charged()).toBe(before);
      expect((await chain.get('/blocks/300/traces')).json.data).toEqual([]);
    });

    test('the first stored block is not the nearest one for certain', async () => {
      const byTime = (query: string) => told(chain, `/blocks-by-time/${query}`);
      expect(await byTime(`${at(100)}?side=after`)).toEqual(respond([300, 300], 'partial'));
      expect(await byTime(`${at(305.5)}?side=after`)).toEqual(respond([306, 306], 'full', IMMUTABLE));
      expect(await byTime(at(305.5))).toEqual(respond([305, 305], 'full', IMMUTABLE));
      expect((await byTime(at(100))).status).toBe(404);
    });

    test('every page says so, also when the missing blocks have come meanwhile', async () => {
      const path = `/blocks?from_time=${BEFORE_ALL}&to_time=${at(310)}&limit=5`;
      const first = await chain.get(path);
      await chain.insert(
        `UPDATE {schema}.coverage SET covered = covered + int8multirange(int8range(0, 300)) WHERE dataset = 'blocks'`,
      );
      expect(await told(chain, `${path}&cursor=${first.json.next_cursor}`)).toEqual(
        respond([305, 301], 'partial'),
      );
    });
  });

  describe('where blocks are missing in between', () => {
    let chain: SeededChain;
    beforeAll(async () => {
      chain = await startWithout(101, 199);
    });
    afterAll(() => chain?.close());
    const list = (from: number, to: number) =>
      told(chain, `/blocks?order=asc&limit=500&from_time=${at(from)}&to_time=${at(to)}`);

    test('a time among them does not cut them off', async () => {
      expect(await list(150, 250)).toEqual(respond([200, 250], 'partial'));
      expect(await list(50, 150)).toEqual(respond([50, 100], 'partial'));
      expect(await list(120, 150)).toEqual(respond([], 'none'));
      expect(await list(50, 100)).toEqual(respond([50, 100], 'partial'));
      expect(await list(50, 99)).toEqual(respond([50, 99], 'full', IMMUTABLE));
      expect(await list(201, 250)).toEqual(respond([201, 250], 'full', IMMUTABLE));
      expect(await list(-20, -10)).toEqual(respond([], 'full', IMMUTABLE));
    });

    test('no window is full of which a block is missing', async () => {
      const moments = fc.integer({ min: -20, max: FINALIZED * 2 }).map((half) => half / 2);
      await fc.assert(
        fc.asyncProperty(
          moments,
          moments,
          fc.constantFrom('blocks', 'transactions'),
          async (one, other, table) => {
            const [from, to] = [Math.min(one, other), Math.max(one, other)];
            const { json } = await chain.get(`/${table}?limit=500&from_time=${at(from)}&to_time=${at(to)}`);
            const isMissing = Math.max(Math.ceil(from), 101) <= Math.min(Math.floor(to), 199);
            if (isMissing) expect(json.meta.coverage).not.toBe('full');
            if (to < 100 || from > 200) expect(json.meta.coverage).toBe('full');
          },
        ),
        { numRuns: 150 },
      );
    });

    test('what is stored on either side is not the nearest block for certain', async () => {
      expect(await told(chain, `/blocks-by-time/${at(150)}`)).toEqual(respond([100, 100], 'partial'));
      expect(await told(chain, `/blocks-by-time/${at(150)}?side=after`)).toEqual(
        respond([200, 200], 'partial'),
      );
    });

    test('an answer that the block after the finalized one ends is full, but may still change', async () => {
      const end = at(FINALIZED + 0.5);
      expect(await list(340, FINALIZED + 0.5)).toEqual(respond([340, FINALIZED], 'full'));
      expect(await told(chain, `/blocks-by-time/${end}`)).toEqual(respond([FINALIZED, FINALIZED], 'full'));
      expect(await list(340, 343)).toEqual(respond([340, 343], 'full', IMMUTABLE));
    });

    test('an answer that a client has is told again when only its coverage is another', async () => {
      const path = '/blocks?from_block=210&to_block=215';
      const { headers } = await chain.get(path);
      const ifNoneMatch = String(headers?.ETag);
      expect((await chain.get(path, { ifNoneMatch })).statusCode).toBe(304);
      await chain.insert(
        `UPDATE {schema}.coverage SET covered = covered - int8multirange(int8range(212, 213)) WHERE dataset = 'blocks'`,
      );
      const changed = await chain.get(path, { ifNoneMatch });
      expect([changed.statusCode, changed.json.meta?.coverage]).toEqual([200, 'partial']);
    });
  });
});

describe('requests of any shape', () => {
  const RUNS = 400;
  /** What is wrong is refused at once, so more of it fits. */
  const HOSTILE_FACTOR = 10;
  const OPERATION_IDS = (Object.keys(OPERATIONS) as DataOperationId[]).filter((id) => id !== 'listChains');

  let chain: SeededChain;

  beforeAll(async () => {
    chain = await startSeededChain();
    await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (1, 300, '\\x00', now(), now())`);
  });

  afterAll(() => chain?.close());

  const hostile = fc.oneof(
    fc.constantFrom(
      '',
      ' ',
      '0',
      '-0',
      '-1',
      '01',
      '1.5',
      '1e3',
      '0x',
      '0x1',
      '9007199254740993',
      '9'.repeat(400),
      'null',
      'true',
      'TRUE',
      "' OR 1=1 --",
      ':p0',
      '../..',
      'a/b',
      '%00',
      '\u0000',
      '\ud800',
      '１２',
      '2026-02-30T00:00:00Z',
      '2026-01-01T00:00:00+01:00',
      '999999-01-01',
      `0x${'F'.repeat(40)}`,
      `0X${'f'.repeat(40)}`,
      `0x${'f'.repeat(64)}`,
      `0x${'f'.repeat(39)}g`,
    ),
    anyText({ maxLength: 40 }),
  );

  /** A value that the description allows. */
  function valid(entry: ParameterEntry): fc.Arbitrary<string> {
    switch (entry.kind) {
      case 'integer':
        return fc
          .oneof(
            fc.integer({ min: entry.minimum, max: Math.min(entry.maximum, 700) }),
            fc.constantFrom(entry.minimum, entry.maximum),
          )
          .map(String);
      case 'height':
        return fc.oneof(fc.nat({ max: 700 }), fc.bigInt({ min: 0n })).map(String);
      case 'boolean':
        return fc.constantFrom('true', 'false');
      case 'enum':
        return fc.constantFrom(...entry.values);
      case 'time':
        return fc.constantFrom(
          '2026-01-01T00:00:00Z',
          '2026-01-01T00:59:59.999Z',
          '1970-01-01T00:00:00Z',
          '9999-12-31T23:59:59Z',
        );
      case 'day':
        return fc.constantFrom('2026-01-01', '0001-01-01', '9999-12-31');
      case 'text':
        return fc
          .string({ minLength: 1, maxLength: entry.maxLength })
          .filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text));
      case 'pattern':
        return fc.constantFrom(
          ...[address('a1'), `0x${'aB'.repeat(32)}`, '5', '1'.repeat(78), 'uniswap_v3', 'AAAA'].filter(
            (text) => entry.pattern.test(text),
          ),
        );
    }
  }

  const encoded = (text: string) => encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E');

  /** Requests of any operation, whose parameters are right, wrong, repeated or unknown. */
  const requests = fc.constantFrom(...OPERATION_IDS).chain((operationId) => {
    const { parameters, path } = OPERATIONS[operationId];
    const values = parameters.map((entry) =>
      fc.record({
        entry: fc.constant(entry),
        texts: fc.oneof(
          { weight: 6, arbitrary: valid(entry).map((text) => [text]) },
          { weight: 2, arbitrary: hostile.map((text) => [text]) },
          { weight: 1, arbitrary: fc.tuple(valid(entry), hostile) },
          { weight: 4, arbitrary: fc.constant([] as string[]) },
        ),
      }),
    );
    const unknown = fc.option(fc.tuple(fc.string({ maxLength: 12 }), hostile), { freq: 8 });
    return fc.tuple(fc.tuple(...values), unknown).map(([given, extra]) => {
      const query = new URLSearchParams();
      let filled = path.replace('/{chain}', '');
      for (const { entry, texts } of given) {
        if (entry.in === 'path') filled = filled.replace(`{${entry.name}}`, encoded(texts[0] ?? '0'));
        else for (const text of texts) query.append(entry.name, text.toWellFormed());
      }
      if (extra !== null) query.append(extra[0].toWellFormed(), extra[1].toWellFormed());
      return { operationId, url: query.size === 0 ? filled : `${filled}?${query}` };
    });
  });

  test('whatever a client sends gets the right status in the right envelope, and what is wrong reaches no database', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async ({ url }) => {
        const [charged, asked] = [chain.charged(), chain.statements().length];
        const { statusCode, body, json } = await chain.get(url);
        expect([200, 400, 404, 409, 422]).toContain(statusCode);
        if (statusCode === 200) return;
        expect(Object.keys(json)).toEqual(['error']);
        expect(Object.keys(json.error ?? {})).toEqual(['code', 'message']);
        expect(String(body)).not.toMatch(/SQLState|DatabaseError|syntax error/);
        expect(chain.charged()).toBe(charged);
        if (statusCode === 400) expect(chain.statements()).toHaveLength(asked);
      }),
      { numRuns: RUNS * HOSTILE_FACTOR },
    );
  });

  test('what is allowed is answered as the description says', async () => {
    const allowed = fc.constantFrom(...OPERATION_IDS).chain((operationId) => {
      const { parameters, path } = OPERATIONS[operationId];
      const chosen = parameters.filter(
        ({ name, required }) => required || !['cursor', 'from_time', 'to_time', 'format'].includes(name),
      );
      return fc.tuple(...chosen.map(valid)).map((texts) => {
        const query = new URLSearchParams();
        let filled = path.replace('/{chain}', '');
        for (const [index, { name, in: place }] of chosen.entries()) {
          if (place === 'path') filled = filled.replace(`{${name}}`, encoded(texts[index] ?? ''));
          else query.append(name, texts[index] ?? '');
        }
        return { operationId, url: `${filled}?${query}` };
      });
    });
    await fc.assert(
      fc.asyncProperty(allowed, async ({ operationId, url }) => {
        const { statusCode, body, headers } = await chain.get(url);
        checkContract(operationId, {
          status: statusCode,
          contentType: String(headers?.['Content-Type']),
          body: String(body),
        });
      }),
      { numRuns: RUNS },
    );
  });
});
