import { setImmediate as turn } from 'node:timers/promises';
import { type AccountItem, readAccountItem } from '../../lambdas/access/accounts/account-item.ts';
import { storeBehindMark } from '../../lambdas/access/charge/lane.ts';
import type { Item, Query, Store } from '../../lambdas/access/store/store.ts';
import { creditAccount } from '../../lambdas/accounts/credit-account.ts';
import { rebuildAccount } from '../../lambdas/accounts/rebuild-account.ts';
import { dueAccounts } from '../../lambdas/settlement/due-accounts.ts';
import { settleAccounts } from '../../lambdas/settlement/settle-accounts.ts';
import { settlementRecords } from '../../lambdas/settlement/settlement-ledger.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';
import { isAtLength } from '../support/at-length.ts';
import { NONE_LACKING, workList } from '../support/kept-leaves.ts';
import {
  booksOn,
  chargeAt,
  clockAt,
  openAccount,
  type SetClock,
  settleMarked,
} from './settlement-fixture.ts';

/** Calls between two at which a quick run lets another process go first. */
const QUICK_STEP = 2;

class ProcessDied extends Error {}

/** A store whose every call first asks to go on, but readings of shards that no account of these tests has. */
function gated(store: Store, pass: () => Promise<void>): Store {
  const asked = passOn(store, (call) => pass().then(call));
  const isEmpty = ({ table, partition }: Query) => table === 'lanes' && partition.value !== 'alice#0';
  return { ...asked, query: (query) => (isEmpty(query) ? store : asked).query(query) };
}

/** Runs some processes on one store. A process that is stopped after a number of calls makes no further one. */
class Processes {
  readonly #waiting = new Map<number, () => void>();
  #live = 0;

  start(store: Store, work: (store: Store) => Promise<unknown>, stopAfter = Number.POSITIVE_INFINITY): void {
    const id = this.#live;
    this.#live += 1;
    let calls = 0;
    const pass = async () => {
      calls += 1;
      if (calls > stopAfter) throw new ProcessDied();
      if (this.#waiting.has(id)) throw new Error('a process makes two calls at once');
      await new Promise<void>((resolve) => this.#waiting.set(id, resolve));
    };
    work(gated(store, pass)).catch((error) => {
      if (!(error instanceof ProcessDied)) throw error;
    });
  }

  /** Lets one call after the other pass, in the order of the choices; returns how many there were to choose from. */
  async run(choices: readonly number[]): Promise<number[]> {
    const options: number[] = [];
    for (;;) {
      await turn();
      const waiting = [...this.#waiting.keys()].sort();
      if (waiting.length === 0) return options;
      const id = waiting[choices[options.length] ?? 0] ?? 0;
      options.push(waiting.length);
      const go = this.#waiting.get(id);
      this.#waiting.delete(id);
      go?.();
    }
  }
}

/**
 * Runs a world in every order of its processes' calls, each time from what is stored; a quick run in those that differ
 * at every second call. Returns how many orders there are.
 */
async function inEveryOrder(
  stored: MemoryStore,
  runWorld: (store: MemoryStore, choices: readonly number[]) => Promise<number[]>,
): Promise<number> {
  let choices: number[] = [];
  for (let orders = 1; ; orders += 1) {
    const options = await runWorld(stored.copy(), choices);
    const taken = options.map((_, place) => choices[place] ?? 0);
    const last = taken.findLastIndex(
      (choice, place) => choice + 1 < (options[place] ?? 0) && (isAtLength || place % QUICK_STEP === 0),
    );
    if (last === -1) return orders;
    choices = [...taken.slice(0, last), (taken[last] ?? 0) + 1];
  }
}

/** Of so many orders at least, those that a quick run makes: not one alone. */
function leastOrders(all: number): number {
  return isAtLength ? all : 2;
}

describe('every order of', () => {
  const clock = clockAt('2026-11-20T09:10:00Z');
  const hours = ['2026-11-20T07', '2026-11-20T08'];

  async function worldStore(): Promise<MemoryStore> {
    const store = new MemoryStore();
    await openAccount(store, 'alice');
    await chargeAt(store, 'alice', `${hours[0]}:10:00Z`, 1_500);
    await chargeAt(store, 'alice', `${hours[1]}:10:00Z`, 700);
    return store;
  }

  async function expectBilled(store: MemoryStore, totals: readonly bigint[]): Promise<void> {
    await settleMarked(store, clock, 'alice', hours);
    const records = await Array.fromAsync(settlementRecords({ store }, 'alice'));
    const billed = hours.map((hour) =>
      records.filter((record) => record.hour === hour).reduce((sum, record) => sum + record.settled_cu, 0n),
    );
    expectSums(billed, totals);
    expectConsistent(store, 'alice');
  }

  test.each([[Number.POSITIVE_INFINITY], ...Array.from({ length: 6 }, (_, calls) => [calls])])(
    'two settlements, one of them stopped after %p calls',
    async (stopAfter) => {
      const orders = await inEveryOrder(await worldStore(), async (store, choices) => {
        const processes = new Processes();
        processes.start(store, (on) => settleMarked(on, clock, 'alice', hours.slice(1)), stopAfter);
        processes.start(store, (on) => settleMarked(on, clock, 'alice', hours.slice(1)));
        const options = await processes.run(choices);
        expectConsistent(store, 'alice');
        await expectBilled(store, [1_500n, 700n]);
        return options;
      });
      expect(orders).toBeGreaterThanOrEqual(stopAfter === 0 ? 1 : leastOrders(6));
    },
  );

  test('two settlements and a late charge', async () => {
    const orders = await inEveryOrder(await worldStore(), async (store, choices) => {
      const processes = new Processes();
      const [hour = ''] = hours;
      const now = clockAt('2026-11-20T08:10:00Z');
      processes.start(store, (on) => settleMarked(on, now, 'alice', [hour]));
      processes.start(store, (on) => settleMarked(on, now, 'alice', [hour]));
      const late = { account: 'alice', shard: 0, hour, lane: 'lane-late', charges: 1, total: 40n, used: '' };
      processes.start(store, (on) => storeBehindMark(storing(on, clock), late));
      const options = await processes.run(choices);
      await expectBilled(store, [1_540n, 700n]);
      return options;
    });
    expect(orders).toBeGreaterThan(leastOrders(1_000));
  });

  test('a forced settlement of the running hour, and the normal one of the hours before', async () => {
    const now = clockAt('2026-11-20T08:30:00Z');
    const orders = await inEveryOrder(await worldStore(), async (store, choices) => {
      const processes = new Processes();
      const forced = { force: true, hour: hours[1] ?? '' };
      processes.start(store, (on) => settleMarked(on, now, 'alice', hours.slice(1), forced));
      processes.start(store, (on) => settleMarked(on, now, 'alice', hours.slice(0, 1)));
      const options = await processes.run(choices);
      expectConsistent(store, 'alice');
      await expectBilled(store, [1_500n, 700n]);
      return options;
    });
    expect(orders).toBeGreaterThanOrEqual(leastOrders(10));
  });

  test.each([
    ['gone', 'a credit'],
    ['gone', 'a settlement'],
    ['older', 'a credit'],
    ['older', 'a settlement'],
  ])('the rebuild of an item that is %s, and %s', async (how, other) => {
    const damaged = await worldStore();
    const before = how === 'older' ? damaged.peek('accounts', { account: 'alice' }) : undefined;
    await settleMarked(damaged, clock, 'alice', [], { hour: hours[0] ?? '' });
    await creditAccount(damaged, clock, 'alice', { cu: 7, reference: 'before' });
    damaged.restore('accounts', { account: 'alice' }, before);
    const orders = await inEveryOrder(damaged, async (store, choices) => {
      const processes = new Processes();
      const credit = { cu: 5, reference: 'meanwhile' };
      const works = {
        'a credit': (on: Store) => creditAccount(on, clock, 'alice', credit),
        'a settlement': (on: Store) => settleMarked(on, clock, 'alice', hours.slice(1)),
      };
      // Refused for as long as the item is damaged.
      processes.start(store, (on) => works[other as keyof typeof works](on).catch(() => undefined));
      processes.start(store, (on) => rebuildAccount({ store: on, clock, pause: async () => {} }, 'alice'));
      const options = await processes.run(choices);
      await expectBilled(store, [1_500n, 700n]);
      const credited = store.items('ledger').reduce((sum, { cu }) => sum + BigInt(cu ?? 0), 0n);
      expectSums([itemOf(store, 'alice').granted], [credited]);
      return options;
    });
    expect(orders).toBeGreaterThanOrEqual(leastOrders(10));
  });

  test.each(['a credit', 'the hourly settlement', 'a settlement by force'] as const)(
    'the rebuild of an item from a backup after a forced hour, and %s: 41 days later nothing that was billed is back',
    async (other) => {
      const [, hour = ''] = hours;
      const running = clockAt(`${hour}:30:00Z`);
      const damaged = new MemoryStore();
      await openAccount(damaged, 'alice');
      await chargeAt(damaged, 'alice', `${hour}:10:00Z`, 50_000);
      await settleMarked(damaged, running, 'alice', [], { hour, force: true });
      const backup = damaged.peek('accounts', { account: 'alice' });
      await settleMarked(damaged, clock, 'alice', [hour]);
      expect(workList(damaged)).toEqual([]);
      await creditAccount(damaged, clock, 'alice', { cu: 7, reference: 'before' });
      damaged.restore('accounts', { account: 'alice' }, backup);
      const rebuild = (on: Store) => rebuildAccount({ store: on, clock, pause: async () => {} }, 'alice');
      const works = {
        // Of a credit only its transaction changes something.
        'a credit': (on: Store, store: Store) => {
          const credit = { cu: 5, reference: 'meanwhile' };
          return creditAccount({ ...passOn(store), transact: on.transact }, clock, 'alice', credit);
        },
        'the hourly settlement': (on: Store) => settleMarked(on, clock, 'alice', [hour]),
        'a settlement by force': (on: Store) => settleMarked(on, clock, 'alice', [], { hour, force: true }),
      };
      const orders = await inEveryOrder(damaged, async (store, choices) => {
        const processes = new Processes();
        processes.start(store, (on) => works[other](on, store).catch(() => undefined));
        processes.start(store, rebuild);
        const options = await processes.run(choices);
        await settleDueOn(store, clock);
        for (const { account_shard, hour_lane } of store.items('lanes'))
          store.restore(
            'lanes',
            { account_shard: String(account_shard), hour_lane: String(hour_lane) },
            undefined,
          );
        const credited = store.items('ledger').reduce((sum, { cu }) => sum + BigInt(cu ?? 0), 0n);
        const later = clockAt('2026-12-31T09:10:00Z');
        await settleDueOn(store, later);
        expect(itemOf(store, 'alice')).toMatchObject({
          granted: credited,
          settled: 50_000n,
          closed: 50_000n,
        });
        return options;
      });
      expect(orders).toBeGreaterThanOrEqual(leastOrders(10));
    },
  );
});

/** One hourly run over the work list. */
async function settleDueOn(store: Store, clock: SetClock): Promise<void> {
  const books = booksOn(store, clock);
  const run = {
    ...NONE_LACKING,
    accountsAtOnce: 1,
    outOfTime: () => false,
    scope: {},
    settled: () => {},
    failed: () => {},
  };
  for await (const accounts of dueAccounts(books, {})) await settleAccounts(books, accounts, run);
}

function storing(store: Store, clock: SetClock) {
  return { store, clock, randomBytes: (count: number) => new Uint8Array(count) };
}

function itemOf(store: MemoryStore, id: string): AccountItem {
  return readAccountItem(store.peek('accounts', { account: id }) ?? {});
}

/** What the item says of what is settled is what the records say. */
function expectConsistent(store: MemoryStore, id: string): void {
  const records = store
    .items('ledger')
    .filter((item) => item.account === id && item.settled_cu !== undefined);
  const { settled, openFrom, closed } = itemOf(store, id);
  const sum = (some: readonly Item[]) =>
    some.reduce((cu, { settled_cu }) => cu + BigInt(settled_cu ?? 0), 0n);
  const isClosed = ({ hour }: Item) => String(hour) < openFrom;
  expectSums([settled, closed], [sum(records), sum(records.filter(isClosed))]);
}

/** Jest is asked about what differs alone: it takes as long as the step before it, and there are a million of them. */
function expectSums(sums: readonly bigint[], expected: readonly bigint[]): void {
  if (sums.some((sum, place) => sum !== expected[place])) expect(sums).toEqual(expected);
}
