import { type Query, type Store, StoreUnavailableError } from '../../lambdas/access/store/store.ts';
import type { Table } from '../../lambdas/access/store/tables.ts';
import { putRecord, type SettlementRecord } from '../../lambdas/settlement/settlement-ledger.ts';
import { NO_RECORD } from '../../lambdas/shared/bill/record-statement.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';
import { BARE_CONTEXT } from './bare-context.ts';
import { capturedRun } from './captured-run.ts';

const MAX_KEYS_PAGE = 1_000;
const MAX_ACCOUNTS_PAGE = 100;

const CREATED_AT = '2026-11-20T23:15:00.000Z';
/** More than the commands ever listed before they listed all, and the last page is not full. */
const ACCOUNTS = 1_000 + MAX_ACCOUNTS_PAGE / 2;
const KEYS = 2 * MAX_KEYS_PAGE + 1;
const HOURS = 1_203;
const FIRST_HOUR_MS = Date.parse('2026-10-01T00:00:00Z');
const HOUR_MS = 3_600_000;
/** How often a read is begun. */
const ALL_ATTEMPTS = 5;

let store: MemoryStore;
beforeEach(async () => {
  store = new MemoryStore();
  await putAccount('acme');
});

async function put(table: Table, item: Record<string, string | bigint>): Promise<void> {
  await store.put({ table, item, when: [] });
}

async function putAccount(account: string, openFrom = hour(0)): Promise<void> {
  const amounts = {
    granted: 5_000n,
    settled: 0n,
    closed: 0n,
    plan_revision: 1n,
    shards: 1n,
    keys: 0n,
    enabled_keys: 0n,
    disabled_at_ms: 0n,
  };
  const item = { account, plan: 'standard', ...amounts, open_from: openFrom, created_at: CREATED_AT };
  await put('accounts', item);
  await put('ledger', { account: '#accounts', record: account, created_at: CREATED_AT });
}

async function putKey(number: number): Promise<string> {
  const key_id = ((number * 7_919) % KEYS).toString(16).padStart(64, '0');
  const created_at = new Date(FIRST_HOUR_MS + number).toISOString();
  await put('keys', { key_id, account: 'acme', label: '', last4: '0000', status: 'active', created_at });
  return key_id;
}

/** Puts the one record of an hour. */
async function putSettled(
  number: number,
  amounts: Pick<SettlementRecord, 'settled_cu' | 'total_cu' | 'billing_units' | 'remainder_cu' | 'used'>,
): Promise<void> {
  const record = { account: 'acme', hour: hour(number), revision: 1, ...amounts };
  const stated = { number: number + 1, previous: NO_RECORD, root: '', salt: '' };
  await store.put(putRecord({ ...record, ...stated, lanes: 1, digest: '', settled_at: CREATED_AT }));
}

function hour(number: number): string {
  return new Date(FIRST_HOUR_MS + number * HOUR_MS).toISOString().slice(0, 13);
}

const accountName = (number: number) => `b${String(number).padStart(5, '0')}`;

/** Puts accounts behind acme; returns the names of all. */
async function putAccounts(): Promise<string[]> {
  const names = Array.from({ length: ACCOUNTS }, (_, number) => accountName(number));
  for (const name of names) await putAccount(name);
  return ['acme', ...names];
}

/** The store, told of each query before it is answered. */
function observed(onQuery: (query: Query) => void): Store {
  return {
    ...passOn(store),
    query: async (query) => {
      if (query.table !== 'lanes') onQuery(query);
      return store.query(query);
    },
  };
}

function run(line: string, on: Store = store) {
  const clock = { now: () => FIRST_HOUR_MS + HOURS * HOUR_MS };
  const context = {
    ...BARE_CONTEXT,
    store: on,
    clock,
  };
  return capturedRun([...line.split(' '), '--local'], context);
}

/** What a command lists as JSON, and the rows of its table without the headings. */
async function listed(line: string, name: string) {
  const json = await run(`${line} --json`);
  const text = await run(line);
  expect([json, text]).toMatchObject([
    { exitCode: 0, stderr: '' },
    { exitCode: 0, stderr: '' },
  ]);
  const whole = JSON.parse(json.stdout);
  expect(json.stdout).toBe(`${JSON.stringify(whole, undefined, 2)}\n`);
  const rows = text.stdout.trimEnd().split('\n').slice(1);
  return { items: whole[name] as Record<string, string>[], rows };
}

test('account list is complete, in the order of ids', async () => {
  const names = await putAccounts();
  const { items, rows } = await listed('account list', 'accounts');
  expect(items.map(({ account }) => account)).toEqual(names);
  expect(rows.map((row) => row.split(' ')[0])).toEqual(names);
});

test('key list is complete, and oldest first', async () => {
  const made: string[] = [];
  for (let number = 0; number < KEYS; number += 1) made.push(await putKey(number));
  const { items, rows } = await listed('key list acme', 'keys');
  expect(items.map(({ key_id }) => key_id).sort()).toEqual(made.sort());
  expect(rows).toHaveLength(KEYS);
  const ages = items.map(({ created_at }) => created_at);
  expect(ages).toEqual([...ages].sort());
});

test('settlements is complete, oldest hour first', async () => {
  const amounts = { settled_cu: 1_500n, total_cu: 1_500n, billing_units: 1n, remainder_cu: 500n };
  for (let number = 0; number < HOURS; number += 1) {
    await putSettled(number, { ...amounts, used: '' });
  }
  const { items, rows } = await listed('settlements acme', 'settlements');
  expect(items.map((item) => item.hour)).toEqual(Array.from({ length: HOURS }, (_, number) => hour(number)));
  expect(rows).toHaveLength(HOURS);
  expect((await run('settlements acme --json')).stdout).toContain('"billing_units": 1,');
});

test('usage is complete, with one total at its end', async () => {
  await putAccount('acme', hour(HOURS));
  const amounts = { settled_cu: 40n, total_cu: 40n, billing_units: 0n, remainder_cu: 40n };
  for (let number = 0; number < HOURS; number += 1) {
    await putSettled(number, { ...amounts, used: 'example_mainnet eth_call:2:40:1' });
  }
  const { items, rows } = await listed(`usage acme --from ${hour(0)}`, 'usage');
  expect(items.map((item) => item.hour)).toEqual(Array.from({ length: HOURS }, (_, number) => hour(number)));
  expect(rows).toHaveLength(HOURS + 1);
  expect(rows.filter((row) => row.startsWith('total'))).toEqual([rows.at(-1)]);
  expect(rows.at(-1)?.split(/ +/)).toEqual(['total', '2,406', '48,120', '1,203', '0']);
});

test('lists of nothing are as they would be at once', async () => {
  const headings = 'KEY ID  KEY  LABEL  STATUS  CREATED\n';
  expect(await run('key list acme')).toEqual({ exitCode: 0, stdout: headings, stderr: '' });
  expect((await run('key list acme --json')).stdout).toBe('{\n  "keys": []\n}\n');
  expect((await run('settlements acme')).stdout).toBe('Nothing is settled yet.\n');
  expect((await run('usage acme --json')).stdout).toBe('{\n  "account": "acme",\n  "usage": []\n}\n');
});

/** A store of which the queries fail with the numbers that are named, from 1. */
function failing(failures: (query: number) => boolean): Store {
  let queries = 0;
  return observed(() => {
    queries += 1;
    if (failures(queries)) throw new StoreUnavailableError('throttled', false);
  });
}

test('a read that fails once is repeated, and the list goes on', async () => {
  const names = await putAccounts();
  const on = failing((query) => query === 3);
  const { exitCode, stdout } = await run('account list --json', on);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).accounts).toHaveLength(names.length);
});

test.each([
  ['', 3],
  [' --json', 3],
  [' --json', 1],
])('a list%s of which read %d fails at each attempt prints nothing', async (form, first) => {
  await putAccounts();
  let queries = 0;
  const on = failing((query) => {
    queries = query;
    return query >= first;
  });
  expect(await run(`account list${form}`, on)).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'operator: the store failed (throttled)\n',
  });
  expect(queries).toBe(first - 1 + ALL_ATTEMPTS);
});

test('an audit that names only some violations says so', async () => {
  for (let number = 0; number < 25; number += 1) {
    await put('ledger', { account: '#accounts', record: `gone-${number}`, created_at: CREATED_AT });
  }
  const { exitCode, stdout } = await run('audit');
  expect(exitCode).toBe(1);
  expect(stdout.match(/^gone-/gm)).toHaveLength(20);
  expect(stdout).toContain('\n\nregistered accounts can be read: the first 20 of 25 are named.\n');
});
