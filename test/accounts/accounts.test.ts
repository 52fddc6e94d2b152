import fc from 'fast-check';
import { readAccountItem } from '../../lambdas/access/accounts/account-item.ts';
import { readBalanceView, writeBalanceView } from '../../lambdas/access/accounts/balance-view.ts';
import { InputError } from '../../lambdas/access/contract/input-error.ts';
import { MAX_GRANTED_CU } from '../../lambdas/accounts/account-records.ts';
import { createAccount } from '../../lambdas/accounts/create-account.ts';
import { creditAccount } from '../../lambdas/accounts/credit-account.ts';
import { debitAccount } from '../../lambdas/accounts/debit-account.ts';
import { rebuildAccount } from '../../lambdas/accounts/rebuild-account.ts';
import { setPlan } from '../../lambdas/accounts/set-plan.ts';
import { showAccount } from '../../lambdas/settlement/account-statement.ts';
import { putRecord } from '../../lambdas/settlement/settlement-ledger.ts';
import { nextRecord } from '../../lambdas/settlement/settlement-step.ts';
import { chargeAt } from '../settlement/settlement-fixture.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { hourSum } from '../support/hour-sum.ts';

const CREATED_AT = '2026-11-20T23:15:00.000Z';
const clock = { now: () => Date.parse(CREATED_AT) };
const ACME = { account: 'acme', plan: 'standard' };
const NEW_ACCOUNT = {
  ...ACME,
  granted_cu: 0,
  debited_cu: 0,
  charged_cu: 0,
  balance_cu: 0,
  pending_cu: {},
  created_at: CREATED_AT,
};

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
});

describe('createAccount', () => {
  test('makes an empty account, with its entry in the registry and the record of its plan', async () => {
    const transact = jest.spyOn(store, 'transact');
    await expect(createAccount(store, clock, { ...ACME, shards: 3 })).resolves.toEqual(NEW_ACCOUNT);
    await expect(showAccount(store, 'acme')).resolves.toEqual(NEW_ACCOUNT);
    expect(store.items('accounts')).toEqual([
      {
        ...ACME,
        plan_revision: 1n,
        shards: 3n,
        keys: 0n,
        enabled_keys: 0n,
        disabled_at_ms: 0n,
        granted: 0n,
        settled: 0n,
        closed: 0n,
        open_from: '2026-11-20T23',
        created_at: CREATED_AT,
      },
    ]);
    const plan = { revision: 1n, plan: 'standard', shards: 3n };
    expect(store.items('ledger')).toEqual([
      { account: '#accounts', record: 'acme', created_at: CREATED_AT },
      { account: 'acme', record: 'plan#000001', ...plan, created_at: CREATED_AT },
    ]);
    // All three in one write: whoever is stopped leaves a whole account or none.
    expect(transact.mock.calls.map(([actions]) => actions.length)).toEqual([3]);
  });

  test('records an opening credit like any other', async () => {
    const credit = { cu: 5_000, reference: 'opening' };
    const created = await createAccount(store, clock, { ...ACME, credit });
    expect(created).toMatchObject({ granted_cu: 5_000, balance_cu: 5_000 });
    const repeated = await creditAccount(store, clock, 'acme', credit);
    expect(repeated).toMatchObject({ granted_cu: 5_000, already_applied: true });
  });

  test('refuses an account that exists, and leaves it as it was', async () => {
    await createAccount(store, clock, ACME);
    const again = createAccount(store, clock, { ...ACME, plan: 'other', credit: { cu: 1, reference: 'r' } });
    await expect(again).rejects.toThrow(new InputError('account acme exists already'));
    await expect(showAccount(store, 'acme')).resolves.toEqual(NEW_ACCOUNT);
  });

  test.each(['', 'Acme', '-acme', '#accounts', 'a/b', 'a'.repeat(64), 'acme\n'])(
    'refuses the id %j',
    async (account) => {
      await expect(createAccount(store, clock, { ...ACME, account })).rejects.toThrow(InputError);
      await expect(showAccount(store, account)).rejects.toThrow(InputError);
      expect(store.items('ledger')).toEqual([]);
    },
  );
});

describe.each([
  [
    'creditAccount',
    (account: string, changed: object = {}) =>
      creditAccount(store, clock, account, { cu: 7, reference: 'r', ...changed }),
  ],
  [
    'debitAccount',
    (account: string, changed: object = {}) =>
      debitAccount(store, clock, account, { cu: 7, reference: 'r', reason: 'r', ...changed }),
  ],
])('%s', (_, act) => {
  beforeEach(() => createAccount(store, clock, { ...ACME, credit: { cu: 500, reference: 'opening' } }));

  test('takes away the balance view of before, however young it is by the clock that wrote it', async () => {
    const item = readAccountItem((await store.get('accounts', { account: 'acme' })) ?? {});
    const view = { item, lanes: { hours: new Map() }, seenAt: clock.now() + 5_000, isWide: true };
    expect(await writeBalanceView(store, view, clock.now())).toBe(true);
    await act('acme');
    expect(await readBalanceView(store, 'acme')).toBeUndefined();
  });

  test.each([
    ...[0, -1, 1.5, Number.NaN, MAX_GRANTED_CU + 1].map((cu) => ({ cu })),
    ...['', ' ', '#r', 'a b', 'r'.repeat(129)].map((reference) => ({ reference })),
    ...['', ' ', ' alice', 'a\nb', 'ä', 'a'.repeat(129)].map((by) => ({ by })),
  ])('refuses %j', async (changed) => {
    const before = store.items('ledger');
    await expect(act('acme', changed)).rejects.toThrow(InputError);
    expect(store.items('ledger')).toEqual(before);
  });

  test('refuses an account that there is not, and records nothing', async () => {
    await expect(act('nobody')).rejects.toThrow(new InputError('unknown account nobody'));
    expect(store.items('ledger').filter(({ account }) => account === 'nobody')).toEqual([]);
  });
});

describe('debitAccount', () => {
  const DEBIT = { cu: 200, reference: 'refund-1', reason: 'Invoice 1 was refunded' };
  beforeEach(() => createAccount(store, clock, { ...ACME, credit: { cu: 500, reference: 'opening' } }));

  test('takes compute units back and keeps a record, once per reference', async () => {
    const results = await Promise.all([1, 2, 3].map(() => debitAccount(store, clock, 'acme', DEBIT)));
    expect(results.filter((result) => !result.already_applied)).toHaveLength(1);
    await expect(showAccount(store, 'acme')).resolves.toMatchObject({
      granted_cu: 500,
      debited_cu: 200,
      balance_cu: 300,
    });
    await expect(store.get('ledger', { account: 'acme', record: 'debit#refund-1' })).resolves.toEqual({
      account: 'acme',
      record: 'debit#refund-1',
      reference: 'refund-1',
      cu: 200n,
      reason: DEBIT.reason,
      created_at: CREATED_AT,
    });
    await expect(debitAccount(store, clock, 'acme', { ...DEBIT, cu: 201 })).rejects.toThrow(
      'reference refund-1 of account acme stands for a debit of 200 CU already',
    );
    // A credit of the same reference is another matter.
    await expect(
      creditAccount(store, clock, 'acme', { cu: 1, reference: 'refund-1' }),
    ).resolves.toMatchObject({ granted_cu: 501, balance_cu: 301, already_applied: false });
  });

  test('takes back no more than the balance unless that is said, and never more than was granted', async () => {
    await chargeAt(store, 'acme', CREATED_AT, 400);
    await expect(debitAccount(store, clock, 'acme', DEBIT)).rejects.toThrow(
      'account acme has a balance of 100 CU; --below-zero takes back more than that',
    );
    const below = await debitAccount(store, clock, 'acme', { ...DEBIT, belowZero: true });
    expect(below).toMatchObject({ granted_cu: 500, debited_cu: 200, charged_cu: 400, balance_cu: -100 });
    const over = { cu: 301, reference: 'over', reason: 'r', belowZero: true };
    await expect(debitAccount(store, clock, 'acme', over)).rejects.toThrow(
      'account acme was granted 300 CU that are not taken back',
    );
    await expect(debitAccount(store, clock, 'acme', { ...over, cu: 300 })).resolves.toMatchObject({
      balance_cu: -400,
    });
  });

  test('keeps the books whole, whatever is credited and debited at once, and a rebuild changes nothing', async () => {
    const amounts = fc.array(fc.integer({ min: -300, max: 300 }), { maxLength: 6 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(amounts, async (changes) => {
        round += 1;
        const account = `acme-${round}`;
        await createAccount(store, clock, { ...ACME, account });
        const act = (cu: number, place: number) => {
          const reference = `r-${place}`;
          if (cu > 0) return creditAccount(store, clock, account, { cu, reference });
          return debitAccount(store, clock, account, { cu: -cu, reference, reason: 'r' });
        };
        const acts = await Promise.allSettled(changes.map(act));
        const applied = changes.filter((_, place) => acts[place]?.status === 'fulfilled');
        const { balance_cu } = await showAccount(store, account);
        expect(balance_cu).toBe(applied.reduce((sum, cu) => sum + cu, 0));
        expect(balance_cu).toBeGreaterThanOrEqual(0);
        const { before, after } = await rebuildAccount({ store, clock, pause: async () => {} }, account);
        expect(after).toEqual(before);
      }),
      { numRuns: 30 },
    );
  });

  test.each(['', ' ', 'a\nb', 'r'.repeat(201)])('refuses the reason %j', async (reason) => {
    await expect(debitAccount(store, clock, 'acme', { ...DEBIT, reason })).rejects.toThrow(InputError);
    expect(store.items('ledger').filter(({ record }) => String(record).startsWith('debit#'))).toEqual([]);
  });
});

describe('creditAccount', () => {
  beforeEach(() => createAccount(store, clock, ACME));

  test('grants compute units and keeps a record', async () => {
    const credited = await creditAccount(store, clock, 'acme', { cu: 700, reference: 'invoice-1' });
    expect(credited).toEqual({
      ...NEW_ACCOUNT,
      granted_cu: 700,
      balance_cu: 700,
      reference: 'invoice-1',
      already_applied: false,
    });
    await expect(store.get('ledger', { account: 'acme', record: 'credit#invoice-1' })).resolves.toEqual({
      account: 'acme',
      record: 'credit#invoice-1',
      reference: 'invoice-1',
      cu: 700n,
      created_at: CREATED_AT,
    });
  });

  test('applies a reference once, however often and however concurrently it is repeated', async () => {
    const credit = { cu: 700, reference: 'invoice-1' };
    const results = await Promise.all([1, 2, 3].map(() => creditAccount(store, clock, 'acme', credit)));
    expect(results.filter((result) => !result.already_applied)).toHaveLength(1);
    await expect(showAccount(store, 'acme')).resolves.toMatchObject({ granted_cu: 700 });
    await expect(creditAccount(store, clock, 'acme', { ...credit, cu: 701 })).rejects.toThrow(
      'reference invoice-1 of account acme stands for 700 CU already',
    );
  });

  test('never grants more than can be counted exactly', async () => {
    await creditAccount(store, clock, 'acme', { cu: MAX_GRANTED_CU - 1, reference: 'most' });
    await expect(creditAccount(store, clock, 'acme', { cu: 2, reference: 'over' })).rejects.toThrow(
      'more than',
    );
    const full = await creditAccount(store, clock, 'acme', { cu: 1, reference: 'rest' });
    expect(full.granted_cu).toBe(MAX_GRANTED_CU);
  });
});

describe('showAccount', () => {
  beforeEach(() => createAccount(store, clock, { ...ACME, credit: { cu: 100, reference: 'opening' } }));

  test('lists what is not yet settled, by hour', async () => {
    await chargeAt(store, 'acme', '2026-11-20T23:20:00Z', 20);
    await chargeAt(store, 'acme', '2026-11-21T00:10:00Z', 60);
    await chargeAt(store, 'acme', '2026-11-20T23:20:00Z', 10, { lane: 'lane-2' });
    await chargeAt(store, 'acme', '2026-11-21T01:10:00Z', 40);
    for (const [hour, cu] of [
      ['2026-11-20T23', 5n],
      ['2026-11-21T01', 40n],
    ] as const) {
      const sum = hourSum({ hour, cu, lanes: [] });
      await store.put(
        putRecord(nextRecord({ account: 'acme' }, sum, undefined, { nowMs: clock.now(), salt: '' })),
      );
    }
    await store.update({ table: 'accounts', key: { account: 'acme' }, when: [], set: { settled: 45n } });
    const shown = await showAccount(store, 'acme');
    expect(shown).toEqual({
      ...NEW_ACCOUNT,
      granted_cu: 100,
      charged_cu: 130,
      balance_cu: -30,
      pending_cu: { '2026-11-20T23': 25, '2026-11-21T00': 60 },
    });
    expect(Object.keys(shown.pending_cu)).toEqual(['2026-11-20T23', '2026-11-21T00']);
  });

  test('leaves out the lanes of hours that are settled', async () => {
    await chargeAt(store, 'acme', '2026-11-20T23:20:00Z', 20);
    const settled = { settled: 20n, closed: 20n, open_from: '2026-11-21T00' };
    await store.update({ table: 'accounts', key: { account: 'acme' }, when: [], set: settled });
    await expect(showAccount(store, 'acme')).resolves.toMatchObject({ charged_cu: 20, pending_cu: {} });
  });
});

describe('setPlan', () => {
  beforeEach(() => createAccount(store, clock, ACME));
  const planRecords = () => store.items('ledger').filter(({ record }) => String(record).startsWith('plan#'));

  test('changes the plan of an account that exists, and keeps a record of it', async () => {
    const large = await setPlan(store, clock, 'acme', { plan: 'large', shards: 4 });
    expect(large).toEqual({ ...NEW_ACCOUNT, plan: 'large' });
    expect(store.items('accounts')).toMatchObject([{ plan: 'large', plan_revision: 2n, shards: 4n }]);
    expect(planRecords()).toMatchObject([
      { record: 'plan#000001', plan: 'standard', shards: 1n },
      { record: 'plan#000002', plan: 'large', shards: 4n },
    ]);
    await expect(setPlan(store, clock, 'nobody', { plan: 'large' })).rejects.toThrow(
      new InputError('unknown account nobody'),
    );
    expect(store.items('accounts')).toHaveLength(1);
  });

  test('never takes shards away, and writes nothing that is so already', async () => {
    await setPlan(store, clock, 'acme', { plan: 'large', shards: 4 });
    await setPlan(store, clock, 'acme', { plan: 'standard' });
    await setPlan(store, clock, 'acme', { plan: 'standard', shards: 2 });
    expect(store.items('accounts')).toMatchObject([{ plan: 'standard', plan_revision: 3n, shards: 4n }]);
    expect(planRecords()).toHaveLength(3);
  });

  test('of two changes at once each has its own record', async () => {
    const changes = ['large', 'free'].map((plan) => setPlan(store, clock, 'acme', { plan }));
    await Promise.all(changes);
    expect(planRecords().map(({ record }) => record)).toEqual(['plan#000001', 'plan#000002', 'plan#000003']);
    const [account] = store.items('accounts');
    expect(account).toMatchObject({ plan_revision: 3n, plan: planRecords()[2]?.plan });
  });

  test('of an item that is older than its ledger is refused', async () => {
    const [before] = store.items('accounts');
    await setPlan(store, clock, 'acme', { plan: 'large' });
    store.restore('accounts', { account: 'acme' }, before);
    const change = setPlan(store, clock, 'acme', { plan: 'free' });
    await expect(change).rejects.toThrow('older than its ledger: run operator account rebuild acme');
  });
});
