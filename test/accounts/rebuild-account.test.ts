/** That an account is rebuilt from what was booked, whatever became of its item. */
import { readAccountItem } from '../../lambdas/access/accounts/account-item.ts';
import type { Item } from '../../lambdas/access/store/store.ts';
import { creditAccount } from '../../lambdas/accounts/credit-account.ts';
import { createKey } from '../../lambdas/accounts/keys.ts';
import { rebuildAccount } from '../../lambdas/accounts/rebuild-account.ts';
import { setPlan } from '../../lambdas/accounts/set-plan.ts';
import { showAccount } from '../../lambdas/settlement/account-statement.ts';
import { settlementRecords } from '../../lambdas/settlement/settlement-ledger.ts';
import {
  chargeAt,
  clockAt,
  marksOf,
  OPENING_CU,
  openAccount,
  type SetClock,
  settleMarked,
} from '../settlement/settlement-fixture.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { workList } from '../support/kept-leaves.ts';

const pause = async () => {};
const HOURS = ['2026-11-20T07', '2026-11-20T08', '2026-11-20T09'];

describe('rebuildAccount', () => {
  const account = 'acme';
  let store: MemoryStore;
  let clock: SetClock;

  const stored = async () => (await store.get('accounts', { account })) ?? {};
  const putBack = (item: Item) => store.put({ table: 'accounts', item, when: [] });
  const remove = () => store.delete({ table: 'accounts', key: { account }, when: [] });
  const settle = (hours: readonly string[] = HOURS) => settleMarked(store, clock, account, hours);
  const records = () => Array.fromAsync(settlementRecords({ store }, account));
  let opening: Item;

  /** Two settled hours, one with a revision and one that is settled by force, and usage that is not settled. */
  beforeEach(async () => {
    clock = clockAt('2026-11-20T09:15:00Z');
    store = new MemoryStore();
    await openAccount(store, account);
    opening = await stored();
    await chargeAt(store, account, `${HOURS[0]}:10:00Z`, 1_500);
    await settle(HOURS.slice(0, 1));
    await chargeAt(store, account, `${HOURS[0]}:11:00Z`, 40);
    await chargeAt(store, account, `${HOURS[1]}:10:00Z`, 700);
    await settle();
    await creditAccount(store, clock, account, { cu: 5_000, reference: 'invoice-1' });
    await setPlan(store, clock, account, { plan: 'large', shards: 3 });
    await setPlan(store, clock, account, { plan: 'standard' });
    await createKey(store, clock, { account });
    await chargeAt(store, account, `${HOURS[2]}:10:00Z`, 30);
    await settleMarked(store, clock, account, HOURS.slice(2), { hour: HOURS[2] ?? '', force: true });
    await chargeAt(store, account, `${HOURS[2]}:11:00Z`, 11, { shard: 2, lane: 'lane-2' });
  });

  test('leaves a sound account as it is', async () => {
    const before = await stored();
    const rebuilt = await rebuildAccount({ store, clock, pause }, account);
    expect(rebuilt.after).toEqual(rebuilt.before);
    expect(await stored()).toEqual(before);
  });

  test.each([
    ['that is gone', remove],
    ['that is as it was at first', () => putBack(opening)],
  ])('makes an item %s as it was, and no hour is billed twice', async (_case, damage) => {
    const [before, shown] = [await stored(), await showAccount(store, account)];
    expect(shown).toMatchObject({ granted_cu: OPENING_CU + 5_000, charged_cu: 2_281 });
    await damage();
    const { before: was, after } = await rebuildAccount({ store, clock, pause }, account);
    expect(was === undefined).toBe(_case === 'that is gone');
    // When a key was disabled last is not known again where the count was another: it counts as now.
    const disabledAtMs = _case === 'that is gone' ? 0 : clock.time;
    expect(after).toEqual({ ...readAccountItem(before), disabledAtMs });
    expect(await showAccount(store, account)).toEqual(shown);
    clock.time = Date.parse('2026-11-20T10:15:00Z');
    expect(await settle()).toMatchObject([{ hour: HOURS[2], revision: 2, settled_cu: 11n }]);
    expect((await records()).map(({ hour, settled_cu }) => [hour, settled_cu])).toEqual([
      [HOURS[0], 1_500n],
      [HOURS[0], 40n],
      [HOURS[1], 700n],
      [HOURS[2], 30n],
      [HOURS[2], 11n],
    ]);
    expect(await showAccount(store, account)).toMatchObject({ charged_cu: 2_281, pending_cu: {} });
  });

  test('hours that wait for settlement are in the balance at once, and on the work list', async () => {
    clock.time = Date.parse('2026-11-20T13:15:00Z');
    await chargeAt(store, account, '2026-11-20T11:10:00Z', 5);
    await remove();
    const place = (await marksOf(store, account, ['2026-11-20T11']))[0];
    expect(place).toBeDefined();
    for (const { slot, entry } of workList(store))
      store.restore('unsettled', { slot: String(slot), entry: String(entry) }, undefined);
    const { after } = await rebuildAccount({ store, clock, pause }, account);
    expect(after).toMatchObject({ openFrom: HOURS[2], settled: 2_270n, closed: 2_240n });
    expect(await showAccount(store, account)).toMatchObject({ charged_cu: 2_286 });
    expect(await marksOf(store, account, ['2026-11-20T11'])).toHaveLength(1);
    expect((await marksOf(store, account, HOURS)).map(({ hour }) => hour)).toEqual([HOURS[2]]);
  });

  test('an account that there never was is wrong input', async () => {
    await expect(rebuildAccount({ store, clock, pause }, 'nobody')).rejects.toThrow('unknown account nobody');
  });
});

test('an open hour of a restored item is closed, though its lanes have expired by then', async () => {
  const store = new MemoryStore();
  const clock = clockAt('2026-11-20T09:30:00Z');
  const [, , hour = ''] = HOURS;
  await openAccount(store, 'acme');
  await chargeAt(store, 'acme', `${hour}:10:00Z`, 50_000);
  await settleMarked(store, clock, 'acme', [], { hour, force: true });
  const backup = store.peek('accounts', { account: 'acme' });
  clock.time = Date.parse('2026-11-20T10:15:00Z');
  await settleMarked(store, clock, 'acme', [hour]);
  expect(workList(store)).toEqual([]);
  store.restore('accounts', { account: 'acme' }, backup);
  await rebuildAccount({ store, clock, pause }, 'acme');
  for (const { account_shard, hour_lane } of store.items('lanes'))
    store.restore('lanes', { account_shard: String(account_shard), hour_lane: String(hour_lane) }, undefined);
  expect(await settleMarked(store, clock, 'acme', [hour])).toEqual([]);
  expect(await showAccount(store, 'acme')).toMatchObject({ balance_cu: OPENING_CU - 50_000 });
});
