import { entryOf, slotOf } from '../../lambdas/access/charge/lane.ts';
import { type Store, StoreUnavailableError, type Value } from '../../lambdas/access/store/store.ts';
import { creditAccount } from '../../lambdas/accounts/credit-account.ts';
import { auditAccounts } from '../../lambdas/audit/audit.ts';
import { INVARIANTS } from '../../lambdas/audit/invariants.ts';
import { recordKey } from '../../lambdas/settlement/settlement-ledger.ts';
import {
  chargeAt,
  clockAt,
  OPENING_CU,
  openAccount,
  settleMarked,
  trueAfter,
} from '../settlement/settlement-fixture.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

type AuditReport = Awaited<ReturnType<typeof auditAccounts>>;

const HOUR = '2026-11-20T09';
const clock = clockAt('2026-11-20T10:15:00Z');
let store: MemoryStore;

beforeEach(async () => {
  store = new MemoryStore();
  for (const account of ['alice', 'bob', 'carol']) await openAccount(store, account);
  await chargeAt(store, 'bob', '2026-11-20T09:05:00Z', 2_500);
  await settleMarked(store, clock, 'bob', [HOUR]);
  await chargeAt(store, 'bob', '2026-11-20T09:06:00Z', 700);
  await settleMarked(store, clock, 'bob', [HOUR]);
  await chargeAt(store, 'bob', '2026-11-20T10:05:00Z', 40);
});

const books = (over: Store = store) => ({
  store: over,
  clock,
  pause: async () => {},
  telemetry: new RecordedTelemetry(),
});
const audit = (over?: Store, outOfTime = () => false) =>
  auditAccounts(books(over), undefined, { accountsAtOnce: 2, outOfTime });

function violated(report: AuditReport): string[] {
  return report.invariants
    .filter(({ violationCount }) => violationCount > 0)
    .map(({ invariant }) => invariant);
}

/** Changes a stored item as no code of ours does. */
async function tamper(table: 'accounts' | 'ledger', key: Record<string, string>, set: Record<string, Value>) {
  await store.update({ table, key, when: [], set });
}

test('books that balance have no violation, and each invariant says what it saw', async () => {
  const report = await audit();
  expect(violated(report)).toEqual([]);
  expect(report.accounts).toBe(3);
  expect(report.invariants.map(({ checked }) => checked)).toEqual(Array(INVARIANTS.length + 1).fill(3));
  const figures = Object.fromEntries(report.invariants.map((each) => [each.invariant, each.figures]));
  expect(figures['granted = credits']).toEqual({
    granted_cu: 3n * BigInt(OPENING_CU),
    credits_cu: 3n * BigInt(OPENING_CU),
  });
  expect(figures['settled = sum of records']).toEqual({ settled_cu: 3_200n, records_cu: 3_200n });
  expect(figures['records follow from each other']).toEqual({ records: 2n, billing_units: 3n });
});

const markKey = (hour: string) => {
  const place = { account: 'bob', shard: 0, hour };
  return { table: 'unsettled', key: { slot: slotOf(place), entry: entryOf(place) } } as const;
};
const RECORD = { account: 'bob', record: recordKey(HOUR, 2) };

/** Puts a whole item over one of the ledger, as any principal that may put items can. */
async function replace(key: Record<string, string>, entries: Record<string, Value>): Promise<void> {
  const { items } = await store.query({
    table: 'ledger',
    partition: { attribute: 'account', value: String(key.account) },
    limit: 100,
  });
  const item = items.find(({ record }) => record === key.record);
  if (item === undefined) throw new Error(`no record ${key.record}`);
  const result = await store.put({ table: 'ledger', item: { ...item, ...entries }, when: [] });
  expect(result.applied).toBe(true);
}

/** What is done to sound books, by the invariant that it violates. */
const DAMAGES: Readonly<Record<string, Readonly<Record<string, () => Promise<unknown>>>>> = {
  'granted = credits': {
    'a grant without a credit': () => tamper('accounts', { account: 'bob' }, { granted: 5n }),
    'a credit put over another': () => replace({ account: 'alice', record: 'credit#opening' }, { cu: 1n }),
  },
  'debited = debits': {
    'a debit without a record': () => tamper('accounts', { account: 'bob' }, { debited: 5n }),
  },
  'settled = sum of records': {
    'settled usage without a record': () => tamper('accounts', { account: 'bob' }, { settled: 3_199n }),
    'a record with another amount': () => tamper('ledger', RECORD, { settled_cu: 699n }),
    'a record put over another, right in itself': () =>
      replace(RECORD, { settled_cu: 600n, total_cu: 3_100n, remainder_cu: 100n }),
    'an account item that does not know of a record': () =>
      tamper('accounts', { account: 'bob' }, { settled: 0n, open_from: HOUR }),
  },
  'balance = credits - debits - records - pending': {
    'a balance that the ledger does not explain': () =>
      tamper('accounts', { account: 'bob' }, { closed: 3_170n }),
  },
  'records follow from each other': {
    'a record with another total': () => tamper('ledger', RECORD, { total_cu: 3_201n }),
    'a record with another remainder': () => tamper('ledger', RECORD, { remainder_cu: 201n }),
    'a gap in the revisions': async () => {
      await replace(RECORD, { record: recordKey(HOUR, 3), revision: 3n });
      await store.delete({ table: 'ledger', key: RECORD, when: [] });
    },
    'a record of no usage': () =>
      replace(RECORD, { record: recordKey(HOUR, 3), revision: 3n, settled_cu: 0n, billing_units: 0n }),
    'a whole unit left in the remainder': () => replace(RECORD, { billing_units: 0n, remainder_cu: 1_200n }),
    'a record under another key': () => tamper('ledger', RECORD, { hour: '2026-11-20T08' }),
    'a record that says something else was used': () =>
      tamper('ledger', RECORD, { used: 'example_mainnet eth_blockNumber:3199:3199' }),
    'a record whose usage cannot be read': () => tamper('ledger', RECORD, { used: '?' }),
  },
  'billing units x 1000 + remainders = settled': {
    'a record with another number of units': () => tamper('ledger', RECORD, { billing_units: 2n }),
  },
  'no hour is settled beyond its lanes': {
    'more settled of an hour than its lanes have': async () => {
      await settleMarked(store, clock, 'bob', [], { hour: '2026-11-20T10', force: true });
      store.restore('lanes', { account_shard: 'bob#0', hour_lane: '2026-11-20T10#lane-1' }, undefined);
    },
  },
  'unsettled hours are on the work list': {
    'usage that settlement would not find': () => store.delete({ ...markKey('2026-11-20T10'), when: [] }),
  },
  'closed hours have the lanes of their records': {
    'a late lane that settlement would not find': async () => {
      await chargeAt(store, 'bob', '2026-11-20T09:07:00Z', 10);
      await store.delete({ ...markKey(HOUR), when: [] });
    },
    'lanes that are gone': async () => {
      await settleMarked(store, clock, 'bob', [HOUR]);
      await store.delete({
        table: 'lanes',
        key: { account_shard: 'bob#0', hour_lane: `${HOUR}#lane-1` },
        when: [],
      });
      await chargeAt(store, 'bob', '2026-11-20T09:07:00Z', 10);
      await store.delete({ ...markKey(HOUR), when: [] });
    },
    'an hour that was billed twice, in all that settlement writes but its digest': async () => {
      const amounts = { settled_cu: 3_900n, total_cu: 6_400n, billing_units: 4n, remainder_cu: 400n };
      await replace(RECORD, { ...amounts, used: 'example_mainnet eth_blockNumber:6400:6400' });
      await tamper('accounts', { account: 'bob' }, { settled: 6_400n, closed: 6_400n });
      await store.delete({ ...markKey(HOUR), when: [] });
    },
  },
  'registered accounts can be read': {
    'a registered account that is not there': () =>
      store.put({ table: 'ledger', item: { account: '#accounts', record: 'zoe' }, when: [] }),
    'a record that is none': () =>
      store.put({ table: 'ledger', item: { ...RECORD, record: 'settlement#x' }, when: [] }),
  },
};
const DAMAGED = Object.entries(DAMAGES).flatMap(([invariant, damages]) =>
  Object.entries(damages).map(([name, damage]) => [name, invariant, damage] as const),
);

test.each(DAMAGED)('%s violates "%s"', async (_case, invariant, damage) => {
  await damage();
  const report = await audit();
  expect(violated(report)).toContain(invariant);
  const { violationCount, violations } = report.invariants.find((each) => each.invariant === invariant) ?? {};
  expect(violationCount).toBe(1);
  expect(violations).toHaveLength(1);
});

test('a record put over another that leaves all sums is not found: backups of the table tell', async () => {
  await replace(RECORD, { settled_at: '2020-01-01T00:00:00.000Z' });
  expect(violated(await audit())).toEqual([]);
});

/** A store in which an account is credited, charged and settled after each of some queries for it. */
function moving(most: number): Store {
  let credits = 0;
  return {
    ...passOn(store),
    query: async (query) => {
      const page = await store.query(query);
      if (query.partition.value === 'bob' && credits < most) {
        credits += 1;
        await creditAccount(store, clock, 'bob', { cu: 5, reference: `top-up-${credits}` });
        await chargeAt(store, 'bob', '2026-11-20T09:07:00Z', 300);
        await settleMarked(store, clock, 'bob', [HOUR]);
      }
      return page;
    },
  };
}

test('a credit or a settlement in the middle of a reading is no violation', async () => {
  expect(violated(await audit(moving(3)))).toEqual([]);
  expect(await store.get('ledger', { account: 'bob', record: 'credit#top-up-3' })).toBeDefined();
});

test('an account that changes during every reading is named as one that could not be read', async () => {
  const [readable] = (await audit(moving(Number.POSITIVE_INFINITY))).invariants;
  expect(readable?.violations).toEqual([
    { account: 'bob', detail: 'Error: account bob changed during each of 5 readings' },
  ]);
});

test('an audit that runs out of time says where it stopped, and goes on from there', async () => {
  const first = await auditAccounts(books(), undefined, { accountsAtOnce: 1, outOfTime: trueAfter(1) });
  expect(first).toMatchObject({ accounts: 1, last: 'alice', hasMore: true });
  const second = await auditAccounts(books(), first.last, {
    accountsAtOnce: 1,
    outOfTime: () => false,
  });
  expect(second.accounts).toBe(2);
  expect(second.hasMore).toBe(false);
  expect(await audit(store, () => true)).toMatchObject({ accounts: 0, last: undefined, hasMore: true });
});

test('an audit that cannot read an account fails', async () => {
  const failing: Store = {
    ...passOn(store),
    get: async () => {
      throw new StoreUnavailableError('throttled', false);
    },
  };
  await expect(audit(failing)).rejects.toThrow(StoreUnavailableError);
});
