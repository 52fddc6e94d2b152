import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { accountOperationsOf, readDescription } from '../../api/read-description.ts';
import { createAccount } from '../../lambdas/accounts/create-account.ts';
import { creditAccount } from '../../lambdas/accounts/credit-account.ts';
import { debitAccount } from '../../lambdas/accounts/debit-account.ts';
import { openEvidence } from '../../lambdas/settlement/evidence.ts';
import { settleAccount } from '../../lambdas/settlement/settle-account.ts';
import { MAX_RECEIPT_LANES } from '../../lambdas/shared/bill/receipt.ts';
import { ACCOUNT_PARAMETERS } from '../../lambdas/status/account-parameters.ts';
import {
  ACCOUNT_CREDITS,
  ACCOUNT_LANES,
  ACCOUNT_LISTS,
  ACCOUNT_SETTLEMENTS,
  ACCOUNT_USAGE,
  type AccountList,
  listAccountRecords,
  SETTLEMENT_LANES,
} from '../../lambdas/status/list-account-records.ts';
import { checkContract } from '../api/contract.ts';
import { chargeAt, clockAt, marksOf, openAccount, settleMarked } from '../settlement/settlement-fixture.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { MemoryObjects } from '../support/memory/objects.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const CALL = { chain: 'example_mainnet', method: 'eth_call', calls: 100, cu: 2_000, cached: 0, errors: 1 };
const LIST = { chain: '*', method: 'data/listChains', calls: 2, cu: 2, cached: 0, errors: 0 };
/** Two hours that are settled, the first of them twice, and two that are not. */
const HOURS = ['2026-11-19T23', '2026-11-20T00', '2026-11-20T22', '2026-11-20T23'];
const SETTLED = HOURS.slice(0, 2);

let store: MemoryStore;

beforeAll(async () => {
  store = new MemoryStore();
  const clock = clockAt('2026-11-20T22:15:00Z');
  for (const account of ['alice', 'bob']) await openAccount(store, account);
  for (const hour of HOURS) {
    await chargeAt(store, 'alice', `${hour}:05:00Z`, CALL.cu, { usage: [CALL] });
    await chargeAt(store, 'alice', `${hour}:06:00Z`, LIST.cu, { usage: [LIST], lane: 'lane-2' });
  }
  await chargeAt(store, 'bob', '2026-11-20T00:05:00Z', 7_777, { usage: [{ ...CALL, cu: 7_777 }] });
  await settleMarked(store, clock, 'alice', SETTLED);
  await settleMarked(store, clock, 'bob', SETTLED);
  const late = { ...CALL, calls: 1, cu: 1_500 };
  await chargeAt(store, 'alice', `${SETTLED[0]}:59:00Z`, late.cu, { usage: [late], lane: 'lane-3' });
  await settleMarked(store, clock, 'alice', SETTLED);
});

type Query = Record<string, string>;
type Row = Record<string, unknown> & { readonly hour: string; readonly revision?: number };

async function ask(list: AccountList, query: Query = {}, account = 'alice') {
  const values = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]]));
  return listAccountRecords({ store }, list, { account, query: values });
}

async function page(list: AccountList, query?: Query, account?: string) {
  const response = await ask(list, query, account);
  if (!response.ok) throw new Error(response.message);
  const body = JSON.stringify(response.body);
  checkContract(list.operationId, { status: 200, contentType: 'application/json', body });
  return response.body as { readonly data: readonly Row[]; readonly next_cursor?: string };
}

test('usage is by hour, the newest first, by chain and method; settled hours have what came late', async () => {
  const { data } = await page(ACCOUNT_USAGE);
  expect(data).toEqual([
    { hour: '2026-11-20T23', settled: false, cu: 2_002, usage: [LIST, CALL] },
    { hour: '2026-11-20T22', settled: false, cu: 2_002, usage: [LIST, CALL] },
    { hour: '2026-11-20T00', settled: true, cu: 2_002, usage: [LIST, CALL] },
    {
      hour: '2026-11-19T23',
      settled: true,
      cu: 3_502,
      usage: [LIST, { ...CALL, calls: 101, cu: 3_500, errors: 2 }],
    },
  ]);
});

test('settlements are the records of the account, each revision one, and no other', async () => {
  const { data } = await page(ACCOUNT_SETTLEMENTS, { order: 'asc' });
  expect(data.map(({ settled_at: _, digest: __, lanes: ___, statement: ____, ...record }) => record)).toEqual(
    [
      {
        hour: '2026-11-19T23',
        revision: 1,
        settled_cu: 2_002,
        total_cu: 2_002,
        billing_units: 2,
        remainder_cu: 2,
        usage: 'example_mainnet eth_call:100:2000:0:1;* data/listChains:2:2',
      },
      {
        hour: '2026-11-19T23',
        revision: 2,
        settled_cu: 1_500,
        total_cu: 3_502,
        billing_units: 1,
        remainder_cu: 502,
        usage: 'example_mainnet eth_call:101:3500:0:2;* data/listChains:2:2',
      },
      {
        hour: '2026-11-20T00',
        revision: 1,
        settled_cu: 2_002,
        total_cu: 2_002,
        billing_units: 2,
        remainder_cu: 2,
        usage: 'example_mainnet eth_call:100:2000:0:1;* data/listChains:2:2',
      },
    ],
  );
  expect((await page(ACCOUNT_SETTLEMENTS, {}, 'bob')).data).toMatchObject([{ total_cu: 7_777 }]);
});

test('pages of any size have every row once, in order, within the window', async () => {
  const instant = fc.constantFrom(...HOURS.flatMap((hour) => [`${hour}:00:00Z`, `${hour}:59:59.999Z`]));
  const query = fc.record(
    { order: fc.constantFrom('asc', 'desc'), from_time: instant, to_time: instant },
    { requiredKeys: ['order'] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(ACCOUNT_USAGE, ACCOUNT_SETTLEMENTS),
      fc.integer({ min: 1, max: 5 }),
      query.filter(({ from_time = '0', to_time = '9' }) => from_time <= to_time),
      async (list, limit, filters) => {
        const [first, last] = [filters.from_time?.slice(0, 13) ?? '0', filters.to_time?.slice(0, 13) ?? '9'];
        const whole = (await page(list, { order: filters.order })).data;
        const expected = whole.filter(({ hour }) => hour >= first && hour <= last);
        const found: Row[] = [];
        let next: string | undefined;
        do {
          const cursor: Query = next === undefined ? {} : { cursor: next };
          const { data, next_cursor } = await page(list, { ...filters, limit: String(limit), ...cursor });
          expect(data.length).toBeLessThanOrEqual(limit);
          found.push(...data);
          next = next_cursor;
        } while (next !== undefined);
        expect(found).toEqual(expected);
      },
    ),
  );
});

describe('the lanes of an hour', () => {
  const hour = '2026-11-18T07';
  const at = `${hour}:05:00Z`;
  const names = ['AAAAAAAAAAA', 'BBBBBBBBBBA', '_-9zzzzzzzY'];

  beforeAll(async () => {
    await openAccount(store, 'wide', { shards: 3 });
    for (const [place, lane] of names.entries()) {
      await chargeAt(store, 'wide', at, 1_000, { lane });
      await chargeAt(store, 'wide', at, place + 1, { lane });
      await chargeAt(store, 'wide', at, 500, { lane: names[place ? place - 1 : 2] ?? '', shard: 2 });
    }
    await chargeAt(store, 'wide', '2026-11-18T08:05:00Z', 9, { lane: names[0] ?? '' });
    await chargeAt(store, 'wide', '2026-11-18T06:05:00Z', 9, { lane: names[2] ?? '', shard: 2 });
    await settleMarked(store, clockAt('2026-11-20T22:15:00Z'), 'wide', [hour]);
  });

  const rowsOf = (lanes: readonly string[], shard: number, n: number, totals: readonly number[]) =>
    lanes.map((lane, place) => ({ shard, lane, n, total_cu: totals[place] }));
  const expected = [...rowsOf(names, 0, 2, [1_001, 1_002, 1_003]), ...rowsOf(names, 2, 1, [500, 500, 500])];

  test.each([1, 2, 3, 4, 5, 6, 7])('are all there, once, by pages of %i', async (limit) => {
    const found: object[] = [];
    let cursor: string | undefined;
    do {
      const query = { hour, limit: String(limit), ...(cursor !== undefined && { cursor }) };
      const { data, next_cursor } = await page(ACCOUNT_LANES, query, 'wide');
      expect(data.length).toBeLessThanOrEqual(limit);
      found.push(...data);
      cursor = next_cursor;
    } while (cursor !== undefined);
    expect(found).toEqual(expected);
  });

  test('have the digest of their settlement, by the rule of the description', async () => {
    const { data } = await page(
      ACCOUNT_SETTLEMENTS,
      { to_time: `${hour}:00:00Z`, from_time: `${hour}:00:00Z` },
      'wide',
    );
    const lines = expected.map(({ shard, lane, total_cu }) => `wide#${shard} ${hour}#${lane} ${total_cu}\n`);
    const digest = createHash('sha256').update(lines.sort().join('')).digest('hex');
    expect(data).toMatchObject([{ hour, lanes: 6, total_cu: 4_506, digest }]);
  });

  test.each([
    [{}, 'hour is required'],
    [{ hour: '2026-11-18' }, /^hour must/],
    [{ hour: '2026-11-18T24' }, /^hour must/],
    [{ hour, order: 'asc' }, 'unknown parameter: order'],
  ])('%j is wrong', async (query, message) => {
    expect(await ask(ACCOUNT_LANES, query as Query)).toEqual({
      ok: false,
      message: expect.stringMatching(message),
    });
  });

  test('of an hour without any are none, and a cursor is of its hour', async () => {
    expect((await page(ACCOUNT_LANES, { hour: '2020-01-01T00' }, 'wide')).data).toEqual([]);
    const { next_cursor: cursor = '' } = await page(ACCOUNT_LANES, { hour, limit: '1' }, 'wide');
    expect(await ask(ACCOUNT_LANES, { hour: '2026-11-18T08', cursor }, 'wide')).toMatchObject({ ok: false });
  });
});

describe('credits', () => {
  const clock = clockAt('2026-11-20T22:15:00Z');
  const created_at = '2026-11-20T22:15:00.000Z';
  const row = (kind: string, reference: string, cu: number, reason: string | null) => ({
    kind,
    reference,
    cu,
    reason,
    created_at,
  });

  test.each([1, 2, 50])(
    'and debits are all there, once, by pages of %i, without the person who made them',
    async (limit) => {
      const account = `paid-${limit}`;
      await createAccount(store, clock, {
        account,
        plan: 'standard',
        credit: { cu: 900, reference: 'b', by: 'x' },
      });
      await creditAccount(store, clock, account, { cu: 50, reference: 'a#1' });
      const debit = { cu: 40, reference: 'b', by: 'y', reason: 'Paid back' };
      await debitAccount(store, clock, account, debit);
      await debitAccount(store, clock, account, { ...debit, reference: 'b2' });
      const found: object[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: String(limit), ...(cursor !== undefined && { cursor }) };
        const { data, next_cursor } = await page(ACCOUNT_CREDITS, query, account);
        found.push(...data);
        cursor = next_cursor;
      } while (cursor !== undefined);
      expect(found).toEqual([
        row('credit', 'a#1', 50, null),
        row('credit', 'b', 900, null),
        row('debit', 'b', 40, 'Paid back'),
        row('debit', 'b2', 40, 'Paid back'),
      ]);
    },
  );
});

describe('a cursor', () => {
  test('is of its list, its account and its window', async () => {
    const { next_cursor: cursor = '' } = await page(ACCOUNT_USAGE, { limit: '1', order: 'asc' });
    const refused = { ok: false, message: 'cursor belongs to a different query' };
    expect(await ask(ACCOUNT_USAGE, { cursor, limit: '3', order: 'asc' })).toMatchObject({ ok: true });
    expect(await ask(ACCOUNT_USAGE, { cursor })).toEqual(refused);
    expect(await ask(ACCOUNT_SETTLEMENTS, { cursor, order: 'asc' })).toEqual(refused);
    expect(await ask(ACCOUNT_USAGE, { cursor, order: 'asc' }, 'bob')).toEqual(refused);
    expect(await ask(ACCOUNT_USAGE, { cursor, order: 'asc', to_time: '1900000000' })).toEqual(refused);
    expect(await ask(ACCOUNT_USAGE, { cursor: `${cursor}A`, order: 'asc' })).toEqual(refused);
  });
});

test.each([
  [{ account: 'bob' }, 'unknown parameter: account'],
  [{ limit: '101' }, 'limit must be an integer from 1 to 100'],
  [{ order: 'up' }, 'order must be one of asc, desc'],
  [{ from_time: '2026-11-20T23' }, /^from_time must be a time/],
  [{ from_time: '2026-11-20T23:00:00Z', to_time: '2026-11-20T22:00:00Z' }, 'from_time is after to_time'],
])('%j is wrong', async (query, message) => {
  for (const list of [ACCOUNT_USAGE, ACCOUNT_SETTLEMENTS])
    expect(await ask(list, query as Query)).toEqual({ ok: false, message: expect.stringMatching(message) });
});

test('the lists are those of the description, and a page of receipts is what one receipt has room for', () => {
  const operations = accountOperationsOf(readDescription());
  expect(ACCOUNT_LISTS.map(({ operationId }) => operationId)).toEqual(
    operations.map(({ operation }) => operation.operationId),
  );
  expect(ACCOUNT_PARAMETERS.listAccountReceipts.find(({ name }) => name === 'limit')).toMatchObject({
    maximum: MAX_RECEIPT_LANES,
  });
});

describe('lanes of a settlement', () => {
  const HOUR = '2026-11-20T05';
  const objects = new MemoryObjects();

  beforeAll(async () => {
    await openAccount(store, 'frozen');
    for (const [place, cu] of [100, 200, 300].entries())
      await chargeAt(store, 'frozen', `${HOUR}:10:00Z`, cu, { lane: `lane-${place}-kept` });
    const clock = { now: () => Date.parse('2026-11-20T07:00:00Z') };
    const common = { store, clock, pause: async () => {}, telemetry: new RecordedTelemetry() };
    const books = openEvidence(common, { evidence: objects, heads: objects }, (count) => randomBytes(count));
    await settleAccount(books, 'frozen', await marksOf(store, 'frozen', [HOUR]));
    await chargeAt(store, 'frozen', `${HOUR}:50:00Z`, 1_000, { lane: 'lane-0-kept' });
  });

  const lanes = (query: Query, hour = HOUR) =>
    listAccountRecords({ store, leaves: objects }, SETTLEMENT_LANES, {
      account: 'frozen',
      path: { hour },
      query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [String(value)]])),
    });

  test('are those that it added up, whatever came later, page by page', async () => {
    const first = await lanes({ limit: '2' });
    expect(first).toMatchObject({
      ok: true,
      body: {
        data: [
          { shard: 0, lane: 'lane-0-kept', n: 1, total_cu: 100, usage: expect.any(String) },
          { lane: 'lane-1-kept', total_cu: 200 },
        ],
      },
    });
    const cursor = first.ok ? first.body.next_cursor : undefined;
    expect(await lanes({ limit: '2', cursor: String(cursor) })).toEqual({
      ok: true,
      body: { data: [expect.objectContaining({ lane: 'lane-2-kept', total_cu: 300 })] },
    });
  });

  test('are none of a record that there is not, or whose lanes are not kept', async () => {
    expect(await lanes({ revision: '2' })).toEqual({ ok: true, body: { data: [] } });
    expect(await lanes({}, '2026-11-20T06')).toEqual({ ok: true, body: { data: [] } });
  });

  test.each([
    [{ revision: '0' }, HOUR, /^revision must be/],
    [{ limit: '1001' }, HOUR, /^limit must be/],
    [{}, '2026-13-20T06', /^hour must/],
    [{ hour: HOUR }, HOUR, /^unknown parameter: hour/],
  ])('%j of hour %s is wrong', async (query, hour, message) => {
    expect(await lanes(query as unknown as Query, hour)).toEqual({
      ok: false,
      message: expect.stringMatching(message),
    });
  });
});
