import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkContract } from '../api/contract.ts';
import { address, CHAIN, FINALIZED, HEAD, type SeededChain, startSeededChain } from './seeded-chain.ts';

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
            told.filter(({ block_number }) => block_number <= lowest).map(({ block_number }) => block_number),
          ).toEqual((order === 'asc' ? survived : survived.reverse()).flatMap((block) => [block, block]));
        },
      ),
      { numRuns: RUNS },
    );
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(RUNS);
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

  test.each([
    '/tokens',
    '/dex/pools',
    `/tokens/${TOKEN}/holders`,
    `/addresses/${ALICE}/balances`,
    '/status/freshness',
  ])('is refused where rows are of no block: %s', async (path) => {
    const { statusCode, json } = await chain.get(`${path}?finality=latest`);
    expect([statusCode, json.error?.message]).toEqual([400, 'unknown parameter: finality']);
  });
});
