/** Answers say what they are: whole or not, final or not, by which block, and with each field as it is specified. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { computeUnitsOf } from '../../lambdas/data/plan/price.ts';
import { MAX_EXAMINED_ROWS } from '../../lambdas/data/plan/scan.ts';
import { isTime, readTime } from '../../lambdas/data/plan/time-text.ts';
import { checkContract } from '../api/contract.ts';
import {
  type Answered,
  address,
  FINALIZED,
  HEAD,
  type SeededChain,
  startSeededChain,
} from './seeded-chain.ts';

const MAX_TAGS = 100;

describe('answers that are honest', () => {
  const OLD = address('70');
  const YOUNG = address('71');
  const COLLECTION = address('72');
  const HOLDER = address('a1');
  const SNAPSHOT = 300;
  const bytea = (text: string) => `decode('${text.slice(2)}', 'hex')`;

  let chain: SeededChain;

  beforeAll(async () => {
    chain = await startSeededChain();
    await chain.insert(`INSERT INTO {schema}.tokens (address, standard, symbol, decimals, first_seen_block, updated_block,
      transfer_count, holder_count)
    VALUES (${bytea(OLD)}, 20, 'OLD', 18, 1, 1, 3, 4), (${bytea(YOUNG)}, 20, 'YOUNG', 6, ${SNAPSHOT + 10}, 310, 1, 0),
      (${bytea(COLLECTION)}, 721, 'DEED', NULL, 1, 1, 1, 0)`);
    await chain.insert(`INSERT INTO {schema}.erc20_transfers
        (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
    SELECT block, 0, 0, '\\x00', now(), token, ${bytea(address('9'))}, ${bytea(HOLDER)}, 5, 'transfer'
    FROM (VALUES (10, ${bytea(OLD)}), (${FINALIZED}, ${bytea(OLD)}), (${HEAD}, ${bytea(OLD)}),
      (${SNAPSHOT + 10}, ${bytea(YOUNG)})) AS moved (block, token)`);
    await chain.insert(`INSERT INTO {schema}.coverage VALUES ('balances', '{[0,${SNAPSHOT + 1})}')`);
    await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (1, ${SNAPSHOT}, '\\x00', now(), now())`);
    for (const holder of [HOLDER, address('a2')])
      await chain.insert(
        `INSERT INTO {schema}.balances VALUES (${bytea(holder)}, ${bytea(OLD)}, 5, 'ledger', 'verified', ${SNAPSHOT}, 1)`,
      );
  });

  afterAll(() => chain?.close());

  function contract(operationId: string, { statusCode, body }: Answered): void {
    checkContract(operationId, { status: statusCode, contentType: 'application/json', body: String(body) });
  }

  describe('a snapshot never misstates itself', () => {
    test('holders of a token that is younger are said to be missing, and nothing is billed', async () => {
      const before = chain.charged();
      const young = await chain.get(`/tokens/${YOUNG}/holders`);
      expect([young.statusCode, young.json.data, young.json.meta.coverage]).toEqual([200, [], 'none']);
      expect([young.headers['X-CU-Billed'], chain.charged()]).toEqual(['0', before]);
      const old = await chain.get(`/tokens/${OLD}/holders`);
      expect([old.json.data.length, old.json.meta.coverage]).toEqual([2, 'partial']);
    });

    test('balances are `full` only if no transfer of the address came after the snapshot', async () => {
      const [sender, receiver, still] = [address('9'), HOLDER, address('a2')];
      for (const list of ['balances', 'balances/usd', `balances/history?token=${OLD}`, 'stocks']) {
        const coverages: unknown[] = [];
        for (const owner of [sender, receiver, still]) {
          const { json, headers } = await chain.get(`/addresses/${owner}/${list}`);
          expect([json.meta.as_of_block, headers['X-Snapshot-Block']]).toEqual([HEAD, String(SNAPSHOT)]);
          coverages.push(json.meta.coverage);
        }
        expect([list, coverages]).toEqual([list, ['partial', 'partial', 'full']]);
      }
    });

    test.each([
      ['at its block', SNAPSHOT, 'full'],
      ['one block later', SNAPSHOT + 1, 'partial'],
      ['at the head', HEAD, 'partial'],
      ['above the head', HEAD + 1, 'full'],
    ])('a last transfer %s makes balances and holders so', async (_, block, coverage) => {
      const [token, owner] = [address(`7e57${block}`), address(`e57${block}`)];
      await chain.insert(`INSERT INTO {schema}.erc20_transfers
        (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
      VALUES (${block}, 9, 0, '\\x00', now(), ${bytea(token)}, ${bytea(owner)}, ${bytea(owner)}, 5, 'transfer')`);
      const paths = [`/addresses/${owner}/balances`, `/tokens/${token}/holders`];
      const told = await Promise.all(paths.map((path) => chain.get(path)));
      expect(told.map(({ json }) => json.meta.coverage)).toEqual([coverage, coverage]);
      await chain.insert(`DELETE FROM {schema}.erc20_transfers WHERE token = ${bytea(token)}`);
    });

    test('the block of the snapshot is a header of every answer that is of one, and of no other', async () => {
      const path = `/addresses/${address('a2')}/balances`;
      const page = await chain.get(path);
      const [kept, file, other] = [
        await chain.get(path, { ifNoneMatch: String(page.headers.ETag) }),
        await chain.get(`${path}?format=csv`),
        await chain.get('/blocks'),
      ];
      expect(
        [kept, file, other].map(({ statusCode, headers }) => [statusCode, headers['X-Snapshot-Block']]),
      ).toEqual([
        [304, String(SNAPSHOT)],
        [200, String(SNAPSHOT)],
        [200, undefined],
      ]);
      expect(Object.keys(page.json.meta).sort()).toEqual([
        'as_of_block',
        'coverage',
        'finalized_block',
        'query_ms',
        'refreshed_at',
        'rows_read',
      ]);
      expect(Object.keys(page.json.data[0] ?? {})).toEqual(['token', 'balance', 'symbol', 'decimals']);
    });

    test('a count of holders that no snapshot has is null, never 0', async () => {
      const counts: unknown[] = [];
      for (const token of [OLD, YOUNG, COLLECTION]) {
        const response = await chain.get(`/tokens/${token}`);
        contract('getToken', response);
        counts.push(response.json.data.holder_count);
      }
      expect(counts).toEqual([4, null, null]);
    });

    test('blocks beyond the snapshot are told as those of the next one', async () => {
      const { json } = await chain.get('/status/coverage/balances');
      expect(json.data.at(-1)).toEqual({
        from_block: SNAPSHOT + 1,
        to_block: HEAD,
        state: 'gap',
        reason: 'next_snapshot',
      });
    });
  });

  test('transfer_count ends at the finalized block, as the list of transfers does', async () => {
    const { json } = await chain.get(`/tokens/${OLD}`);
    const { json: listed } = await chain.get(`/tokens/${OLD}/transfers`);
    expect([json.data.transfer_count, listed.data.length]).toEqual([2, 2]);
  });

  test('what belongs to a token that was never seen is 404, whatever it is', async () => {
    const unknown = address('dead');
    for (const path of ['', '/holders', '/transfers', '/trades', '/candles?interval=1h'])
      expect([path, (await chain.get(`/tokens/${unknown}${path}`)).statusCode]).toEqual([path, 404]);
    for (const path of ['', '/items', '/owners', '/transfers', '/items/1/owners', '/items/1/transfers'])
      expect([path, (await chain.get(`/nfts/${unknown}${path}`)).statusCode]).toEqual([path, 404]);
  });

  test('a window that is wholly above the finalized block and clamped is `none`, and costs nothing', async () => {
    const before = chain.charged();
    for (const start of [`from_block=${FINALIZED + 1}&to_block=${HEAD}`, 'from_time=2027-01-01T00:00:00Z']) {
      const { json, headers } = await chain.get(`/blocks?${start}&clamp=true`);
      expect([json.data, json.meta.coverage, headers['X-CU-Billed']]).toEqual([[], 'none', '0']);
    }
    expect(chain.charged()).toBe(before);
  });

  test('a page costs 1 CU more for each twenty rows that are begun beyond the first hundred, and draws what it may cost', async () => {
    expect(
      [0, 1, 100, 101, 200, 200, 500].map((rows) =>
        computeUnitsOf({ computeUnits: 10, isPerItem: false }, { rows, bytes: 200 * rows }),
      ),
    ).toEqual([10, 10, 10, 11, 15, 15, 30]);
    const [charged, drawn] = [chain.charged(), chain.drawn()];
    const { headers } = await chain.get('/blocks?limit=500&from_block=0&to_block=249');
    expect([headers['X-CU-Billed'], chain.charged() - charged, chain.drawn() - drawn]).toEqual([
      '18',
      18,
      30,
    ]);
  });

  describe('a search of logs', () => {
    /** The last page examines as many as it may, and there are no more. */
    const LOGS = 2 * MAX_EXAMINED_ROWS;
    const emitter = address('e1');
    const rare = `0x${'77'.repeat(32)}`;
    const search = `/logs?address=${emitter}&topic1=${rare}&order=asc&limit=50`;

    beforeAll(async () => {
      await chain.insert(`INSERT INTO {schema}.logs (block_number, log_index, tx_index, tx_hash, block_time, address, topic0, topic1, data, data_size)
      SELECT 1 + n / 100, n % 100, 0, decode(repeat('aa', 32), 'hex'), now(), ${bytea(emitter)}, ${bytea(`0x${'01'.repeat(32)}`)},
        CASE WHEN n IN (5, ${LOGS - 1}) THEN ${bytea(rare)} END, '\\x', 0 FROM generate_series(0, ${LOGS - 1}) AS n`);
    });

    test('looks at so many rows a page at most, and goes on behind the last of them', async () => {
      const found: unknown[] = [];
      const pages: (string | undefined)[] = [];
      let path = search;
      for (let page = 0; page < 5; page += 1) {
        const response = await chain.get(path);
        contract('listLogs', response);
        expect(response.json.meta.rows_read).toBeLessThanOrEqual(MAX_EXAMINED_ROWS + 1);
        found.push(...response.json.data.map(({ block_number, log_index }) => [block_number, log_index]));
        pages.push(response.json.next_cursor);
        if (response.json.next_cursor === undefined) break;
        path = `${search}&cursor=${response.json.next_cursor}`;
      }
      expect(found).toEqual([
        [1, 5],
        [LOGS / 100, 99],
      ]);
      expect(pages.map((cursor) => cursor !== undefined)).toEqual([true, false]);
    });

    test('finds the same rows however small its pages are, in both orders', async () => {
      for (const order of ['asc', 'desc']) {
        const plain = `/logs?address=${emitter}&topic0=0x${'01'.repeat(32)}&order=${order}&from_block=3&to_block=6`;
        const whole = await chain.get(`${plain}&limit=500`);
        const rows: unknown[] = [];
        let cursor: string | undefined;
        do {
          const { json } = await chain.get(
            `${plain}&limit=170${cursor === undefined ? '' : `&cursor=${cursor}`}`,
          );
          rows.push(...json.data);
          cursor = json.next_cursor;
        } while (cursor !== undefined);
        expect(rows).toHaveLength(400);
        expect(rows).toEqual(whole.json.data);
      }
    });
  });

  describe('candles of a pool', () => {
    const pool = address('b1');
    beforeAll(async () => {
      await chain.insert(`INSERT INTO {schema}.dex_pools (pool_id, protocol, factory, token0, token1, created_block, created_log_index,
        created_time, updated_block)
      VALUES (${bytea(pool)}, 'uniswap_v2', '\\x00', ${bytea(OLD)}, ${bytea(YOUNG)}, 1, 0, now(), 1)`);
      await chain.insert(`INSERT INTO {schema}.candles VALUES ('pool', ${bytea(pool)}, 3600, '2026-01-01T00:00:00Z',
      0.000000000002, 0.0000000000025, 0.000000000002, 0.0000000000025, 1000, 5, NULL, 2, 1, 2)`);
    });

    test('are prices of a whole token0 in whole token1, and null where one says no decimals', async () => {
      const path = `/dex/pools/${pool}/candles?interval=1h`;
      const whole = await chain.get(path);
      contract('listPoolCandles', whole);
      expect(whole.json.data[0]).toMatchObject({
        open: '2',
        high: '2.5',
        low: '2',
        close: '2.5',
        volume_base: '1000',
      });
      await chain.insert(`UPDATE {schema}.tokens SET decimals = NULL WHERE address = ${bytea(YOUNG)}`);
      const unknown = await chain.get(path);
      contract('listPoolCandles', unknown);
      expect(unknown.json.data[0]).toMatchObject({ open: null, close: null, volume_base: '1000' });
    });
  });

  describe('tokenised stocks of a day', () => {
    const stocks = [1, 2, 3, 4].map((number) => address(`5${number}`));
    beforeAll(async () => {
      await chain.insert(`INSERT INTO {schema}.stock_tokens (token, issuer, initial_multiplier, registered_block, updated_block)
      SELECT decode(lpad('5' || n, 40, '0'), 'hex'), 'unknown', 1000000000000000000, 1, 1 FROM generate_series(1, 4) AS n`);
      await chain.insert(`INSERT INTO {schema}.stock_daily (day, token, transfers, transfers_raw_amount, transfers_ui_amount,
        unique_senders, unique_receivers, mint_raw_amount, burn_raw_amount, net_supply_change, dex_swap_count, dex_raw_volume,
        ui_multiplier, first_block, last_block, refreshed_at)
      SELECT '2026-01-01', decode(lpad('5' || n, 40, '0'), 'hex'), CASE n WHEN 2 THEN 9 ELSE 3 END, 1, 1, 1, 1, 0, 0, 0, 0, 0,
        1000000000000000000, 1, 2, now() FROM generate_series(1, 3) AS n`);
    });

    async function listed(query: string): Promise<unknown[]> {
      const rows: unknown[] = [];
      let cursor = '';
      do {
        const response = await chain.get(`/stocks?limit=1${query}${cursor}`);
        contract('listStocks', response);
        rows.push(
          ...response.json.data.map(({ token, address: same, transfers }) => [
            token === same && token,
            transfers,
          ]),
        );
        cursor = response.json.next_cursor === undefined ? '' : `&cursor=${response.json.next_cursor}`;
      } while (cursor !== '');
      return rows;
    }

    test('come with the most transfers first, with `address` beside `token`', async () => {
      expect(await listed('')).toEqual([
        [stocks[1], 9],
        [stocks[0], 3],
        [stocks[2], 3],
      ]);
    });

    test('are all that are registered where that is asked for', async () => {
      expect(await listed('&all=true')).toEqual([
        [stocks[1], 9],
        [stocks[0], 3],
        [stocks[2], 3],
        [stocks[3], 0],
      ]);
    });

    test('one by itself has `address` beside `token` too', async () => {
      const response = await chain.get(`/stocks/${stocks[0]}`);
      contract('getStock', response);
      expect(response.json.data.address).toBe(stocks[0]);
    });
  });

  describe('a moment', () => {
    test.each([
      ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
      ['2026-01-31T12:00:00.123456789Z', '2026-01-31T12:00:00.123Z'],
      ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
      ['2026-01-31T12:00:00 02:00', '2026-01-31T10:00:00.000Z'],
      ['2026-01-31T23:30-01:00', '2026-02-01T00:30:00.000Z'],
      ['1767225600', '2026-01-01T00:00:00.000Z'],
    ])('%s is %s', (text, moment) => expect(readTime(text)).toBe(moment));

    test.each([
      '2026-01-31',
      '2026-02-30T00:00:00Z',
      '2026-01-01T00:00:00',
      '0000-01-01T00:00:00Z',
      '-1',
      '1e9',
      '999999999999',
      '',
    ])('%s is none', (text) => expect(readTime(text)).toBeUndefined());

    test('that is read is one that the database takes', () => {
      fc.assert(
        fc.property(fc.oneof(fc.string(), fc.date().map(String), fc.nat().map(String)), (text) => {
          const moment = readTime(text);
          if (moment !== undefined) expect(isTime(moment)).toBe(true);
        }),
      );
    });

    test('in seconds since 1970 bounds a window as the same in ISO 8601', async () => {
      const seconds = Date.parse('2026-01-01T00:01:00Z') / 1_000;
      const { json } = await chain.get(`/blocks?from_time=${seconds}&to_time=${seconds + 20}&order=asc`);
      expect(json.data.map(({ number }) => number)).toEqual([6, 7, 8]);
    });
  });

  test('every answer tells browsers to guess no type and to come by TLS', async () => {
    for (const path of ['/blocks/1', '/blocks/x', '/nothing']) {
      const { headers } = await chain.get(path);
      expect(headers).toMatchObject({
        'X-Content-Type-Options': 'nosniff',
        'Strict-Transport-Security': expect.stringContaining('max-age='),
      });
    }
  });
});

describe('tags that are guessed', () => {
  /** An unselective search without a row: its response is the same for all accounts. */
  const EMPTY = `/logs?address=${address('5')}`;

  let chain: SeededChain;

  beforeAll(async () => {
    chain = await startSeededChain();
  });

  afterAll(() => chain?.close());

  test('a tag that is computed from the response alone is no tag of it', async () => {
    const { json, headers } = await chain.get(EMPTY);
    const data = JSON.stringify(json.data);
    for (const about of [[null, 'full', null], ['acme', null, 'full', null], []]) {
      const hash = createHash('sha256').update(data).update(JSON.stringify(about)).digest('base64url');
      const guessed = `W/"${hash.slice(0, 27)}"`;
      expect(guessed).not.toBe(headers.ETag);
      expect((await chain.get(EMPTY, { ifNoneMatch: guessed })).statusCode).toBe(200);
    }
  });

  test('the tag of one account is none of another, for the same answer', async () => {
    const { headers } = await chain.get(EMPTY);
    const ifNoneMatch = String(headers.ETag);
    expect((await chain.get(EMPTY, { ifNoneMatch })).statusCode).toBe(304);
    expect((await chain.get(EMPTY, { ifNoneMatch, account: 'other' })).statusCode).toBe(200);
  });

  test('of many tags in one header so many are read', async () => {
    const { headers } = await chain.get(EMPTY);
    const others = (count: number) => Array.from({ length: count }, (_, index) => `W/"${index}"`).join(', ');
    const statusOf = async (ifNoneMatch: string) => (await chain.get(EMPTY, { ifNoneMatch })).statusCode;
    expect(await statusOf(`${others(MAX_TAGS - 1)}, ${headers.ETag}`)).toBe(304);
    expect(await statusOf(`${others(MAX_TAGS)}, ${headers.ETag}`)).toBe(200);
  });

  test('the strong form of a tag is the tag, and `*` is none', async () => {
    const { headers } = await chain.get(EMPTY);
    const strong = String(headers.ETag).replace('W/', '');
    expect((await chain.get(EMPTY, { ifNoneMatch: strong })).statusCode).toBe(304);
    for (const ifNoneMatch of ['*', '"*"', `*, ${strong.replaceAll('"', '')}`]) {
      const before = chain.charged();
      expect([ifNoneMatch, (await chain.get(EMPTY, { ifNoneMatch })).statusCode]).toEqual([ifNoneMatch, 200]);
      expect(chain.charged()).toBe(before + 20);
    }
  });

  test('freshness, which has the time of its check, has no tag', async () => {
    const { statusCode, headers } = await chain.get('/status/freshness', { ifNoneMatch: '*' });
    expect([statusCode, headers.ETag, headers['Cache-Control']]).toEqual([
      200,
      undefined,
      'private, no-cache',
    ]);
  });
});

describe('prices at a time', () => {
  const TOKEN = address('70');
  const START_MS = Date.parse('2026-01-01T00:00:00Z');
  const BLOCK_MS = 10_000;
  /** Blocks that are not stored, and so have no price. */
  const MISSING = { from: 150, to: 179 };
  const PRICED = Array.from({ length: 100 }, (_, index) => index * 6).filter(
    (block) => block < MISSING.from || block > MISSING.to,
  );

  let chain: SeededChain;

  beforeAll(async () => {
    chain = await startSeededChain();
    await chain.insert(`DELETE FROM {schema}.blocks WHERE number BETWEEN ${MISSING.from} AND ${MISSING.to}`);
    await chain.insert(`INSERT INTO {schema}.token_prices
      (token, block_number, block_time, price_usd, method, sample_trades)
    SELECT '\\x${TOKEN.slice(2)}', n, '2026-01-01T00:00:00Z'::timestamptz + n * interval '10 seconds', 1 + n, 'peg', 0
    FROM unnest('{${PRICED.join(',')}}'::bigint[]) AS n`);
  });

  afterAll(() => chain?.close());

  test('the price at a moment is the newest one until then, of a final block', async () => {
    const latest = (HEAD + 10) * BLOCK_MS;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: latest }), async (elapsed) => {
        const at = new Date(START_MS + elapsed).toISOString();
        const { json } = await chain.get(`/tokens/${TOKEN}/price?at=${at}`);
        const newest = PRICED.findLast((block) => block * BLOCK_MS <= elapsed && block <= FINALIZED);
        expect(json.data).toMatchObject({ block_number: newest, price_usd: String(1 + (newest ?? 0)) });
      }),
      { numRuns: 100 },
    );
    const before = await chain.get(`/tokens/${TOKEN}/price?at=2025-12-31T23:59:59Z`);
    expect([before.statusCode, before.json.error?.code]).toEqual([404, 'not_found']);
  });
});

describe('fields as they are specified', () => {
  /** The only fields of a freshness row that the specification has as nullable. */
  const NULLABLE = [
    'max_day',
    'days_behind',
    'trace_min_block',
    'trace_max_block',
    'trace_gap_ranges',
    'trace_gap_blocks',
  ];

  let chain: SeededChain;

  beforeAll(async () => {
    chain = await startSeededChain();
  });

  afterAll(() => chain?.close());

  test('freshness of a chain with nothing but blocks: only the six nullable fields are null, and empty tables are as fresh as the index', async () => {
    const response = await chain.get('/status/freshness');
    checkContract('getFreshness', {
      status: response.statusCode,
      contentType: String(response.headers['Content-Type']),
      body: String(response.body),
    });
    const rows = response.json.data;
    expect(rows).toHaveLength(17);
    for (const row of rows)
      for (const [field, value] of Object.entries(row))
        if (!NULLABLE.includes(field))
          expect({ table: row.table_name, field, value }).not.toMatchObject({ value: null });
    const transfers = rows.find(({ table_name }) => table_name === 'erc20_transfers');
    expect(transfers).toMatchObject({
      max_block_number: HEAD,
      max_time: '2026-01-01T01:40:00Z',
      blocks_behind: 0,
      follow_last_block: HEAD,
      follow_lag_blocks: 0,
      // What PostgreSQL counted last, maybe while the table had the rows of an earlier test.
      rows_estimate: expect.any(Number),
    });
    const blocks = rows.find(({ table_name }) => table_name === 'blocks');
    expect(transfers?.seconds_behind).toBe(blocks?.seconds_behind);
  });

  test('freshness of what nothing was done for yet is that of the first stored block', async () => {
    const { json } = await chain.get('/status/freshness');
    for (const table of ['balances', 'token_prices'])
      expect(json.data.find(({ table_name }) => table_name === table)).toMatchObject({
        max_block_number: 0,
        max_time: '2026-01-01T00:00:00Z',
        blocks_behind: HEAD,
        follow_last_block: 0,
        follow_lag_blocks: HEAD,
      });
  });

  test('each balance entry has a string `symbol` and an integer `decimals`, of tokens that say none as well', async () => {
    const holder = address('a1');
    const token = (digits: string) => `decode('${address(digits).slice(2)}', 'hex')`;
    await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (1, 300, '\\x00', now(), now())`);
    await chain.insert(`INSERT INTO {schema}.tokens (address, standard, symbol, decimals, first_seen_block, updated_block)
    VALUES (${token('70')}, 20, 'RAW', 0, 1, 1), (${token('71')}, 20, NULL, NULL, 1, 1), (${token('72')}, 20, 'HALF', NULL, 1, 1)`);
    await chain.insert(`INSERT INTO {schema}.balances
    SELECT decode('${holder.slice(2)}', 'hex'), token, 5, 'ledger', 'verified', 300, 1
    FROM unnest(ARRAY[${['70', '71', '72'].map(token).join(', ')}]) AS token`);
    const response = await chain.get(`/addresses/${holder}/balances`);
    expect(response.json.data).toEqual([
      { token: address('70'), balance: '5', symbol: 'RAW', decimals: 0 },
      { token: address('71'), balance: '5', symbol: '', decimals: -1 },
      { token: address('72'), balance: '5', symbol: 'HALF', decimals: -1 },
    ]);
    checkContract('listAddressBalances', {
      status: 200,
      contentType: 'application/json',
      body: String(response.body),
    });
  });
});
