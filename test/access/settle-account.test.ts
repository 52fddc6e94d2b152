import { applyCharge } from '../../lambdas/access/charge-update.ts';
import { createDynamoStore } from '../../lambdas/access/dynamo-store.ts';
import { observeAccount } from '../../lambdas/access/observed-account.ts';
import { ALL_SHARDS, type ReadAhead, settlePendingShard } from '../../lambdas/access/pending-accounts.ts';
import { createReadAhead } from '../../lambdas/access/read-ahead.ts';
import { settleAccount } from '../../lambdas/access/settle-account.ts';
import type { SettlementScope } from '../../lambdas/access/settlement-hours.ts';
import { settlementRecords } from '../../lambdas/access/settlement-ledger.ts';
import type { SettlementRecord } from '../../lambdas/access/settlement-record.ts';
import { type Store, StoreUnavailableError } from '../../lambdas/access/store.ts';
import { EMULATORS } from '../emulators/emulators.ts';
import { createMeteringTables, emulatorClientConfig } from '../emulators/metering-tables.ts';
import { MemoryStore } from '../simulation/memory-store.ts';
import { chargeAt, clockAt, openAccount, type SetClock } from './settlement-fixture.ts';

/** A store for one test, and the means to end it. */
interface OpenStore {
  readonly store: Store;
  readonly readAhead?: ReadAhead;
  close(): Promise<void>;
}

const STORES = [
  {
    name: 'memory',
    open: async (): Promise<OpenStore> => ({ store: new MemoryStore(), close: async () => {} }),
  },
  ...EMULATORS.map(({ name, start }) => ({
    name,
    open: async (): Promise<OpenStore> => {
      const { endpoint, close } = await start();
      const tableNames = await createMeteringTables(endpoint, 'books');
      const clientConfig = emulatorClientConfig(endpoint);
      const store = createDynamoStore({ tableNames, clientConfig, requestTimeoutMs: 20_000 });
      return { store, readAhead: createReadAhead({ tableName: tableNames.accounts, clientConfig }), close };
    },
  })),
];

describe.each(STORES)('settlement on $name', ({ open }) => {
  let opened: OpenStore;
  let store: Store;
  let clock: SetClock;
  let account: string;
  let accounts = 0;
  beforeAll(async () => {
    opened = await open();
    store = opened.store;
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    clock = clockAt('2026-11-20T10:15:00Z');
    accounts += 1;
    account = `account-${accounts}`;
    await openAccount(store, clock, account);
  });

  const books = () => ({ store, clock, pause: async () => {} });
  const settle = (scope?: SettlementScope) => settleAccount(books(), account, scope);
  const observe = async () => observeAccount((await store.get('accounts', { account })) ?? {});

  test('a closed hour becomes one record and leaves the account', async () => {
    await chargeAt(store, account, '2026-11-20T09:10:00Z', 1_500);
    await chargeAt(store, account, '2026-11-20T09:20:00Z', 734);
    expect(await settle()).toEqual<SettlementRecord[]>([
      {
        account,
        hour: '2026-11-20T09',
        revision: 1,
        settled_cu: 2_234n,
        total_cu: 2_234n,
        billing_units: 2n,
        remainder_cu: 234n,
        settled_at: '2026-11-20T10:15:00.000Z',
      },
    ]);
    expect(await Array.fromAsync(settlementRecords(store, account))).toHaveLength(1);
    expect(await observe()).toMatchObject({
      charged: 2_234n,
      settled: 2_234n,
      pending: new Map(),
      pendingHour: undefined,
    });
    expect(await settle()).toEqual([]);
  });

  test('late usage becomes a revision, whose units complete those of the hour', async () => {
    await chargeAt(store, account, '2026-11-20T09:10:00Z', 900);
    await settle();
    await chargeAt(store, account, '2026-11-20T09:11:00Z', 900);
    await settle();
    await chargeAt(store, account, '2026-11-20T09:12:00Z', 200);
    await settle();
    const records = await Array.fromAsync(settlementRecords(store, account));
    expect(records.map((record) => [record.revision, record.settled_cu, record.total_cu])).toEqual([
      [1, 900n, 900n],
      [2, 900n, 1_800n],
      [3, 200n, 2_000n],
    ]);
    expect(records.map((record) => [record.billing_units, record.remainder_cu])).toEqual([
      [0n, 900n],
      [1n, 800n],
      [1n, 0n],
    ]);
  });

  test('an hour waits for its grace, and the running hour keeps the account in the index', async () => {
    await chargeAt(store, account, '2026-11-20T09:59:59Z', 1_000);
    await chargeAt(store, account, '2026-11-20T10:05:00Z', 10);
    clock.time = Date.parse('2026-11-20T10:09:59Z');
    expect(await settle()).toEqual([]);
    expect(await settle({ force: true })).toMatchObject([{ hour: '2026-11-20T09', settled_cu: 1_000n }]);
    expect(await observe()).toMatchObject({
      pendingHour: '2026-11-20T10',
      pending: new Map([['2026-11-20T10', 10n]]),
    });
    expect(await settle({ force: true, hour: '2026-11-20T10' })).toMatchObject([{ settled_cu: 10n }]);
    await chargeAt(store, account, '2026-11-20T10:06:00Z', 10);
    expect((await observe()).pendingHour).toBe('2026-11-20T10');
  });

  test('missed days are settled oldest first, once, by any number of runs at once', async () => {
    const hours = Array.from(
      { length: 12 },
      (_, hour) => `2026-11-${18 + Math.floor(hour / 6)}T${10 + hour}`,
    );
    for (const hour of hours) await chargeAt(store, account, `${hour}:30:00Z`, 1_001);
    const runs = await Promise.all([settle(), settle(), settle()]);
    expect(runs.flat()).toHaveLength(hours.length);
    const records = await Array.fromAsync(settlementRecords(store, account));
    expect(records.map(({ hour }) => hour)).toEqual(hours);
    expect(records.every(({ revision, remainder_cu }) => revision === 1 && remainder_cu === 1n)).toBe(true);
    expect(await observe()).toMatchObject({ pendingHour: undefined, settled: 12_012n });
  });

  test('idle lanes go, used ones stay', async () => {
    for (let lane = 0; lane < 60; lane += 1) {
      await chargeAt(store, account, '2026-11-20T02:00:00Z', 1, `idle-${lane}`);
    }
    await chargeAt(store, account, '2026-11-20T10:14:00Z', 1, 'busy');
    await settle();
    const { lanes, prunedThrough } = await observe();
    expect(prunedThrough).toBe('2026-11-20T04');
    expect(lanes.has('busy')).toBe(true);
    expect(lanes.size).toBeLessThan(12);
  });

  test.each([
    ['reading each account', false],
    ['reading ahead', true],
  ])('the work list has the accounts with a due hour, whatever their partition, %s', async (_case, ahead) => {
    if (ahead && opened.readAhead === undefined) return;
    const due: string[] = [];
    for (let number = 0; number < 20; number += 1) {
      const id = `${account}-due-${number}`;
      due.push(id);
      await openAccount(store, clock, id);
      await chargeAt(store, id, '2026-11-20T08:30:00Z', 1_000 + number);
    }
    await chargeAt(store, account, '2026-11-20T10:14:00Z', 5);
    const settled: string[] = [];
    for (const work of ALL_SHARDS) {
      await settlePendingShard(books(), work, {
        scope: {},
        accountsAtOnce: 4,
        outOfTime: () => false,
        ...(ahead && opened.readAhead && { readAhead: opened.readAhead }),
        settled: (records) => settled.push(...records.map((record) => record.account)),
        failed: (_account, error) => {
          throw error;
        },
      });
    }
    expect(settled.sort()).toEqual(due.sort());
  });

  test('accounts that are read ahead are those that are stored', async () => {
    if (opened.readAhead === undefined) return;
    const known = await opened.readAhead([account, 'nobody']);
    expect(known).toEqual(new Map([[account, await store.get('accounts', { account })]]));
  });
});

describe('an account that changes all the time', () => {
  const clock = clockAt('2026-11-20T10:15:00Z');
  let store: MemoryStore;
  beforeEach(async () => {
    store = new MemoryStore();
    await openAccount(store, clock, 'alice');
    await chargeAt(store, 'alice', '2026-11-20T09:00:00Z', 1_000);
  });

  /** A charge of `hour` comes before every write of a settlement. */
  function busyStore(hour: string): Store {
    let seq = 0n;
    const charge = () =>
      applyCharge(store, {
        account: 'alice',
        lane: 'busy',
        cu: 1n,
        hour,
        used: '',
        seq: BigInt(clock.time) * 1_000n + ++seq,
      });
    return {
      get: (table, key) => store.get(table, key),
      query: (query) => store.query(query),
      put: (put) => store.put(put),
      update: (update) => charge().then(() => store.update(update)),
      transact: (actions) => charge().then(() => store.transact(actions)),
    };
  }

  test('is settled all the same, and stays in the index', async () => {
    const books = { store: busyStore('2026-11-20T10'), clock, pause: async () => {} };
    expect(await settleAccount(books, 'alice')).toMatchObject([
      { hour: '2026-11-20T09', settled_cu: 1_000n },
    ]);
    const observed = observeAccount((await store.get('accounts', { account: 'alice' })) ?? {});
    expect(observed.pendingHour).toBe('2026-11-20T09');
    const quiet = { store, clock, pause: async () => {} };
    expect(await settleAccount(quiet, 'alice')).toEqual([]);
    expect((await store.get('accounts', { account: 'alice' }))?.pending_hour).toBe('2026-11-20T10');
  });

  test('fails, and moves nothing, if it is the closed hour that changes', async () => {
    const books = { store: busyStore('2026-11-20T09'), clock, pause: async () => {} };
    await expect(settleAccount(books, 'alice')).rejects.toThrow('changed at each of');
    expect(await Array.fromAsync(settlementRecords(store, 'alice'))).toEqual([]);
  });
});

test('a store that fails is asked again, a few times, with growing pauses', async () => {
  const clock = clockAt('2026-11-20T10:15:00Z');
  const store = new MemoryStore();
  await openAccount(store, clock, 'alice');
  await chargeAt(store, 'alice', '2026-11-20T09:00:00Z', 1_000);
  const pauses: number[] = [];
  let failures = 2;
  const failing: Store = {
    get: async (table, key) => {
      if (failures-- > 0) throw new StoreUnavailableError('throttled', false);
      return store.get(table, key);
    },
    query: (query) => store.query(query),
    put: (put) => store.put(put),
    update: (update) => store.update(update),
    transact: (actions) => store.transact(actions),
  };
  const books = { store: failing, clock, pause: async (durationMs: number) => void pauses.push(durationMs) };
  expect(await settleAccount(books, 'alice')).toHaveLength(1);
  expect(pauses).toEqual([50, 100]);
  failures = Number.POSITIVE_INFINITY;
  await expect(settleAccount(books, 'alice')).rejects.toThrow(StoreUnavailableError);
  expect(pauses).toHaveLength(6);
});

test('reading ahead brings nothing when it fails', async () => {
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const readAhead = createReadAhead({
    tableName: 'books-accounts',
    clientConfig: emulatorClientConfig('http://127.0.0.1:9'),
  });
  expect(await readAhead(['alice'])).toEqual(new Map());
  expect(jest.mocked(process.stdout.write).mock.calls.join()).toContain('read_ahead_failed');
  jest.restoreAllMocks();
});
