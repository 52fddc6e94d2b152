import type { Store } from '../access/store/store.ts';
import { type AccountStatement, stateAccount } from '../settlement/account-statement.ts';
import { ACCOUNT_REGISTRY } from '../settlement/settlement-ledger.ts';

/** Most accounts that {@link listAccounts} reads at once. */
export const MAX_ACCOUNTS_PAGE = 100;

interface AccountsPage {
  readonly accounts: readonly AccountStatement[];
  /** Last account of the page, if there may be more. */
  readonly next?: string;
}

/** Accounts in the order of their ids, at most {@link MAX_ACCOUNTS_PAGE} at once. */
export async function listAccounts(store: Store, after?: string): Promise<AccountsPage> {
  const page = await store.query({
    table: 'ledger',
    partition: { attribute: 'account', value: ACCOUNT_REGISTRY },
    limit: MAX_ACCOUNTS_PAGE,
    ...(after !== undefined && { after: { account: ACCOUNT_REGISTRY, record: after } }),
  });
  const accounts = await Promise.all(
    page.items.map(async ({ record }) => {
      const item = await store.get('accounts', { account: String(record) });
      return item === undefined ? [] : [await stateAccount(store, item)];
    }),
  );
  return { accounts: accounts.flat(), ...(page.next && { next: String(page.next.record) }) };
}
