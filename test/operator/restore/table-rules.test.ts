import fc from 'fast-check';
import { hasExpired, keyOf, RESTORE_RULES, verdictOn } from '../../../bin/operator/restore/table-rules.ts';
import type { Item } from '../../../lambdas/access/store/store.ts';
import type { Table } from '../../../lambdas/access/store/tables.ts';
import { MemoryStore } from '../../simulation/stores/memory-store.ts';

const few = fc.bigInt({ min: 0n, max: 2n });
const hour = fc.constantFrom('2026-11-20T07', '2026-11-20T08');

/** Items of one key, of every table: few values, so that many pairs are the same in a part. */
const STATES: Readonly<Record<Table, fc.Arbitrary<Item>>> = {
  keys: fc.record({
    key_id: fc.constant('k'),
    account: fc.constantFrom('acme', 'zeta'),
    label: fc.constant('back end'),
    last4: fc.constant('0000'),
    status: fc.constantFrom('active', 'disabled'),
    created_at: fc.constant('2026-11-01T00:00:00Z'),
    tat: few,
  }),
  accounts: fc.record({
    account: fc.constant('acme'),
    plan: fc.constantFrom('free', 'scale'),
    plan_revision: few,
    shards: few,
    keys: few,
    enabled_keys: few,
    disabled_at_ms: few,
    granted: few,
    settled: few,
    open_from: hour,
    closed: few,
    created_at: fc.constant('2026-11-01T00:00:00Z'),
  }),
  lanes: fc.record({
    account_shard: fc.constant('acme#0'),
    hour_lane: fc.constant('2026-11-20T07#lane'),
    total: few,
    used: fc.constantFrom('a', 'b'),
    expires_at: fc.constant(1_800_000_000n),
  }),
  unsettled: fc.record({
    slot: fc.constant('00'),
    entry: fc.constant('2026-11-20T07#acme#0'),
    mark: fc.constantFrom('1.a', '2.b'),
  }),
  balances: fc.record({ account: fc.constant('acme'), seen_at: few }),
  ledger: fc.record({
    account: fc.constant('acme'),
    record: fc.constant('credit#r'),
    cu: few,
  }),
};
const TABLES = Object.keys(STATES) as Table[];

test.each(TABLES)('%s: the condition of a put lets through exactly what the verdict says', async (table) => {
  await fc.assert(
    fc.asyncProperty(STATES[table], STATES[table], async (stored, restored) => {
      const verdict = verdictOn(table, stored, restored);
      const store = new MemoryStore();
      store.restore(table, keyOf(table, stored), stored);
      const { applied } = await store.put({
        table,
        item: restored,
        when: RESTORE_RULES[table].when(restored),
      });
      // The same item may be put again: nothing changes.
      if (verdict !== 'same') expect({ verdict, applied }).toEqual({ verdict, applied: verdict === 'older' });
    }),
  );
});

test.each(TABLES)('%s: of two states at most one is older, and what is missing is put', async (table) => {
  await fc.assert(
    fc.asyncProperty(STATES[table], STATES[table], async (left, right) => {
      const verdicts = [verdictOn(table, left, right), verdictOn(table, right, left)];
      expect(verdicts.filter((verdict) => verdict === 'older').length).toBeLessThan(2);
      expect(verdicts[0] === 'same').toBe(verdicts[1] === 'same');
      const put = { table, item: left, when: RESTORE_RULES[table].when(left) };
      expect(await new MemoryStore().put(put)).toMatchObject({ applied: true });
    }),
  );
});

test('a record of the ledger is never replaced, a lane only by a higher total', () => {
  const record = { account: 'acme', record: 'credit#r', cu: 5n };
  expect(verdictOn('ledger', { ...record, cu: 4n }, record)).toBe('differing');
  const lane = { account_shard: 'acme#0', hour_lane: '2026-11-20T07#lane', total: 5n, used: 'a' };
  expect(verdictOn('lanes', { ...lane, total: 4n }, lane)).toBe('older');
  expect(verdictOn('lanes', { ...lane, total: 6n }, lane)).toBe('newer');
  expect(verdictOn('lanes', { ...lane, used: 'b' }, lane)).toBe('differing');
});

test('a key that was disabled since the backup stays disabled; one of another account is a difference', () => {
  const key = { key_id: 'k', account: 'acme', label: '', last4: '0000', created_at: 'c', status: 'active' };
  expect(verdictOn('keys', { ...key, status: 'disabled', tat: 9n }, key)).toBe('newer');
  expect(verdictOn('keys', { ...key, account: 'zeta' }, key)).toBe('differing');
});

test('a backup without debits is put over no account that was debited since, whatever else is lower', async () => {
  const restored = { account: 'acme', granted: 2n, settled: 1n };
  const stored = { account: 'acme', granted: 1n, settled: 1n, debited: 1n };
  expect(verdictOn('accounts', stored, restored)).toBe('differing');
  const store = new MemoryStore();
  store.restore('accounts', { account: 'acme' }, stored);
  const put = { table: 'accounts', item: restored, when: RESTORE_RULES.accounts.when(restored) } as const;
  expect(await store.put(put)).toEqual({ applied: false, item: stored });
  expect(verdictOn('accounts', { ...stored, granted: 2n }, restored)).toBe('newer');
});

test('accounts that have risen alike and differ in something else are a difference, and nothing is put', async () => {
  const account = { account: 'acme', granted: 2n, settled: 1n, plan: 'free' };
  expect(verdictOn('accounts', { ...account, plan: 'scale' }, account)).toBe('differing');
  const store = new MemoryStore();
  store.restore('accounts', { account: 'acme' }, { ...account, plan: 'scale' });
  const put = { table: 'accounts', item: account, when: RESTORE_RULES.accounts.when(account) } as const;
  expect(await store.put(put)).toMatchObject({ applied: false });
});

test('a lane has expired from the second on that DynamoDB may delete it', () => {
  const lane = { account_shard: 'acme#0', hour_lane: '2026-11-20T07#lane', total: 5n, expires_at: 1_000n };
  expect(hasExpired('lanes', lane, 999_999)).toBe(false);
  expect(hasExpired('lanes', lane, 1_000_000)).toBe(true);
  expect(hasExpired('ledger', { account: 'acme', record: 'r', expires_at: 1n }, 2_000)).toBe(false);
});

test('an item without the key of its table is none of it', () => {
  expect(() => keyOf('ledger', { account: 'acme', cu: 1n })).toThrow('an item has no record');
});
