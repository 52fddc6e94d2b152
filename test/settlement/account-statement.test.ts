import { readAccountItem } from '../../lambdas/access/accounts/account-item.ts';
import { type BalanceView, writeBalanceView } from '../../lambdas/access/accounts/balance-view.ts';
import type { SeenHour } from '../../lambdas/access/accounts/seen-lanes.ts';
import type { Query, Store } from '../../lambdas/access/store/store.ts';
import { showAccount, showAccountView } from '../../lambdas/settlement/account-statement.ts';
import { HOUR_MS, hourOf } from '../../lambdas/shared/runtime/clock.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';
import { chargeAt, clockAt, OPENING_CU, openAccount, settleMarked } from './settlement-fixture.ts';

const ACCOUNT = 'acme';
const HOUR = '2026-11-20T09';
/** Lanes of one page of a shard. */
const MOST_LANES = 250;
const clock = clockAt(`${HOUR}:30:00Z`);

let store: MemoryStore;
let laneQueries: Query[];
let watched: Store;
beforeEach(async () => {
  clock.time = Date.parse(`${HOUR}:30:00Z`);
  store = new MemoryStore();
  laneQueries = [];
  watched = {
    ...passOn(store),
    query: async (query) => {
      if (query.table === 'lanes') laneQueries.push(query);
      return store.query(query);
    },
  };
  await openAccount(store, ACCOUNT);
});

/** The balance view of hours of which each was charged so much. */
async function keepView(hours: ReadonlyMap<string, bigint>, isWide = true): Promise<void> {
  const item = readAccountItem(store.peek('accounts', { account: ACCOUNT }) ?? {});
  const seen = [...hours].map(([hour, cu]): [string, SeenHour] => [hour, { cu, seenAt: clock.time }]);
  const view: BalanceView = { item, lanes: { hours: new Map(seen) }, seenAt: clock.time, isWide };
  expect(await writeBalanceView(store, view, clock.time)).toBe(true);
}

test('an account with a young balance view is shown by that, without a look at its lanes', async () => {
  await chargeAt(store, ACCOUNT, '2026-11-20T08:10:00Z', 700);
  await chargeAt(store, ACCOUNT, `${HOUR}:10:00Z`, 1_000);
  await settleMarked(store, clock, ACCOUNT, [HOUR], { hour: HOUR, force: true });
  await chargeAt(store, ACCOUNT, `${HOUR}:20:00Z`, 30);
  const now = await showAccount(store, ACCOUNT);
  expect(now).toMatchObject({ charged_cu: 1_730, pending_cu: { '2026-11-20T08': 700, [HOUR]: 30 } });
  await keepView(
    new Map([
      ['2026-11-20T08', 700n],
      [HOUR, 1_030n],
    ]),
  );
  await chargeAt(store, ACCOUNT, `${HOUR}:21:00Z`, 5);
  clock.time += 59_999;
  expect(await showAccountView(watched, clock, ACCOUNT)).toEqual(now);
  expect(laneQueries).toEqual([]);
  clock.time += 1;
  expect(await showAccountView(watched, clock, ACCOUNT)).toMatchObject({ charged_cu: 1_735 });
  expect(laneQueries).not.toEqual([]);
});

test('the view of an account that has few lanes again is not shown', async () => {
  await chargeAt(store, ACCOUNT, `${HOUR}:10:00Z`, 1_000);
  await keepView(new Map([[HOUR, 900n]]), false);
  expect(await showAccountView(watched, clock, ACCOUNT)).toMatchObject({ charged_cu: 1_000 });
});

test('hours that a view has as one sum are shown under the first of them', async () => {
  const hours = new Map(
    Array.from({ length: 30 }, (_, ago) => [hourOf(clock.time - ago * HOUR_MS), 10n] as const),
  );
  await keepView(hours);
  const statement = await showAccountView(watched, clock, ACCOUNT);
  expect(statement).toMatchObject({ charged_cu: 300, balance_cu: OPENING_CU - 300 });
  expect(Object.values(statement.pending_cu).reduce((sum, cu) => sum + cu, 0)).toBe(300);
});

test('lanes of any number are read page by page', async () => {
  for (let lane = 0; lane < 2 * MOST_LANES + 1; lane += 1)
    await chargeAt(store, ACCOUNT, `${HOUR}:10:00Z`, 2, { lane: `lane-${lane}` });
  expect(await showAccount(watched, ACCOUNT)).toMatchObject({ charged_cu: 1_002 });
  expect(laneQueries).toHaveLength(3);
  expect(Math.max(...laneQueries.map(({ limit }) => limit))).toBe(MOST_LANES);
});
