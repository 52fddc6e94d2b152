import { MAX_GRANTED_CU } from '../../lambdas/access/accounts/account-records.ts';
import { listAccounts, MAX_ACCOUNTS_PAGE, showAccount } from '../../lambdas/access/accounts/account-statement.ts';
import { createAccount } from '../../lambdas/access/accounts/create-account.ts';
import { creditAccount } from '../../lambdas/access/accounts/credit-account.ts';
import { setPlan } from '../../lambdas/access/accounts/set-plan.ts';
import { InputError } from '../../lambdas/access/input-error.ts';
import { PENDING_SHARDS } from '../../lambdas/access/tables.ts';
import { MemoryStore } from '../simulation/memory-store.ts';

const CREATED_AT = '2026-11-20T23:15:00.000Z';
const clock = { now: () => Date.parse(CREATED_AT) };
const ACME = { account: 'acme', plan: 'standard' };
const NEW_ACCOUNT = {
  ...ACME,
  granted_cu: 0,
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
  test('makes an empty account that stays in one shard of the pending index', async () => {
    await expect(createAccount(store, clock, ACME)).resolves.toEqual(NEW_ACCOUNT);
    await expect(showAccount(store, 'acme')).resolves.toEqual(NEW_ACCOUNT);
    const [item] = store.items('accounts');
    expect(item).toEqual({
      ...ACME,
      granted: 0n,
      charged: 0n,
      pending_shard: 13n,
      created_at: CREATED_AT,
    });
  });

  test('spreads accounts over all shards', async () => {
    for (let number = 0; number < 400; number += 1) {
      await createAccount(store, clock, { account: `account-${number}`, plan: 'standard' });
    }
    const shards = new Set(store.items('accounts').map((item) => item.pending_shard));
    expect(shards.size).toBe(PENDING_SHARDS);
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

  test.each([0, -1, 1.5, Number.NaN, MAX_GRANTED_CU + 1])('refuses %p CU', async (cu) => {
    await expect(creditAccount(store, clock, 'acme', { cu, reference: 'r' })).rejects.toThrow(InputError);
  });

  test.each(['', ' ', '#r', 'a b', 'r'.repeat(129)])('refuses the reference %j', async (reference) => {
    await expect(creditAccount(store, clock, 'acme', { cu: 1, reference })).rejects.toThrow(InputError);
  });

  test('refuses an account that there is not, and records nothing', async () => {
    const credit = creditAccount(store, clock, 'nobody', { cu: 1, reference: 'r' });
    await expect(credit).rejects.toThrow(new InputError('there is no account nobody'));
    await expect(store.get('ledger', { account: 'nobody', record: 'credit#r' })).resolves.toBeUndefined();
  });
});

test('showAccount lists what is not yet settled, by hour', async () => {
  await createAccount(store, clock, { ...ACME, credit: { cu: 100, reference: 'opening' } });
  await store.update({
    table: 'accounts',
    key: { account: 'acme' },
    when: [],
    set: {
      w_lane: 1n,
      pending_hour: '2026-11-20T22',
      pruned_through: '2026-11-20T20',
      'h_2026-11-20T21': 0n,
    },
    add: { charged: 130n, 'h_2026-11-20T23': 30n, 'h_2026-11-20T22': 60n },
  });
  const shown = await showAccount(store, 'acme');
  expect(shown).toEqual({
    ...NEW_ACCOUNT,
    granted_cu: 100,
    charged_cu: 130,
    balance_cu: -30,
    pending_cu: { '2026-11-20T22': 60, '2026-11-20T23': 30 },
  });
  expect(Object.keys(shown.pending_cu)).toEqual(['2026-11-20T22', '2026-11-20T23']);
});

test('setPlan changes the plan of an account that exists', async () => {
  await createAccount(store, clock, ACME);
  await expect(setPlan(store, 'acme', 'large')).resolves.toEqual({ ...NEW_ACCOUNT, plan: 'large' });
  await expect(setPlan(store, 'nobody', 'large')).rejects.toThrow(
    new InputError('there is no account nobody'),
  );
  expect(store.items('accounts')).toHaveLength(1);
});

test('listAccounts goes through all accounts, page by page', async () => {
  const names = Array.from({ length: MAX_ACCOUNTS_PAGE + 1 }, (_, number) => `a${1_000 + number}`);
  for (const account of names) await createAccount(store, clock, { ...ACME, account });
  const first = await listAccounts(store);
  expect(first.accounts).toHaveLength(MAX_ACCOUNTS_PAGE);
  const second = await listAccounts(store, first.next);
  expect(second.next).toBeUndefined();
  expect([...first.accounts, ...second.accounts].map(({ account }) => account)).toEqual(names);
});
