/** What of the index is final, derived, or superseded, and how a response says so. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MARK_SUPERSEDED } from '../../lambdas/chain-data/store/multipliers.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { checkContract } from '../api/contract.ts';
import { multipliersOf } from '../local/demo-chain/expected-chain.ts';
import { repetitions } from '../support/at-length.ts';
import { address, CHAIN, FINALIZED, HEAD, type SeededChain, startSeededChain } from './seeded-chain.ts';

describe('final and latest', () => {
  const ALICE = address('a1');
  const TOKEN = address('70');
  /** Blocks below the head that reorganisations may replace in these tests. */
  const MAX_DEPTH = 40;
  const WINDOW_BLOCKS = 80;
  const TRANSFERS_OF_A_BLOCK = 2;
  const MAX_PAGES = 200;
  const RUNS = 20;

  let chain: SeededChain;
  let head = HEAD;
  /** Tells the blocks of one height apart: those of each reorganisation have another hash. */
  let fork = 0;

  beforeAll(async () => {
    chain = await startSeededChain();
    await fill(FINALIZED - 50, HEAD);
    await chain.insert(`INSERT INTO {schema}.transactions (block_number, tx_index, hash, block_hash, block_time, type, from_address,
      to_address, nonce, value, gas, gas_used, cumulative_gas_used, log_count, input, input_size)
    SELECT block_number, 0, tx_hash, '\\x00', block_time, 2, from_address, to_address, 0, 0, 0, 0, 0, 1, '\\x', 0
    FROM {schema}.erc20_transfers WHERE log_index = 0`);
  });

  afterAll(() => chain?.close());

  const hashOf = (what: string) => `sha256(convert_to('${what} ' || ${fork} || ' ' || n, 'UTF8'))`;
  const timeOf = (block: string) => `'2026-01-01T00:00:00Z'::timestamptz + ${block} * interval '10 seconds'`;

  /** Transfers of Alice in each of some blocks. */
  async function fill(first: number, last: number): Promise<void> {
    await chain.insert(`INSERT INTO {schema}.erc20_transfers
        (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
    SELECT n, log, 0, sha256(${hashOf('transfer')} || log::text::bytea), ${timeOf('n')}, decode(lpad('70', 40, '0'), 'hex'),
      decode(lpad('a1', 40, '0'), 'hex'), decode(lpad('b2', 40, '0'), 'hex'), n, 'transfer'
    FROM generate_series(${first}, ${last}) AS n, generate_series(0, ${TRANSFERS_OF_A_BLOCK - 1}) AS log`);
  }

  /** Blocks behind the head, as the indexer stores them: with the cursor and the coverage. */
  async function append(count: number): Promise<void> {
    const first = head + 1;
    head += count;
    await chain.insert(`INSERT INTO {schema}.blocks SELECT n, ${hashOf('block')}, '\\x00', ${timeOf('n')},
      decode(repeat('00', 20), 'hex'), 30000000, 21000, 7, decode(repeat('01', 32), 'hex'), decode(repeat('02', 32), 'hex'),
      decode(repeat('03', 32), 'hex'), '\\x', 1, 1, 500, NULL, NULL, NULL, '{}'
    FROM generate_series(${first}, ${head}) AS n`);
    await fill(first, head);
    await moveHead();
  }

  async function moveHead(): Promise<void> {
    await chain.insert(`UPDATE {schema}.coverage SET covered = int8multirange(int8range(0, ${head + 1}))`);
    await chain.insert(`UPDATE {schema}.cursors SET block_number = ${head}, reorg_epoch = ${fork}`);
  }

  /** Takes the newest blocks back; others are still to come. */
  async function rollBack(depth: number): Promise<void> {
    head -= depth;
    fork += 1;
    await chain.insert(`DELETE FROM {schema}.blocks WHERE number > ${head}`);
    await chain.insert(`DELETE FROM {schema}.erc20_transfers WHERE block_number > ${head}`);
    await moveHead();
  }

  async function blockHash(number: number): Promise<string | undefined> {
    const { rows } = await chain.database.admin.query(
      `SELECT encode(hash, 'hex') AS hash FROM "${CHAIN}".blocks WHERE number = ${number}`,
    );
    return rows[0] === undefined ? undefined : String(rows[0].hash);
  }

  interface Told {
    readonly block_number: number;
    readonly log_index: number;
    readonly transaction_hash: string;
    readonly finalized: boolean;
  }

  const placeOf = ({ block_number, log_index }: Told) => block_number * TRANSFERS_OF_A_BLOCK + log_index;

  describe('pages with finality=latest', () => {
    test('across reorganisations tell each surviving row once, or say that their block was replaced', async () => {
      const reorganisation = fc.record({
        depth: fc.integer({ min: 1, max: MAX_DEPTH }),
        grown: fc.integer({ min: 0, max: MAX_DEPTH }),
      });
      const outcomes = { complete: 0, replaced: 0 };
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom('asc', 'desc'),
          fc.constantFrom('/transfers', `/addresses/${ALICE}/transfers`, `/tokens/${TOKEN}/transfers`),
          fc.integer({ min: 5, max: 60 }),
          fc.array(fc.option(reorganisation), { minLength: 1, maxLength: 4 }),
          async (order, path, limit, events) => {
            const list = `${path}?finality=latest&order=${order}&limit=${limit}&from_block=${head - WINDOW_BLOCKS}`;
            const [from, to] = [head - WINDOW_BLOCKS, head];
            let [lowest, anchored] = [head, undefined as string | undefined];
            let last: Told | undefined;
            const told: Told[] = [];
            let cursor: string | undefined;
            for (let page = 0; page < MAX_PAGES; page += 1) {
              const event = page === 0 ? undefined : events[page - 1];
              if (event) {
                await rollBack(event.depth);
                lowest = Math.min(lowest, head);
                await append(event.grown);
              }
              const { statusCode, json } = await chain.get(`${list}${cursor ? `&cursor=${cursor}` : ''}`);
              const isThere = last === undefined || (await blockHash(last.block_number)) === anchored;
              if (statusCode === 409 && json.error?.code === 'block_replaced') {
                expect(isThere).toBe(false);
                outcomes.replaced += 1;
                return;
              }
              expect(isThere).toBe(true);
              if (statusCode === 409) {
                expect([json.error?.code, head < to]).toEqual(['finality_exceeded', true]);
                await append(to - head);
                continue;
              }
              expect(statusCode).toBe(200);
              const rows = json.data as unknown as Told[];
              for (const row of rows) expect(row.finalized).toBe(row.block_number <= head - 256);
              told.push(...rows);
              last = rows.at(-1) ?? last;
              anchored = last === undefined ? undefined : await blockHash(last.block_number);
              cursor = json.next_cursor;
              if (cursor === undefined) break;
            }
            outcomes.complete += 1;
            const places = told.map(placeOf);
            expect(places).toEqual(
              [...places].sort((one, other) => (order === 'asc' ? one - other : other - one)),
            );
            expect(new Set(told.map(({ transaction_hash }) => transaction_hash)).size).toBe(told.length);
            const survived = Array.from(
              { length: Math.min(lowest, to) - from + 1 },
              (_, index) => from + index,
            );
            expect(
              told
                .filter(({ block_number }) => block_number <= lowest)
                .map(({ block_number }) => block_number),
            ).toEqual((order === 'asc' ? survived : survived.reverse()).flatMap((block) => [block, block]));
          },
        ),
        { numRuns: RUNS },
      );
      expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(repetitions(RUNS));
    });

    test('wait until the index is where it was, if the block of the cursor is still there', async () => {
      const path = '/blocks?finality=latest&order=asc&limit=10&from_block=';
      const list = `${path}${head - 30}`;
      const former = head;
      const first = await chain.get(list);
      const next = `${list}&cursor=${first.json.next_cursor}`;
      await rollBack(5);
      const meanwhile = await chain.get(next);
      expect([meanwhile.statusCode, meanwhile.json.error?.code]).toEqual([409, 'finality_exceeded']);
      await append(5);
      const second = await chain.get(next);
      expect(second.json.data.map(({ number }) => number)).toEqual(
        Array.from({ length: 10 }, (_, index) => former - 20 + index),
      );
      await rollBack(25);
      await append(25);
      const gone = await chain.get(`${list}&cursor=${second.json.next_cursor}`);
      expect([gone.statusCode, gone.json.error?.code]).toEqual([409, 'block_replaced']);
      checkContract('listBlocks', { status: 409, contentType: 'application/json', body: String(gone.body) });
    });
  });

  describe('finality=latest', () => {
    test('tells rows up to the head, each with its mark; without it nothing has changed', async () => {
      const list = `/addresses/${ALICE}/transfers?limit=500`;
      const [plain, finalized, latest] = [
        await chain.get(list),
        await chain.get(`${list}&finality=finalized`),
        await chain.get(`${list}&finality=latest`),
      ];
      const responseOf = ({ json }: typeof plain) => [json.data, json.next_cursor, json.meta.coverage];
      expect(responseOf(finalized)).toEqual(responseOf(plain));
      expect(Math.max(...plain.json.data.map(({ block_number }) => Number(block_number)))).toBe(head - 256);
      expect(plain.json.data[0]).not.toHaveProperty('finalized');
      expect(latest.json.data[0]).toMatchObject({ block_number: head, finalized: false });
      expect(latest.json.meta).toMatchObject({
        as_of_block: head,
        finalized_block: head - 256,
        coverage: 'full',
      });
      const shared = latest.json.data.filter((row) => row.finalized).map(({ finalized: _, ...row }) => row);
      expect(shared).toEqual(plain.json.data.slice(0, shared.length));
    });

    test('finds a block, a transaction and what is in it before they are final', async () => {
      const block = FINALIZED + 30;
      const { rows } = await chain.database.admin.query(
        `SELECT '0x' || encode(tx_hash, 'hex') AS hash FROM "${CHAIN}".erc20_transfers WHERE block_number = ${block} AND log_index = 0`,
      );
      const hash = String(rows[0]?.hash);
      for (const path of [`/blocks/${head}`, `/transactions/${hash}`, `/transactions/${hash}/transfers`]) {
        expect((await chain.get(path)).json.error?.code).toBe('finality_exceeded');
        const { statusCode, json, headers } = await chain.get(`${path}?finality=latest`);
        expect(statusCode).toBe(200);
        expect([json.data].flat()[0]).toMatchObject({ finalized: false });
        expect(headers?.['Cache-Control']).toBe('private, no-cache');
      }
      const old = await chain.get('/blocks/100?finality=latest');
      expect(old.json.data).toMatchObject({ number: 100, finalized: true });
      expect(old.headers?.['Cache-Control']).toContain('immutable');
    });

    test('ends at the head', async () => {
      const { statusCode, json } = await chain.get(`/blocks/${head + 1}?finality=latest`);
      expect([statusCode, json.error]).toEqual([
        409,
        { code: 'finality_exceeded', message: `block ${head + 1} is above as_of_block ${head}` },
      ]);
      const window = `finality=latest&from_block=${head - 1}&to_block=${head + 9}`;
      expect((await chain.get(`/blocks?${window}`)).statusCode).toBe(409);
      const cut = await chain.get(`/blocks?${window}&clamp=true`);
      expect([cut.json.data.length, cut.json.meta.coverage]).toEqual([2, 'partial']);
    });
  });
});

describe('coverage of what is derived', () => {
  const TOKEN = address('70');
  /** Prices, and the figures made from them, are always some blocks behind the index. */
  const DERIVED = HEAD - 5;
  const at = (block: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + block * 10_000).toISOString();

  let chain: SeededChain;

  beforeAll(async () => {
    chain = await startSeededChain();
    await chain.insert(`INSERT INTO {schema}.token_prices
    SELECT decode(lpad('70', 40, '0'), 'hex'), n, '2026-01-01T00:00:00Z'::timestamptz + n * interval '10 seconds', n, 'peg',
      NULL, NULL, 1 FROM generate_series(100, ${DERIVED}, 100) AS n`);
    // A candle for each minute, which is six blocks.
    await chain.insert(`INSERT INTO {schema}.candles
    SELECT 'token', decode(lpad('70', 40, '0'), 'hex'), 60, '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 minute',
      1, 1, 1, 1, 1, NULL, 1, 1, n * 6, least(n * 6 + 5, ${DERIVED}) FROM generate_series(0, ${DERIVED} / 6) AS n`);
    await chain.insert(`INSERT INTO {schema}.stock_tokens (token, issuer, initial_multiplier, registered_block, updated_block)
    VALUES (decode(lpad('70', 40, '0'), 'hex'), 'x', 1, 0, 0)`);
    await chain.insert(`INSERT INTO {schema}.stock_daily (day, token, transfers, transfers_raw_amount, transfers_ui_amount,
      unique_senders, unique_receivers, mint_raw_amount, burn_raw_amount, net_supply_change, dex_swap_count, dex_raw_volume,
      ui_multiplier, first_block, last_block, refreshed_at)
    SELECT day, decode(lpad('70', 40, '0'), 'hex'), 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, now()
    FROM unnest(ARRAY['2026-01-01', '2025-12-31']::date[]) AS day`);
  });

  afterAll(() => chain?.close());

  beforeEach(() => derivedUpTo(DERIVED));

  async function derivedUpTo(block: number): Promise<void> {
    await chain.insert(`INSERT INTO {schema}.coverage (dataset, covered)
    SELECT name, int8multirange(int8range(0, ${block + 1})) FROM unnest(ARRAY['token_prices', 'candles', 'stock_daily']) AS name
    ON CONFLICT (dataset) DO UPDATE SET covered = EXCLUDED.covered`);
    await chain.insert(`INSERT INTO {schema}.cursors (name, block_number, block_hash, block_time)
    VALUES ('rollups', ${block}, '\\x00', '${at(block)}')
    ON CONFLICT (name) DO UPDATE SET block_number = EXCLUDED.block_number, block_time = EXCLUDED.block_time`);
  }

  async function coverageOf(path: string): Promise<unknown> {
    const { statusCode, json } = await chain.get(path);
    expect(statusCode).toBe(200);
    return json.meta.coverage;
  }

  const CANDLES = `/tokens/${TOKEN}/candles?interval=1m`;
  const DERIVED_LISTS = [
    `/tokens/${TOKEN}/price`,
    `/prices?tokens=${TOKEN}`,
    CANDLES,
    `/stocks/${TOKEN}/candles`,
    '/stocks',
    '/stocks?day=2026-01-01',
    `/stocks/${TOKEN}/daily`,
  ];

  test.each(DERIVED_LISTS)(
    '%s is complete once the finalized block is derived, and not before',
    async (path) => {
      expect(await coverageOf(path)).toBe('full');
      await derivedUpTo(FINALIZED);
      expect(await coverageOf(path)).toBe('full');
      await derivedUpTo(FINALIZED - 1);
      expect(await coverageOf(path)).toBe('partial');
      await chain.insert(
        `DELETE FROM {schema}.coverage WHERE dataset IN ('token_prices', 'candles', 'stock_daily')`,
      );
      expect(await coverageOf(path)).toBe('none');
    },
  );

  describe('times are judged by their blocks', () => {
    test('of a price', async () => {
      await derivedUpTo(200);
      const price = (block: number) => coverageOf(`/tokens/${TOKEN}/price?at=${at(block)}`);
      expect(await price(200)).toBe('full');
      expect(await price(200.5)).toBe('full');
      expect(await price(201)).toBe('partial');
      expect(await price(10 * HEAD)).toBe('partial');
    });

    test('of candles, up to the end of the last one', async () => {
      await derivedUpTo(203);
      const candles = (from: number, to: number) =>
        coverageOf(`${CANDLES}&from_time=${at(from)}&to_time=${at(to)}`);
      expect(await candles(60, 203)).toBe('full');
      expect(await candles(60, 204)).toBe('partial');
      expect(await candles(210, 240)).toBe('none');
      expect(await coverageOf(`${CANDLES}&from_time=${at(60)}`)).toBe('partial');
      expect(await coverageOf(`${CANDLES}&to_time=${at(60)}`)).toBe('full');
    });

    test('of candles above the finalized block, which are as far as they are derived', async () => {
      expect(await coverageOf(`${CANDLES}&from_time=${at(FINALIZED + 10)}&to_time=${at(500)}`)).toBe('full');
      expect(await coverageOf(`${CANDLES}&from_time=${at(FINALIZED + 10)}`)).toBe('partial');
      expect(await coverageOf(`${CANDLES}&from_time=2027-01-01T00:00:00Z`)).toBe('none');
      expect(await coverageOf(`${CANDLES}&from_time=${at(100)}&to_time=${at(HEAD)}`)).toBe('full');
    });

    test('of a day', async () => {
      await derivedUpTo(200);
      expect(await coverageOf('/stocks?day=2026-01-01')).toBe('partial');
      expect(await coverageOf('/stocks?day=2025-12-31')).toBe('full');
      expect(await coverageOf('/stocks?day=2026-01-02')).toBe('none');
    });
  });

  describe('a candle is complete', () => {
    const complete = async () => {
      const { json } = await chain.get(`${CANDLES}&order=asc&limit=500`);
      return json.data.filter((candle) => candle.complete === true).at(-1)?.start;
    };
    /** The last minute that ends at or before a block. */
    const minuteBefore = (block: number) => at(Math.floor(block / 6) * 6 - 6).replace('.000', '');

    test('when the finalized block is past its end, and it is derived', async () => {
      expect(await complete()).toBe(minuteBefore(FINALIZED));
      await derivedUpTo(200);
      expect(await complete()).toBe(minuteBefore(200));
    });

    test('only where the finalized block is stored', async () => {
      await chain.insert(`DELETE FROM {schema}.blocks WHERE number = ${FINALIZED}`);
      const { json } = await chain.get(CANDLES);
      expect(new Set(json.data.map((candle) => candle.complete))).toEqual(new Set([false]));
    });
  });
});

describe('multipliers of stocks', () => {
  const HOLDER = address('a1');
  const INITIAL = 7n;
  const FIRST_BLOCK = 10;
  const LAST_BLOCK = 18;
  /** Of a block and token: transfers have the even ones. */
  const LOGS = 6;
  const SECONDS = 1_767_225_600;
  /** Two blocks a second, as a fast chain has them. */
  const timeOf = (block: number) => SECONDS + Math.floor(block / 2);

  /** An announcement: where it stands, and when it takes effect. */
  interface Announced {
    readonly block: number;
    readonly log: number;
    readonly effectiveAt: number;
    readonly multiplier: bigint;
  }

  let chain: SeededChain;
  let tokens = 0;

  beforeAll(async () => {
    chain = await startSeededChain();
    await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (1, ${LAST_BLOCK}, '\\x00', to_timestamp(${timeOf(LAST_BLOCK)}), now())`);
    await chain.insert(`UPDATE {schema}.cursors SET block_time = to_timestamp(${timeOf(LAST_BLOCK)})`);
    await chain.insert(
      `INSERT INTO {schema}.coverage VALUES ('balances', '{[0,${FINALIZED}]}'), ('stock_tokens', '{[0,${FINALIZED}]}')`,
    );
  });

  afterAll(() => chain?.close());

  /** A stock that announced this, with transfers around every log, and one holder at the last block. */
  async function stockWith(announced: readonly Announced[]): Promise<string> {
    tokens += 1;
    const token = address(`57${tokens.toString(16).padStart(6, '0')}`);
    const [of, holder] = [token, HOLDER].map((hex) => `'\\x${hex.slice(2)}'::bytea`);
    const firstLog = tokens * LOGS;
    await chain.insert(`INSERT INTO {schema}.stock_tokens (token, issuer, initial_multiplier, registered_block, updated_block)
    VALUES (${of}, 'unknown', ${INITIAL}, 1, 1)`);
    for (const { block, log, effectiveAt, multiplier } of announced)
      await chain.insert(`INSERT INTO {schema}.stock_multipliers VALUES (${of}, ${block}, ${firstLog + log}, '\\x00',
      to_timestamp(${timeOf(block)}), 1, ${multiplier}, to_timestamp(${timeOf(block)}), to_timestamp(${effectiveAt}))`);
    await connectionTo(chain.database.writer, CHAIN).query(MARK_SUPERSEDED, {
      from: FIRST_BLOCK,
      to: LAST_BLOCK,
    });
    await chain.insert(`INSERT INTO {schema}.erc20_transfers
        (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
    SELECT block, log + ${firstLog}, 0, '\\x00', to_timestamp(${SECONDS} + block / 2), ${of}, ${holder}, ${holder},
      10::numeric ^ 18, 'transfer'
    FROM generate_series(${FIRST_BLOCK}, ${LAST_BLOCK}) AS block, generate_series(0, ${LOGS - 1}, 2) AS log`);
    await chain.insert(`INSERT INTO {schema}.balances
    VALUES (${holder}, ${of}, 10::numeric ^ 18, 'ledger', 'verified', ${LAST_BLOCK}, 1)`);
    return token;
  }

  /** What the contract held after what was announced before a log. */
  function inForce(announced: readonly Announced[], block: number, log: number): string {
    const before = announced.filter((one) => one.block < block || (one.block === block && one.log < log));
    const set = before.map(({ multiplier, effectiveAt, ...one }) => ({
      blockNumber: one.block,
      setAt: timeOf(one.block),
      effectiveAt,
      newMultiplier: multiplier,
    }));
    return multipliersOf(INITIAL, set, timeOf(block)).multiplier.toString();
  }

  interface Moved {
    readonly block_number: number;
    readonly log_index: number;
    readonly ui_multiplier: string;
    readonly ui_amount: string;
  }

  async function expectInForce(announced: readonly Announced[]): Promise<void> {
    const token = await stockWith(announced);
    const { json } = await chain.get(`/stocks/${token}/transfers?limit=500&order=asc`);
    const moved = json.data as unknown as Moved[];
    expect(moved).toHaveLength(((LAST_BLOCK - FIRST_BLOCK + 1) * LOGS) / 2);
    for (const { block_number, log_index, ui_multiplier, ui_amount } of moved) {
      const log = log_index - tokens * LOGS;
      const multiplier = inForce(announced, block_number, log);
      expect({ block_number, log, ui_multiplier, ui_amount }).toEqual({
        block_number,
        log,
        ui_multiplier: multiplier,
        ui_amount: multiplier,
      });
    }
    const atTheEnd = inForce(announced, LAST_BLOCK, LOGS);
    const holders = await chain.get(`/tokens/${token}/holders`);
    expect(holders.json.data).toMatchObject([{ ui_multiplier: atTheEnd, ui_amount: atTheEnd }]);
    const held = await chain.get(`/addresses/${HOLDER}/stocks?limit=500`);
    expect(held.json.data.find((stock) => stock.token === token)).toMatchObject({
      ui_multiplier: atTheEnd,
      ui_balance: atTheEnd,
    });
    const last = announced.at(-1);
    const isPending = last !== undefined && last.effectiveAt > timeOf(LAST_BLOCK);
    expect((await chain.get(`/stocks/${token}`)).json.data).toMatchObject({
      ui_multiplier: atTheEnd,
      new_ui_multiplier: isPending ? last.multiplier.toString() : null,
      effective_at: isPending ? new Date(last.effectiveAt * 1_000).toISOString().replace('.000', '') : null,
    });
  }

  describe('the multiplier in force', () => {
    test('is that of the last announcement, also if another one names a later time', () =>
      expectInForce([
        { block: 11, log: 1, effectiveAt: timeOf(12), multiplier: 4n },
        { block: 15, log: 1, effectiveAt: 0, multiplier: 2n },
      ]));

    test('is not yet that of an announcement behind the transfer, in its own block', () =>
      expectInForce([{ block: 14, log: 3, effectiveAt: timeOf(14), multiplier: 4n }]));

    test('is the former one again if a second announcement of the block takes the place of a first', () =>
      expectInForce([
        { block: 14, log: 1, effectiveAt: timeOf(14), multiplier: 4n },
        { block: 14, log: 3, effectiveAt: timeOf(17), multiplier: 2n },
      ]));

    test('is what the contract would have answered, whatever was announced', async () => {
      const announcement = fc.record({
        block: fc.integer({ min: FIRST_BLOCK, max: LAST_BLOCK }),
        log: fc.constantFrom(1, 3),
        effectiveAt: fc.oneof(fc.constant(0), fc.integer({ min: timeOf(8), max: timeOf(22) })),
        multiplier: fc.bigInt({ min: 1n, max: 5n }),
      });
      const announced = fc
        .uniqueArray(announcement, { maxLength: 6, selector: ({ block, log }) => `${block} ${log}` })
        .map((all) => all.sort((one, other) => one.block - other.block || one.log - other.log));
      await fc.assert(fc.asyncProperty(announced, expectInForce), { numRuns: 60 });
    });
  });

  test('announcements of a status are those that have it in the list of all', async () => {
    await stockWith([
      { block: 11, log: 1, effectiveAt: timeOf(16), multiplier: 4n },
      { block: 12, log: 1, effectiveAt: timeOf(13), multiplier: 3n },
      { block: 15, log: 1, effectiveAt: timeOf(LAST_BLOCK), multiplier: 2n },
      { block: 18, log: 1, effectiveAt: timeOf(LAST_BLOCK) + 1, multiplier: 5n },
    ]);
    for (const order of ['asc', 'desc']) {
      const listed = async (query: string) =>
        (await chain.get(`/stocks/corporate-actions?limit=500&order=${order}${query}`)).json.data;
      const all = await listed('');
      for (const status of ['pending', 'effective', 'superseded']) {
        const those = all.filter((action) => action.status === status);
        expect(those.length).toBeGreaterThan(0);
        expect(await listed(`&status=${status}`)).toEqual(those);
      }
    }
  });
});
