import { readAccountItem } from '../../lambdas/access/accounts/account-item.ts';
import { entryOf, slotOf } from '../../lambdas/access/charge/lane.ts';
import { decodeUsage } from '../../lambdas/access/charge/usage-text.ts';
import type { Item, Query, Store } from '../../lambdas/access/store/store.ts';
import { creditAccount } from '../../lambdas/accounts/credit-account.ts';
import { createKey, setKeyStatus } from '../../lambdas/accounts/keys.ts';
import { rebuildAccount } from '../../lambdas/accounts/rebuild-account.ts';
import { setPlan } from '../../lambdas/accounts/set-plan.ts';
import { auditAccounts } from '../../lambdas/audit/audit.ts';
import { showAccount } from '../../lambdas/settlement/account-statement.ts';
import { settleAccount } from '../../lambdas/settlement/settle-account.ts';
import { nextRecord, nextStep } from '../../lambdas/settlement/settlement-step.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';
import { hourSum } from '../support/hour-sum.ts';
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

const ACCOUNT = 'acme';
const HOUR = '2026-11-20T09';
const NEXT_HOUR = '2026-11-20T10';

let store: MemoryStore;
let clock: SetClock;
beforeEach(async () => {
  store = new MemoryStore();
  clock = clockAt(`${HOUR}:30:00Z`);
  await openAccount(store, ACCOUNT);
});

const itemNow = () => readAccountItem(store.peek('accounts', { account: ACCOUNT }) ?? {});
const force = (hour: string) => settleMarked(store, clock, ACCOUNT, [hour], { hour, force: true });
const records = () => store.items('ledger').filter(({ settled_cu }) => settled_cu !== undefined);
const putBack = (item: Item | undefined) => store.restore('accounts', { account: ACCOUNT }, item);

function loseLanes(): void {
  for (const { account_shard, hour_lane } of store.items('lanes'))
    store.restore('lanes', { account_shard: String(account_shard), hour_lane: String(hour_lane) }, undefined);
}

async function violations(over: Store = store): Promise<unknown[]> {
  const pace = { accountsAtOnce: 1, outOfTime: () => false };
  const { invariants } = await auditAccounts(booksOn(over, clock), undefined, pace);
  return invariants.flatMap((each) => each.violations);
}

/** A store in which something happens once, before a query of a table. */
function beforeQuery(table: Query['table'], happen: () => Promise<unknown>): Store {
  let happened = false;
  return {
    ...passOn(store),
    query: async (query) => {
      if (query.table === table && !happened) {
        happened = true;
        await happen();
      }
      return store.query(query);
    },
  };
}

describe('rebuild', () => {
  test('open hours whose lanes are gone are closed: the balance has lost what they were billed', async () => {
    await chargeAt(store, ACCOUNT, `${HOUR}:10:00Z`, 50_000);
    await force(HOUR);
    clock.time = Date.parse(`${NEXT_HOUR}:15:00Z`);
    loseLanes();
    expect(await showAccount(store, ACCOUNT)).toMatchObject({ balance_cu: OPENING_CU });
    const { after } = await rebuildAccount(booksOn(store, clock), ACCOUNT);
    expect(after).toMatchObject({ settled: 50_000n, closed: 50_000n });
    expect(await showAccount(store, ACCOUNT)).toMatchObject({ balance_cu: OPENING_CU - 50_000 });
  });

  test('an item that is older than its ledger begins with its first open hour, not with the restored one', async () => {
    const backup = store.peek('accounts', { account: ACCOUNT });
    await chargeAt(store, ACCOUNT, `${HOUR}:10:00Z`, 50_000);
    clock.time = Date.parse(`${NEXT_HOUR}:15:00Z`);
    await settleMarked(store, clock, ACCOUNT, [HOUR]);
    putBack(backup);
    loseLanes();
    await rebuildAccount(booksOn(store, clock), ACCOUNT);
    expect(itemNow()).toMatchObject({ openFrom: NEXT_HOUR, closed: 50_000n });
    expect(await showAccount(store, ACCOUNT)).toMatchObject({ balance_cu: OPENING_CU - 50_000 });
  });

  test.each<[string, () => Promise<unknown>]>([
    [
      'settlement of the running hour',
      async () => {
        await chargeAt(store, ACCOUNT, `${HOUR}:11:00Z`, 500);
        await force(HOUR);
      },
    ],
    ['credit', () => creditAccount(store, clock, ACCOUNT, { cu: 7, reference: 'meanwhile' })],
    ['key', () => createKey(store, clock, { account: ACCOUNT })],
    [
      'disabled key',
      async () => {
        const [key] = store.items('keys');
        await setKeyStatus(store, clock, String(key?.key_id), 'disabled');
      },
    ],
    ['change of plan', () => setPlan(store, clock, ACCOUNT, { plan: 'large', shards: 2 })],
  ])('a %s that comes after all was read is not overwritten', async (_case, happen) => {
    await createKey(store, clock, { account: ACCOUNT });
    const backup = store.peek('accounts', { account: ACCOUNT });
    await creditAccount(store, clock, ACCOUNT, { cu: 5, reference: 'before' });
    putBack(backup);
    let happened = false;
    const busy: Store = {
      ...passOn(store),
      put: async (put) => {
        if (!happened && put.table === 'accounts') {
          happened = true;
          await happen();
        }
        return store.put(put);
      },
    };
    await rebuildAccount(booksOn(busy, clock), ACCOUNT);
    expect(happened).toBe(true);
    const rebuilt = itemNow();
    await rebuildAccount(booksOn(store, clock), ACCOUNT);
    expect(rebuilt).toEqual(itemNow());
    expect(await violations()).toEqual([]);
  });

  test('an item whose closed sum was changed by hand is made anew', async () => {
    await chargeAt(store, ACCOUNT, `${HOUR}:10:00Z`, 50_000);
    clock.time = Date.parse(`${NEXT_HOUR}:15:00Z`);
    await settleMarked(store, clock, ACCOUNT, [HOUR]);
    const sound = itemNow();
    putBack({ ...store.peek('accounts', { account: ACCOUNT }), closed: 40_000n });
    await rebuildAccount(booksOn(store, clock), ACCOUNT);
    expect(itemNow()).toEqual(sound);
  });

  test('keys that the index still shows as enabled are not counted as such', async () => {
    const { key_id } = await createKey(store, clock, { account: ACCOUNT });
    await createKey(store, clock, { account: ACCOUNT });
    const stale = await store.query({
      table: 'keys',
      index: 'by-account',
      partition: { attribute: 'account', value: ACCOUNT },
      limit: 10,
    });
    await setKeyStatus(store, clock, key_id, 'disabled');
    const lagging: Store = {
      ...passOn(store),
      query: async (query) => (query.index === undefined ? store.query(query) : stale),
    };
    await rebuildAccount(booksOn(lagging, clock), ACCOUNT);
    expect(itemNow()).toMatchObject({ keys: 2, enabledKeys: 1 });
  });

  test('keys that the index does not show yet are counted', async () => {
    await createKey(store, clock, { account: ACCOUNT });
    await createKey(store, clock, { account: ACCOUNT });
    const { keys } = itemNow();
    expect(keys).toBe(2);
    const lagging: Store = {
      ...passOn(store),
      query: async (query) => {
        const page = await store.query(query);
        return query.index === undefined ? page : { items: page.items.slice(1) };
      },
    };
    await rebuildAccount(booksOn(lagging, clock), ACCOUNT);
    expect(itemNow().keys).toBe(keys);
  });
});

describe('settlement', () => {
  test('of an item that is older than the records of its open hour bills nothing', async () => {
    await chargeAt(store, ACCOUNT, `${HOUR}:10:00Z`, 1_000);
    await force(HOUR);
    const backup = store.peek('accounts', { account: ACCOUNT });
    await chargeAt(store, ACCOUNT, `${HOUR}:11:00Z`, 500);
    await force(HOUR);
    await chargeAt(store, ACCOUNT, `${HOUR}:12:00Z`, 500);
    putBack(backup);
    clock.time = Date.parse(`${NEXT_HOUR}:15:00Z`);
    await expect(settleMarked(store, clock, ACCOUNT, [HOUR])).rejects.toThrow('older than its ledger');
    expect(records()).toHaveLength(2);
    expect(itemNow()).toEqual(readAccountItem(backup ?? {}));
  });

  test('of an item that was restored with fewer shards reads all that are marked', async () => {
    const backup = store.peek('accounts', { account: ACCOUNT });
    await setPlan(store, clock, ACCOUNT, { plan: 'large', shards: 4 });
    await chargeAt(store, ACCOUNT, `${HOUR}:10:00Z`, 700, { shard: 2 });
    putBack({ ...backup });
    clock.time = Date.parse(`${NEXT_HOUR}:15:00Z`);
    const marks = await marksOf(store, ACCOUNT, [HOUR], 2);
    expect(await settledRecords(settleAccount(booksOn(store, clock), ACCOUNT, marks))).toMatchObject([
      { settled_cu: 700n },
    ]);
    expect(await marksOf(store, ACCOUNT, [HOUR], 2)).toHaveLength(1);
  });

  test('leaves a running hour on the work list, however old its mark and however often it is settled by force', async () => {
    await chargeAt(store, ACCOUNT, `${HOUR}:10:00Z`, 700);
    clock.time = Date.parse(`${HOUR}:40:00Z`);
    expect(await force(HOUR)).toHaveLength(1);
    expect(await force(HOUR)).toEqual([]);
    expect(await marksOf(store, ACCOUNT, [HOUR])).toHaveLength(1);
  });

  test('moves open_from behind no hour that it has not read', async () => {
    await chargeAt(store, ACCOUNT, `${HOUR}:10:00Z`, 1_000);
    const hour = hourSum({ hour: HOUR, cu: 1_000n, lanes: store.items('lanes') });
    const record = nextRecord(itemNow(), hour, undefined, { nowMs: 0, salt: '' });
    const younger = { ...record, hour: NEXT_HOUR };
    const account = { ...itemNow(), settled: younger.total_cu };
    const records = new Map([[NEXT_HOUR, younger]]);
    const nowMs = Date.parse('2026-11-20T12:15:00Z');
    const step = nextStep({ account, records, unread: NEXT_HOUR }, record, {}, nowMs);
    expect(step?.after.account).toMatchObject({ openFrom: NEXT_HOUR, settled: 2_000n, closed: 1_000n });
  });

  test('that dies after any write leaves no hour without a record before open_from', async () => {
    for (const hour of ['07', '08', '09']) await chargeAt(store, ACCOUNT, `2026-11-20T${hour}:10:00Z`, 1_000);
    await force(HOUR);
    await chargeAt(store, ACCOUNT, `${HOUR}:11:00Z`, 500);
    clock.time = Date.parse(`${NEXT_HOUR}:15:00Z`);
    const balance = (await showAccount(store, ACCOUNT)).balance_cu;
    for (let writes = 1; writes <= 3; writes += 1) {
      const left = store.copy();
      let written = 0;
      const dying: Store = {
        ...passOn(left),
        transact: async (actions) => {
          written += 1;
          if (written > writes) throw new TypeError('died');
          return left.transact(actions);
        },
      };
      await settleAccount(booksOn(dying, clock), ACCOUNT, []);
      expect(await showAccount(left, ACCOUNT)).toMatchObject({ balance_cu: balance });
    }
  });

  test('names every method in a record, up to 8 KiB', async () => {
    const usage = Array.from({ length: 25 }, (_, index) => ({
      chain: 'example_mainnet',
      method: `eth_method${index}`,
      calls: 1,
      cu: 10,
      cached: 0,
      errors: 0,
    }));
    await chargeAt(store, ACCOUNT, `${HOUR}:10:00Z`, 250, { usage });
    const [record] = await force(HOUR);
    expect(decodeUsage(record?.used ?? '')).toHaveLength(25);
  });
});

describe('audit', () => {
  test('an hour that is closed while it reads, without a record, is no violation', async () => {
    await chargeAt(store, ACCOUNT, `${HOUR}:10:00Z`, 50_000);
    await force(HOUR);
    clock.time = Date.parse(`${NEXT_HOUR}:15:00Z`);
    const closing = beforeQuery('lanes', () => settleMarked(store, clock, ACCOUNT, [HOUR]));
    expect(await violations(closing)).toEqual([]);
    expect(itemNow().openFrom).toBe(NEXT_HOUR);
  });

  test('an hour that is settled while it reads is no violation: records are read before lanes', async () => {
    await chargeAt(store, ACCOUNT, `${HOUR}:10:00Z`, 1_000);
    const order: string[] = [];
    const watched: Store = {
      ...passOn(store),
      query: async (query) => {
        order.push(query.table);
        return store.query(query);
      },
    };
    expect(await violations(watched)).toEqual([]);
    expect(order.lastIndexOf('ledger')).toBeLessThan(order.indexOf('lanes'));
    const settling = beforeQuery('lanes', () => force(HOUR));
    expect(await violations(settling)).toEqual([]);
    const place = { account: ACCOUNT, shard: 0, hour: HOUR };
    expect(store.peek('unsettled', { slot: slotOf(place), entry: entryOf(place) })).toBeDefined();
  });
});

test('a settlement that another one overtook writes nothing over it, and settled never falls', async () => {
  await chargeAt(store, ACCOUNT, '2026-11-20T08:10:00Z', 1_000);
  await force('2026-11-20T08');
  await chargeAt(store, ACCOUNT, `${HOUR}:10:00Z`, 500);
  clock.time = Date.parse('2026-11-20T09:15:00Z');
  let overtaken = false;
  const slow: Store = {
    ...passOn(store),
    transact: async (actions) => {
      if (!overtaken) {
        overtaken = true;
        const later = clockAt('2026-11-20T10:15:00Z');
        await settleMarked(store, later, ACCOUNT, ['2026-11-20T08', HOUR]);
      }
      return store.transact(actions);
    },
  };
  await settledRecords(settleAccount(booksOn(slow, clock), ACCOUNT, []));
  expect(itemNow()).toMatchObject({ openFrom: NEXT_HOUR, settled: 1_500n, closed: 1_500n });
});
