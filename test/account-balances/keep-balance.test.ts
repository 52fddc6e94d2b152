import {
  type AccountItem,
  readAccountItem,
  toStoredAccount,
} from '../../lambdas/access/accounts/account-item.ts';
import { seenBalance, viewOf } from '../../lambdas/access/accounts/account-view.ts';
import { readBalanceView } from '../../lambdas/access/accounts/balance-view.ts';
import { endWant, wantBalanceView, wantedBalanceViews } from '../../lambdas/access/accounts/read-lanes.ts';
import { laneUpdate } from '../../lambdas/access/charge/lane.ts';
import { type Query, type Store, StoreUnavailableError } from '../../lambdas/access/store/store.ts';
import { runBalances } from '../../lambdas/account-balances/handler.ts';
import { HOUR_MS, hourOf } from '../../lambdas/shared/runtime/clock.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const ACCOUNT = 'acme';
const START_MS = Date.UTC(2026, 10, 20, 12, 30);
const SECOND_MS = 1_000;
const PLAN = { bucketCapacity: 1_000, refillPerSecond: 100, drawAhead: false, shards: 1 };
const NARROW_LANES = 10;
const EXCHANGE_MS = 5;

let store: MemoryStore;
let time: VirtualTime;
let telemetry: RecordedTelemetry;

/** An account with lanes in its open hours: each lane has 100 CU, and it has a balance beyond them. */
async function open({ hours, lanes, balanceCu }: { hours: number; lanes: number; balanceCu: number }) {
  store = new MemoryStore();
  time = new VirtualTime(START_MS);
  telemetry = new RecordedTelemetry();
  const item = {
    ...{ account: ACCOUNT, plan: 'plan', planRevision: 1n, shards: 1, keys: 1, enabledKeys: 1 },
    ...{ disabledAtMs: 0, debited: 0n, settled: 0n, closed: 0n, createdAt: '2026-11-01T00:00:00.000Z' },
    granted: BigInt(balanceCu + hours * lanes * 100),
    openFrom: hourOf(START_MS - (hours - 1) * HOUR_MS),
  };
  store.restore('accounts', { account: ACCOUNT }, toStoredAccount(item));
  for (let ago = 0; ago < hours; ago += 1)
    for (let lane = 0; lane < lanes; lane += 1) await charge(lane, 100n, START_MS - ago * HOUR_MS);
  await wantBalanceView(store, ACCOUNT);
}

/** Changes the item of the account. */
function changeItem(change: Partial<AccountItem>): void {
  const item = readAccountItem(store.peek('accounts', { account: ACCOUNT }) ?? {});
  store.restore('accounts', { account: ACCOUNT }, toStoredAccount({ ...item, ...change }));
}

async function charge(lane: number, total: bigint, atMs: number): Promise<void> {
  const name = `lane-${String(lane).padStart(6, '0')}`;
  await store.update(
    laneUpdate({ account: ACCOUNT, shard: 0, hour: hourOf(atMs), lane: name, charges: 1, total, used: '' }),
  );
}

/** One run of the function, over a store that the test may change. */
async function run(change: (store: Store) => Partial<Store> = () => ({})): Promise<void> {
  const exchange = async <T>(carryOut: () => Promise<T>): Promise<T> => {
    await time.pause(EXCHANGE_MS);
    return carryOut();
  };
  const changed = { ...passOn(store), ...change(store) };
  void runBalances({
    store: passOn(changed, exchange),
    clock: time,
    pause: time.pause,
    telemetry,
    settings: { plans: { plan: PLAN }, defaultPlan: 'plan' },
    narrowLanes: NARROW_LANES,
  });
  await time.run();
}

/** The balance by the view, and for how long it is not known what was charged, in milliseconds. */
async function balanceNow() {
  const view = await readBalanceView(store, ACCOUNT);
  if (view === undefined) throw new Error('there is no view');
  const { seenAt, ...readings } = view;
  const more = { plan: PLAN, itemSeenAt: seenAt, readAt: seenAt, ownCu: 0n, heldCu: 0n };
  const account = viewOf({ ...readings, ...more }, seenAt);
  return { cu: seenBalance(account), unseenMs: seenAt - account.charged.seenAt };
}

/** How hours were read, each kind once. */
function watchReads(reads: Set<string>) {
  return (over: Store): Partial<Store> => ({
    query: (query: Query) => {
      const hour = String(query.sort?.from);
      if (query.table === 'lanes') reads.add(`${hour} ${query.eventual === true ? 'eventual' : 'strong'}`);
      return over.query(query);
    },
  });
}

const HOUR = hourOf(START_MS);
const HOUR_BEFORE = hourOf(START_MS - HOUR_MS);

test('near the end the running hour is read strongly, far from it for half the units; ended hours always are', async () => {
  const near = new Set<string>();
  await open({ hours: 2, lanes: 20, balanceCu: 1_000 });
  await run(watchReads(near));
  expect([...near].sort()).toEqual([`${HOUR_BEFORE} eventual`, `${HOUR} strong`]);
  const far = new Set<string>();
  await open({ hours: 2, lanes: 20, balanceCu: 10_000_000 });
  await run(watchReads(far));
  // The first reading does not know yet how far it is.
  expect([...far].sort()).toEqual([`${HOUR_BEFORE} eventual`, `${HOUR} eventual`, `${HOUR} strong`]);
});

test('an hour that ended a moment ago is read strongly', async () => {
  await open({ hours: 1, lanes: 20, balanceCu: 1_000 });
  time.at(START_MS + 30 * 60_000 - 5 * SECOND_MS, () => {});
  await time.run();
  const reads = new Set<string>();
  await run(watchReads(reads));
  expect(reads).toContain(`${HOUR} strong`);
  expect(reads).toContain(`${HOUR} eventual`);
});

test('a reading that shows an older state takes nothing off: lanes only rise', async () => {
  await open({ hours: 2, lanes: 20, balanceCu: 10_000_000 });
  let hoursRead = 0;
  await run((over) => ({
    query: async (query) => {
      const page = await over.query(query);
      if (query.table !== 'lanes' || query.eventual !== true) return page;
      hoursRead += 1;
      return hoursRead < 4 ? page : { items: page.items.slice(0, 15) };
    },
  }));
  expect(hoursRead).toBeGreaterThan(4);
  expect((await balanceNow()).cu).toBe(10_000_000n);
});

test('an account that has few lanes again gives up its view, and is no longer looked for', async () => {
  await open({ hours: 2, lanes: 20, balanceCu: 1_000 });
  for (const { account_shard, hour_lane } of store.items('lanes').slice(3)) {
    if (String(hour_lane).startsWith(`${HOUR}#`))
      store.restore(
        'lanes',
        { account_shard: String(account_shard), hour_lane: String(hour_lane) },
        undefined,
      );
  }
  let isWideFirst: boolean | undefined;
  time.at(START_MS + 5 * SECOND_MS, async () => {
    isWideFirst = (await readBalanceView(store, ACCOUNT))?.isWide;
    // Settlement closes the hour with many lanes.
    changeItem({ openFrom: HOUR, settled: 2_000n, closed: 2_000n });
  });
  await run();
  expect(isWideFirst).toBe(true);
  expect((await readBalanceView(store, ACCOUNT))?.isWide).toBe(false);
  expect(await wantedBalanceViews(store)).toEqual([]);
});

test('a run goes on from the view of the one before: what that has read of old hours is not unknown again', async () => {
  await open({ hours: 72, lanes: 2, balanceCu: 1_000 });
  await run();
  expect(await balanceNow()).toMatchObject({ cu: 1_000n });
  const { unseenMs } = await balanceNow();
  // Only the time in which the last reading of each hour did not see it any more.
  expect(unseenMs).toBeLessThan(2 * SECOND_MS);
  await run((over) => ({
    query: async (query) => {
      if (query.table === 'lanes' && String(query.sort?.from) < HOUR)
        throw new StoreUnavailableError('throttled', false);
      return over.query(query);
    },
  }));
  expect(await balanceNow()).toEqual({ cu: 1_000n, unseenMs });
});

test('the view of an account that nobody used for two months is whole at once', async () => {
  await open({ hours: 1, lanes: 20, balanceCu: 1_000 });
  changeItem({ openFrom: hourOf(START_MS - 60 * 24 * HOUR_MS) });
  let early: Awaited<ReturnType<typeof balanceNow>> | undefined;
  time.at(START_MS + SECOND_MS / 2, async () => {
    early = await balanceNow();
  });
  let reads = 0;
  await run((over) => ({
    query: (query) => {
      if (query.table === 'lanes') reads += 1;
      return over.query(query);
    },
  }));
  expect(early).toMatchObject({ cu: 1_000n });
  expect(early?.unseenMs).toBeLessThan(SECOND_MS);
  // One each second for the running hour, and those of hours that ended a while ago.
  expect(reads).toBeLessThan(100);
});

test('an hour that cannot be read does not hold up those before and after it', async () => {
  await open({ hours: 1, lanes: 20, balanceCu: 1_000 });
  changeItem({ openFrom: hourOf(START_MS - 60 * 24 * HOUR_MS) });
  const damaged = hourOf(START_MS - 30 * 24 * HOUR_MS);
  for (const days of [50, 30, 10]) await charge(0, 100n, START_MS - days * 24 * HOUR_MS);
  await run((over) => ({
    query: async (query) => {
      const page = await over.query(query);
      const damage = (lane: (typeof page.items)[number]) =>
        String(lane.hour_lane).startsWith(damaged) ? { ...lane, total: 'none' } : lane;
      return { ...page, items: page.items.map(damage) };
    },
  }));
  const { lanes } = (await readBalanceView(store, ACCOUNT)) ?? {};
  expect(lanes?.older).toMatchObject({ cu: 200n, unseenMs: HOUR_MS });
});

test('hours that settlement closes are not counted twice, though they are part of a sum that another run has read', async () => {
  await open({ hours: 72, lanes: 2, balanceCu: 1_000 });
  await run();
  changeItem({ openFrom: hourOf(START_MS - 40 * HOUR_MS), settled: 6_200n, closed: 6_200n });
  await run();
  expect(await balanceNow()).toMatchObject({ cu: 1_000n });
});

test('a run ends at its first look while no view is wanted', async () => {
  await open({ hours: 1, lanes: 20, balanceCu: 1_000 });
  await endWant(store, ACCOUNT);
  await run();
  expect(time.nowMs - START_MS).toBe(EXCHANGE_MS);
  expect(telemetry.metrics()).toEqual([{ BalanceViews: 0, BalanceViewAge: 0 }]);
});

test('a run whose first look fails looks again, and keeps what it finds', async () => {
  await open({ hours: 1, lanes: 20, balanceCu: 1_000 });
  let looks = 0;
  await run((over) => ({
    query: async (query) => {
      if (query.table === 'unsettled') looks += 1;
      if (looks === 1) throw new StoreUnavailableError('throttled', false);
      return over.query(query);
    },
  }));
  expect(await balanceNow()).toMatchObject({ cu: 1_000n });
});
