import { applyCharge } from '../../lambdas/access/charge-update.ts';
import {
  type ShardProgress,
  type ShardWork,
  settlePendingShard,
} from '../../lambdas/access/pending-accounts.ts';
import { type Store, StoreUnavailableError } from '../../lambdas/access/store.ts';
import { MemoryStore } from '../simulation/memory-store.ts';
import { clockAt, trueAfter } from './settlement-fixture.ts';

const ACCOUNTS = 250;
const SHARD = 3;
const clock = clockAt('2026-11-20T10:15:00Z');

/** A partition with many accounts that are due, in two hours. */
async function fullPartition(): Promise<MemoryStore> {
  const store = new MemoryStore();
  for (let number = 0; number < ACCOUNTS; number += 1) {
    const account = `account-${String(number).padStart(3, '0')}`;
    const item = { account, granted: 0n, charged: 0n, pending_shard: BigInt(SHARD) };
    await store.put({ table: 'accounts', item, when: [] });
    const hour = number % 2 === 0 ? '2026-11-20T08' : '2026-11-20T09';
    await applyCharge(store, { account, lane: 'lane', cu: 10n, hour, seq: 1n, used: '' });
  }
  return store;
}

/** Settles from a place on until `outOfTime`; returns what became of it and who was settled or failed. */
async function work(store: Store, from: ShardWork, outOfTime: () => boolean = () => false) {
  const settled: string[] = [];
  const failed: string[] = [];
  const progress: ShardProgress = await settlePendingShard({ store, clock, pause: async () => {} }, from, {
    scope: {},
    accountsAtOnce: 8,
    outOfTime,
    settled: (records) => settled.push(...records.map(({ account }) => account)),
    failed: (account) => failed.push(account),
  });
  return { progress, settled, failed };
}

test('a partition is worked to its end, page by page', async () => {
  const store = await fullPartition();
  const { progress, settled } = await work(store, { shard: SHARD });
  expect(progress).toEqual({ accounts: ACCOUNTS, failures: 0 });
  expect(new Set(settled).size).toBe(ACCOUNTS);
});

test('runs that stop anywhere and hand the rest on settle every account once', async () => {
  const store = await fullPartition();
  const settled: string[] = [];
  let rest: ShardWork | undefined = { shard: SHARD };
  let runs = 0;
  while (rest !== undefined) {
    const run = await work(store, JSON.parse(JSON.stringify(rest)) as ShardWork, trueAfter(30));
    settled.push(...run.settled);
    rest = run.progress.rest;
    runs += 1;
    expect(runs).toBeLessThan(ACCOUNTS);
  }
  expect(runs).toBeGreaterThan(5);
  expect(settled.sort()).toEqual(
    store
      .items('accounts')
      .map(({ account }) => account)
      .sort(),
  );
});

test('a run without time begins nothing and hands on where it stood', async () => {
  const store = await fullPartition();
  const from = { shard: SHARD, after: { hour: '2026-11-20T08', account: 'account-100' } };
  const { progress } = await work(store, from, () => true);
  expect(progress).toEqual({ accounts: 0, failures: 0, rest: from });
});

test('an account that fails is counted and does not stop the others', async () => {
  const store = await fullPartition();
  const failing: Store = {
    get: async (table, key) => {
      if (key.account === 'account-007') throw new StoreUnavailableError('no answer', true);
      return store.get(table, key);
    },
    query: (query) => store.query(query),
    put: (put) => store.put(put),
    update: (update) => store.update(update),
    transact: (actions) => store.transact(actions),
  };
  const { progress, settled, failed } = await work(failing, { shard: SHARD });
  expect(progress).toEqual({ accounts: ACCOUNTS, failures: 1 });
  expect(failed).toEqual(['account-007']);
  expect(settled).toHaveLength(ACCOUNTS - 1);
});
