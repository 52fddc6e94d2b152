import {
  type AccountItem,
  readAccountItem,
  requireAccountId,
  toStoredAccount,
} from '../access/accounts/account-item.ts';
import { InputError } from '../access/contract/input-error.ts';
import type { Store } from '../access/store/store.ts';
import { type AccountStatement, stateAccount } from '../settlement/account-statement.ts';
import { registeredAccounts } from '../settlement/settlement-ledger.ts';
import { type Clock, hourOf } from '../shared/runtime/clock.ts';
import { type Credit, creditRecord, planRecord, registryEntry } from './account-records.ts';

/** What an account starts with. */
interface NewAccount {
  readonly account: string;
  readonly plan: string;
  /** Partitions of its lanes, as its plan has them. @default 1 */
  readonly shards?: number;
  readonly credit?: Credit;
}

/**
 * Creates an account, with an optional opening credit, in one transaction.
 * Throws {@link InputError} for a malformed id or credit, and if the account exists.
 */
export async function createAccount(
  store: Store,
  clock: Clock,
  { account, plan, shards = 1, credit }: NewAccount,
): Promise<AccountStatement> {
  requireAccountId(account);
  const createdAt = new Date(clock.now()).toISOString();
  const created: AccountItem = {
    account,
    plan,
    planRevision: 1n,
    shards,
    keys: 0,
    enabledKeys: 0,
    disabledAtMs: 0,
    granted: BigInt(credit?.cu ?? 0),
    debited: 0n,
    settled: 0n,
    openFrom: hourOf(clock.now()),
    closed: 0n,
    createdAt,
  };
  const item = toStoredAccount(created);
  const result = await store.transact([
    { put: { table: 'accounts', item, when: [{ is: 'absent', attribute: 'account' }] } },
    { put: registryEntry(account, createdAt) },
    { put: planRecord(created, createdAt) },
    ...(credit ? [{ put: creditRecord(account, credit, createdAt) }] : []),
  ]);
  if (!result.applied) throw new InputError(`account ${account} exists already`);
  return stateAccount(store, created);
}

/** All accounts in the order of their ids. */
export async function* listAccounts(store: Store): AsyncGenerator<AccountStatement> {
  for await (const page of registeredAccounts({ store })) {
    const accounts = page.map(async (account) => {
      const item = await store.get('accounts', { account });
      return item === undefined ? [] : [await stateAccount(store, readAccountItem(item))];
    });
    yield* (await Promise.all(accounts)).flat();
  }
}
