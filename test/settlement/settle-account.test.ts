import { readAccountItem } from '../../lambdas/access/accounts/account-item.ts';
import { type Store, StoreUnavailableError } from '../../lambdas/access/store/store.ts';
import { setPlan } from '../../lambdas/accounts/set-plan.ts';
import { showAccount } from '../../lambdas/settlement/account-statement.ts';
import { dueAccounts } from '../../lambdas/settlement/due-accounts.ts';
import { settleAccount } from '../../lambdas/settlement/settle-account.ts';
import { settleAccounts } from '../../lambdas/settlement/settle-accounts.ts';
import { type SettlementRecord, settlementRecords } from '../../lambdas/settlement/settlement-ledger.ts';
import type { SettlementScope } from '../../lambdas/settlement/settlement-step.ts';
import { hourOf } from '../../lambdas/shared/runtime/clock.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';
import { NONE_LACKING } from '../support/kept-leaves.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import {
  booksOn,
  chargeAt,
  clockAt,
  marksOf,
  OPENING_CU,
  openAccount,
  type SetClock,
  settledRecords,
  settleMarked,
} from './settlement-fixture.ts';

const HOUR = '2026-11-20T09';
const HOUR_MS = 3_600_000;

describe('settlement', () => {
  const account = 'acme';
  let store: MemoryStore;
  let clock: SetClock;
  beforeEach(async () => {
    store = new MemoryStore();
    clock = clockAt('2026-11-20T10:15:00Z');
    await openAccount(store, account);
  });

  const settle = (hours: readonly string[] = [HOUR], scope: SettlementScope = {}) =>
    settleMarked(store, clock, account, hours, scope);
  const itemNow = async () => readAccountItem((await store.get('accounts', { account })) ?? {});
  const records = () => Array.fromAsync(settlementRecords({ store }, account));

  test('a closed hour becomes one record of all its lanes, and the account says so', async () => {
    await chargeAt(store, account, `${HOUR}:10:00Z`, 1_500);
    await chargeAt(store, account, `${HOUR}:20:00Z`, 700);
    await chargeAt(store, account, `${HOUR}:20:00Z`, 34, { lane: 'lane-2' });
    expect(await settle()).toEqual([
      {
        account,
        hour: HOUR,
        revision: 1,
        settled_cu: 2_234n,
        total_cu: 2_234n,
        billing_units: 2n,
        remainder_cu: 234n,
        lanes: 2,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        used: 'example_mainnet eth_blockNumber:2234:2234',
        settled_at: '2026-11-20T10:15:00.000Z',
        number: 1,
        previous: '0'.repeat(64),
        root: expect.any(String),
        salt: '0'.repeat(32),
      },
    ]);
    expect(await records()).toHaveLength(1);
    expect(await itemNow()).toMatchObject({
      settled: 2_234n,
      openFrom: '2026-11-20T10',
      closed: 2_234n,
    });
    expect(await showAccount(store, account)).toMatchObject({ charged_cu: 2_234, pending_cu: {} });
    expect(await settle()).toEqual([]);
  });

  test('an hour leaves the work list with the first run that finds nothing new in it', async () => {
    await chargeAt(store, account, `${HOUR}:10:00Z`, 1_500);
    await settle();
    expect(await marksOf(store, account, [HOUR])).toHaveLength(1);
    await settle();
    expect(await marksOf(store, account, [HOUR])).toEqual([]);
  });

  test('late usage becomes a revision, whose units complete those of the hour', async () => {
    for (const [time, cu] of [
      ['11', 900],
      ['12', 900],
      ['13', 200],
    ] as const) {
      await chargeAt(store, account, `${HOUR}:${time}:00Z`, cu);
      await settle();
      await settle();
    }
    expect((await records()).map((record) => [record.revision, record.settled_cu, record.total_cu])).toEqual([
      [1, 900n, 900n],
      [2, 900n, 1_800n],
      [3, 200n, 2_000n],
    ]);
    expect((await records()).map((record) => [record.billing_units, record.remainder_cu])).toEqual([
      [0n, 900n],
      [1n, 800n],
      [1n, 0n],
    ]);
    expect(await showAccount(store, account)).toMatchObject({ charged_cu: 2_000, pending_cu: {} });
    expect(await marksOf(store, account, [HOUR])).toEqual([]);
  });

  test('an hour waits for its grace; by force it is settled before, and its rest afterwards', async () => {
    await chargeAt(store, account, `${HOUR}:59:59Z`, 1_000);
    await chargeAt(store, account, '2026-11-20T10:05:00Z', 10);
    clock.time = Date.parse('2026-11-20T10:09:59Z');
    expect(await settle()).toEqual([]);
    expect(await settle([HOUR], { force: true })).toMatchObject([{ hour: HOUR, settled_cu: 1_000n }]);
    expect(await itemNow()).toMatchObject({
      openFrom: '2026-11-01T00',
      settled: 1_000n,
      closed: 0n,
    });
    const running = { force: true, hour: '2026-11-20T10' };
    expect(await settle(['2026-11-20T10'], running)).toMatchObject([{ settled_cu: 10n }]);
    await chargeAt(store, account, '2026-11-20T10:06:00Z', 20);
    const pending = { '2026-11-20T10': 20 };
    expect(await showAccount(store, account)).toMatchObject({ charged_cu: 1_030, pending_cu: pending });
    expect(await marksOf(store, account, [HOUR, '2026-11-20T10'])).toHaveLength(2);
    clock.time = Date.parse('2026-11-20T11:10:00Z');
    expect(await settle([HOUR, '2026-11-20T10'])).toMatchObject([{ revision: 2, settled_cu: 20n }]);
    expect(await itemNow()).toMatchObject({ openFrom: '2026-11-20T11', closed: 1_030n });
    expect(await showAccount(store, account)).toMatchObject({ charged_cu: 1_030, pending_cu: {} });
  });

  test('an hour that was settled by force and got nothing more is closed all the same', async () => {
    await chargeAt(store, account, `${HOUR}:10:00Z`, 1_000);
    clock.time = Date.parse(`${HOUR}:30:00Z`);
    await settle([HOUR], { force: true, hour: HOUR });
    clock.time = Date.parse('2026-11-20T10:10:00Z');
    expect(await settle()).toEqual([]);
    expect(await itemNow()).toMatchObject({ openFrom: '2026-11-20T10', closed: 1_000n });
    expect(await showAccount(store, account)).toMatchObject({ balance_cu: OPENING_CU - 1_000 });
  });

  test('three days without settlement are settled oldest first, once, by any number of runs at once', async () => {
    const start = Date.parse('2026-11-17T10:30:00Z');
    const times = Array.from({ length: 72 }, (_, hour) => new Date(start + hour * HOUR_MS).toISOString());
    const hours = times.map((time) => hourOf(Date.parse(time)));
    for (const time of times) await chargeAt(store, account, time, 1_001);
    clock.time = start + 72 * HOUR_MS;
    const runs = await Promise.all([settle(hours), settle(hours), settle(hours)]);
    expect(
      runs
        .flat()
        .map(({ hour }) => hour)
        .sort(),
    ).toEqual(hours);
    expect((await records()).map(({ hour }) => hour)).toEqual(hours);
    for (const record of await records()) expect(record).toMatchObject({ revision: 1, remainder_cu: 1n });
    expect(await itemNow()).toMatchObject({ settled: 72_072n, closed: 72_072n });
    expect(await settle(hours)).toEqual([]);
    expect(await marksOf(store, account, hours)).toEqual([]);
  });

  test('lanes of every shard are settled, also of those that the account got since', async () => {
    await chargeAt(store, account, `${HOUR}:10:00Z`, 5);
    await setPlan(store, clock, account, { plan: 'large', shards: 4 });
    await chargeAt(store, account, `${HOUR}:11:00Z`, 7, { shard: 3 });
    expect(await showAccount(store, account)).toMatchObject({ pending_cu: { [HOUR]: 12 } });
    expect(await settle()).toMatchObject([{ settled_cu: 12n, lanes: 2 }]);
    await chargeAt(store, account, `${HOUR}:12:00Z`, 11, { shard: 2 });
    await setPlan(store, clock, account, { plan: 'standard', shards: 1 });
    const marks = await marksOf(store, account, [HOUR], 2);
    expect(await settledRecords(settleAccount(booksOn(store, clock), account, marks))).toMatchObject([
      { settled_cu: 11n, total_cu: 23n },
    ]);
  });

  test('a mark stays while a lane may be on its way behind it', async () => {
    const mark = `${clock.now() - 60_000}.random`;
    await chargeAt(store, account, `${HOUR}:10:00Z`, 5, { mark });
    await settle();
    await settle();
    expect(await marksOf(store, account, [HOUR])).toHaveLength(1);
    clock.time += 15 * 60_000;
    await settle();
    expect(await marksOf(store, account, [HOUR])).toEqual([]);
  });

  test('of accounts that are written together, one that is older than its ledger holds no other up', async () => {
    await chargeAt(store, account, `${HOUR}:10:00Z`, 500);
    const before = (await store.get('accounts', { account })) ?? {};
    await settle();
    await store.put({ table: 'accounts', item: before, when: [] });
    const others = Array.from({ length: 60 }, (_, number) => `${account}-with-${number}`);
    for (const id of others) {
      await openAccount(store, id);
      await chargeAt(store, id, `${HOUR}:30:00Z`, 1_000);
    }
    const transactions: number[] = [];
    const counting: Store = {
      ...passOn(store),
      transact: (actions) => {
        transactions.push(actions.length);
        return store.transact(actions);
      },
    };
    const settled: string[] = [];
    const failed: string[] = [];
    const run = {
      ...NONE_LACKING,
      scope: {},
      accountsAtOnce: 64,
      outOfTime: () => false,
      settled: (some: readonly SettlementRecord[]) => settled.push(...some.map((record) => record.account)),
      failed: (id: string) => failed.push(id),
    };
    const together = booksOn(counting, clock);
    for await (const accounts of dueAccounts(together, {})) await settleAccounts(together, accounts, run);
    expect(settled.filter((id) => id.startsWith(`${account}-with-`)).sort()).toEqual(others.sort());
    expect(failed).toContain(account);
    expect(await records()).toHaveLength(1);
    expect(Math.max(...transactions)).toBeGreaterThan(4);
  });

  test('an account item that is gone, or older than its ledger, fails and moves nothing', async () => {
    await chargeAt(store, account, `${HOUR}:10:00Z`, 500);
    const before = (await store.get('accounts', { account })) ?? {};
    await settle();
    await store.put({ table: 'accounts', item: before, when: [] });
    await expect(settle()).rejects.toThrow(
      `is older than its ledger: run operator account rebuild ${account}`,
    );
    expect(await records()).toHaveLength(1);
    await store.delete({ table: 'accounts', key: { account }, when: [] });
    await expect(settle()).rejects.toThrow(`the item of account ${account} is gone`);
    expect(await store.get('accounts', { account })).toBeUndefined();
    expect(await marksOf(store, account, [HOUR])).toHaveLength(1);
  });
});

describe('an hour whose lanes rise all the time', () => {
  test('is settled as it was read; what came since is a revision of the next run', async () => {
    const clock = clockAt('2026-11-20T10:15:00Z');
    const store = new MemoryStore();
    await openAccount(store, 'alice');
    await chargeAt(store, 'alice', `${HOUR}:00:00Z`, 1_000);
    const busy: Store = {
      ...passOn(store),
      transact: (actions) =>
        chargeAt(store, 'alice', `${HOUR}:01:00Z`, 1).then(() => store.transact(actions)),
    };
    expect(await settleMarked(busy, clock, 'alice', [HOUR])).toMatchObject([{ settled_cu: 1_000n }]);
    expect(await settleMarked(store, clock, 'alice', [HOUR])).toMatchObject([{ settled_cu: 1n }]);
  });
});

test('lanes that were lost are never billed again, and are told of', async () => {
  const telemetry = new RecordedTelemetry();
  const clock = clockAt('2026-11-20T10:15:00Z');
  const store = new MemoryStore();
  await openAccount(store, 'alice');
  await chargeAt(store, 'alice', `${HOUR}:00:00Z`, 1_000);
  await chargeAt(store, 'alice', `${HOUR}:00:00Z`, 50, { lane: 'lane-2' });
  await settleMarked(store, clock, 'alice', [HOUR]);
  store.restore('lanes', { account_shard: 'alice#0', hour_lane: `${HOUR}#lane-1` }, undefined);
  await chargeAt(store, 'alice', `${HOUR}:59:00Z`, 20, { lane: 'lane-3' });
  expect(await settleMarked(store, clock, 'alice', [HOUR], {}, telemetry)).toEqual([]);
  expect(telemetry.logged).toEqual([expect.objectContaining({ event: 'lanes_behind_ledger' })]);
});

test('a store that fails is asked again, a few times, with growing pauses', async () => {
  const clock = clockAt('2026-11-20T10:15:00Z');
  const store = new MemoryStore();
  await openAccount(store, 'alice');
  await chargeAt(store, 'alice', `${HOUR}:00:00Z`, 1_000);
  const marks = await marksOf(store, 'alice', [HOUR]);
  const pauses: number[] = [];
  let failures = 2;
  const failing: Store = {
    ...passOn(store),
    get: async (table, key) => {
      if (failures-- > 0) throw new StoreUnavailableError('throttled', false);
      return store.get(table, key);
    },
  };
  const pause = async (durationMs: number) => void pauses.push(durationMs);
  const books = { ...booksOn(failing, clock), pause };
  expect((await settleAccount(books, 'alice', marks)).records).toHaveLength(1);
  expect(pauses).toEqual([50, 100]);
  failures = Number.POSITIVE_INFINITY;
  const { failure } = await settleAccount(books, 'alice', marks);
  expect(failure).toBeInstanceOf(StoreUnavailableError);
  expect(pauses).toHaveLength(14);
  expect(Math.max(...pauses)).toBe(5_000);
  await settleAccount(books, 'alice', marks, { outOfTime: () => true });
  expect(pauses).toHaveLength(14);
});
