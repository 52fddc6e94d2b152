import fc from 'fast-check';
import { auditAccounts } from '../../lambdas/access/audit.ts';
import { applyCharge, type Charge } from '../../lambdas/access/charge-update.ts';
import { hourOf } from '../../lambdas/access/hour.ts';
import { LANE_PREFIX, observeAccount, pendingCu } from '../../lambdas/access/observed-account.ts';
import { ALL_SHARDS, settlePendingShard } from '../../lambdas/access/pending-accounts.ts';
import { LANES_OF_FIVE_OPEN_HOURS } from '../../lambdas/access/prune-lanes.ts';
import { settleAccount } from '../../lambdas/access/settle-account.ts';
import type { SettlementScope } from '../../lambdas/access/settlement-hours.ts';
import { settlementRecords } from '../../lambdas/access/settlement-ledger.ts';
import { type Item, type Store, StoreUnavailableError } from '../../lambdas/access/store.ts';
import { MemoryStore } from '../simulation/memory-store.ts';
import { openAccount } from './settlement-fixture.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-11-20T06:00:00Z');
const HOURS = 6;
/** Enough to be pruned, and more than five open hours are kept for. */
const LANES = { few: 14, many: LANES_OF_FIVE_OPEN_HOURS + 12 };
const ACCOUNTS = ['alice', 'bob'];
const RUNS = Number(process.env.SETTLEMENT_RUNS ?? 400);

type Fault = 'none' | 'throttled' | 'unacknowledged' | 'dies before' | 'dies after';

interface Usage {
  readonly account: string;
  readonly lane: number;
  readonly cu: number;
  /** Hour of the charge, from the start. */
  readonly hour: number;
  /** Times that it is delivered. */
  readonly deliveries: number;
}

type Step =
  /** One more delivery of a charge of the first hour, which was applied before all else. */
  | { readonly kind: 'echo'; readonly place: number }
  | { readonly kind: 'usage'; readonly usage: Usage }
  | {
      readonly kind: 'settle';
      readonly account: string;
      readonly scope: SettlementScope;
      /** Writes that the item it begins with is behind; undefined: it reads the item itself. */
      readonly lag: number | undefined;
    }
  | { readonly kind: 'tick'; readonly minutes: number };

const usage = fc.record({
  account: fc.constantFrom(...ACCOUNTS),
  lane: fc.nat(LANES.many - 1),
  cu: fc.integer({ min: 1, max: 1_500 }),
  hour: fc.nat(HOURS - 1),
  deliveries: fc.integer({ min: 1, max: 3 }),
});
const scope: fc.Arbitrary<SettlementScope> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ force: true }) },
  {
    weight: 1,
    arbitrary: fc.nat(HOURS - 1).map((hour) => ({ force: true, hour: hourOf(START_MS + hour * HOUR_MS) })),
  },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('usage' as const), usage }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('echo' as const), place: fc.nat(LANES.many - 1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      account: fc.constantFrom(...ACCOUNTS),
      scope,
      lag: fc.option(fc.nat(6), { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('tick' as const), minutes: fc.integer({ min: 5, max: 120 }) }),
  },
);
const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 12, arbitrary: fc.constant('none' as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Fault>('throttled', 'unacknowledged', 'dies before', 'dies after'),
  },
);

class ProcessDied extends Error {}

/** The store as one of many processes sees it: every message takes its time, and some go wrong. */
function distantStore(store: Store, travel: () => Promise<void>, nextFault: () => Fault): Store {
  const send = async <T>(call: () => Promise<T>): Promise<T> => {
    const fate = nextFault();
    await travel();
    if (fate === 'dies before') throw new ProcessDied();
    if (fate === 'throttled') throw new StoreUnavailableError('throttled', false);
    const result = await call();
    await travel();
    if (fate === 'dies after') throw new ProcessDied();
    if (fate === 'unacknowledged') throw new StoreUnavailableError('no answer', true);
    return result;
  };
  return {
    get: (table, key) => send(() => store.get(table, key)),
    query: (query) => send(() => store.query(query)),
    put: (put) => send(() => store.put(put)),
    update: (update) => send(() => store.update(update)),
    transact: (actions) => send(() => store.transact(actions)),
  };
}

/** A store that knows which charges it applied, and whose books balance after every single write. */
class WatchedStore extends MemoryStore {
  readonly applied = new Map<string, number>();
  readonly usedByHour = new Map<string, bigint>();
  readonly #history = new Map<string, Item[]>();
  prunings = 0;
  refusedWithoutLane = 0;

  override async update(...[update]: Parameters<MemoryStore['update']>) {
    const indexed = this.#indexed();
    const result = await super.update(update);
    const charged = update.add?.charged;
    if (charged === undefined) expect(this.#indexed() - indexed).toBeLessThanOrEqual(0);
    if (charged === undefined) {
      if (result.applied && update.set?.pruned_through !== undefined) this.prunings += 1;
    } else if (result.applied) {
      const fence = `${update.key.account} ${JSON.stringify(
        laneOf(update.set).map((lane) => `${lane} ${update.set?.[lane]}`),
      )}`;
      this.applied.set(fence, (this.applied.get(fence) ?? 0) + 1);
      const hour = `${update.key.account} ${Object.keys(update.add ?? {}).find((name) => name.startsWith('h_'))}`;
      this.usedByHour.set(hour, (this.usedByHour.get(hour) ?? 0n) + charged);
    } else if (laneOf(update.set).every((lane) => result.item?.[lane] === undefined)) {
      this.refusedWithoutLane += 1;
    }
    this.#check();
    return result;
  }

  override async transact(...[actions]: Parameters<MemoryStore['transact']>) {
    const indexed = this.#indexed();
    const result = await super.transact(actions);
    expect(this.#indexed() - indexed).toBeLessThanOrEqual(0);
    const [first] = actions;
    if (result.applied && first && 'update' in first && first.update.set?.pruned_through) this.prunings += 1;
    this.#check();
    return result;
  }

  /** The account item as it was some writes ago. */
  past(account: string, lag: number | undefined): Item | undefined {
    return lag === undefined ? undefined : this.#history.get(account)?.at(-1 - lag);
  }

  /** Accounts in the pending index: settlement never adds one. */
  #indexed() {
    return this.items('accounts').filter((item) => item.pending_hour !== undefined).length;
  }

  #check() {
    for (const item of this.items('accounts')) {
      const observed = observeAccount(item);
      const past = this.#history.get(observed.account) ?? [];
      if (past.at(-1) !== item) this.#history.set(observed.account, [...past, item]);
      expect(observed.charged).toBe(observed.settled + pendingCu(observed));
      if (observed.pending.size > 0) expect(observed.pendingHour).toBeDefined();
    }
  }
}

/** The attribute of the lane that a charge sets. */
function laneOf(set: Readonly<Record<string, unknown>> = {}): string[] {
  return Object.keys(set).filter((attribute) => attribute.startsWith(LANE_PREFIX));
}

/** One charge per usage, with the sequence numbers that its lane would give. */
function toCharges(usages: readonly Usage[], before: number): Charge[] {
  return usages.map(({ account, lane, cu, hour }, place) => ({
    account,
    lane: `lane-${lane}`,
    cu: BigInt(cu),
    hour: hourOf(START_MS + hour * HOUR_MS),
    seq: BigInt(START_MS + hour * HOUR_MS) * 1_000n + BigInt(before + place),
    used: '',
  }));
}

/** So many lanes, each used once in the first hour. */
function firstHour(account: string, lanes: number): Usage[] {
  return Array.from({ length: lanes }, (_, lane) => ({
    account,
    lane,
    cu: 100 + lane,
    hour: 0,
    deliveries: 1,
  }));
}

test.each([
  ['few lanes, pruned after five hours', LANES.few, 8],
  ['many lanes, pruned when their hour is settled', LANES.many, 2],
])(
  'charges and settlements in any order, failing and dying anywhere, leave books that balance: %s',
  async (_case, lanes, hoursLater) => {
    let totalPrunings = 0;
    let totalRefusedByPruning = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 60 }),
        fc.array(fault, { minLength: 40, maxLength: 40 }),
        fc.scheduler(),
        async (steps, faults, scheduler) => {
          const store = new WatchedStore();
          const clock = { time: START_MS + hoursLater * HOUR_MS, now: () => clock.time };
          for (const account of ACCOUNTS) await openAccount(store, clock, account);
          const early = toCharges(
            ACCOUNTS.slice(0, 1).flatMap((account) => firstHour(account, lanes)),
            0,
          );
          for (const charge of early) await applyCharge(store, charge);
          let calls = 0;
          const distant = distantStore(
            store,
            () => scheduler.schedule(Promise.resolve()),
            () => faults[calls++ % faults.length] ?? 'none',
          );
          const books = { store: distant, clock, pause: () => scheduler.schedule(Promise.resolve()) };
          const usages = steps.flatMap((each) => (each.kind === 'usage' ? [each.usage] : []));
          const charges = toCharges(usages, early.length);
          let next = 0;
          const running = steps.flatMap((each): Promise<unknown>[] => {
            if (each.kind === 'settle') {
              const begin = () =>
                settleAccount(books, each.account, each.scope, store.past(each.account, each.lag));
              return [scheduler.schedule(Promise.resolve()).then(begin)];
            }
            if (each.kind === 'tick') {
              return [
                scheduler.schedule(Promise.resolve()).then(() => (clock.time += each.minutes * 60_000)),
              ];
            }
            if (each.kind === 'echo') return [applyCharge(distant, early[each.place % lanes] as Charge)];
            const charge = charges[next++] as Charge;
            return Array.from({ length: each.usage.deliveries }, () => applyCharge(distant, charge));
          });
          await scheduler.waitFor(Promise.allSettled(running));

          clock.time = START_MS + 48 * HOUR_MS;
          await settleAll(store, clock);
          await expectClosedBooks(store, clock);
          totalPrunings += store.prunings;
          totalRefusedByPruning += store.refusedWithoutLane;
        },
      ),
      { numRuns: RUNS },
    );
    expect(totalPrunings).toBeGreaterThan(RUNS / 4);
    expect(totalRefusedByPruning).toBeGreaterThan(0);
  },
);

async function settleAll(store: Store, clock: { now(): number }) {
  const books = { store, clock, pause: async () => {} };
  const failed: unknown[] = [];
  for (const work of ALL_SHARDS) {
    await settlePendingShard(books, work, {
      scope: {},
      accountsAtOnce: 2,
      outOfTime: () => false,
      settled: () => {},
      failed: (_account, error) => failed.push(error),
    });
  }
  expect(failed).toEqual([]);
}

async function expectClosedBooks(store: WatchedStore, clock: { now(): number }) {
  expect([...store.applied.values()].filter((times) => times > 1)).toEqual([]);
  const used = [...store.usedByHour.values()].reduce((sum, cu) => sum + cu, 0n);
  let charged = 0n;
  const settledByHour = new Map<string, { total: bigint; units: bigint }>();
  for (const account of ACCOUNTS) {
    const item = await store.get('accounts', { account });
    const observed = observeAccount(item ?? {});
    expect(observed.pending.size).toBe(0);
    expect(observed.pendingHour).toBeUndefined();
    expect(observed.settled).toBe(observed.charged);
    charged += observed.charged;
    for (const record of await Array.fromAsync(settlementRecords(store, account))) {
      const hour = `${account} h_${record.hour}`;
      const units = (settledByHour.get(hour)?.units ?? 0n) + record.billing_units;
      settledByHour.set(hour, { total: record.total_cu, units });
    }
  }
  expect(charged).toBe(used);
  const expected = [...store.usedByHour].map(
    ([hour, total]) => [hour, { total, units: total / 1_000n }] as const,
  );
  expect(settledByHour).toEqual(new Map(expected));
  const report = await auditAccounts(
    { store, clock, pause: async () => {} },
    {},
    { accountsAtOnce: 2, outOfTime: () => false },
  );
  expect(report.accounts).toBe(ACCOUNTS.length);
  expect(report.invariants.flatMap(({ violations }) => violations)).toEqual([]);
}
