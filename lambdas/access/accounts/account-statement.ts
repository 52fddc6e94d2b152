import type { Item, Store } from '../store/store.ts';
import { requireAccountId, unknownAccount } from './account-id.ts';
import { type AccountItem, readAccountItem } from './account-item.ts';
import { ACCOUNT_REGISTRY } from './account-records.ts';
import { type HourLanes, readLanes } from './read-lanes.ts';

/** Most accounts that {@link listAccounts} reads at once. */
export const MAX_ACCOUNTS_PAGE = 100;

/** An account as operators see it. All amounts are compute units. */
export interface AccountStatement {
  readonly account: string;
  readonly plan: string;
  readonly granted_cu: number;
  readonly charged_cu: number;
  /** Granted less charged. */
  readonly balance_cu: number;
  /** Charged and not yet settled, by hour (`2026-11-20T23`, UTC). */
  readonly pending_cu: Readonly<Record<string, number>>;
  /** ISO 8601. */
  readonly created_at: string;
}

export interface AccountsPage {
  readonly accounts: readonly AccountStatement[];
  /** Last account of the page, if there may be more. */
  readonly next?: string;
}

/**
 * The account as it is now. Throws {@link InputError} if there is none. Rejects with `StoreUnavailableError`, or with a
 * TypeError for an item that is no account.
 */
export async function showAccount(store: Store, account: string): Promise<AccountStatement> {
  requireAccountId(account);
  const item = await store.get('accounts', { account });
  if (item === undefined) throw unknownAccount(account);
  return stateAccount(store, item);
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

/** The statement of a stored account item, with its lanes as they are now. */
export async function stateAccount(store: Store, item: Item): Promise<AccountStatement> {
  const account = readAccountItem(item);
  const { account: id, shards, openFrom } = account;
  const pending = pendingCu(
    account,
    await readLanes(store, { account: id, shards, fromHour: openFrom, totals: true }),
  );
  const granted = Number(account.granted);
  const charged = Number(account.settled + sumCu(pending));
  return {
    account: id,
    plan: account.plan,
    granted_cu: granted,
    charged_cu: charged,
    balance_cu: granted - charged,
    pending_cu: Object.fromEntries([...pending].map(([hour, cu]) => [hour, Number(cu)])),
    created_at: account.createdAt,
  };
}

/**
 * What is charged and not yet settled, by hour, in the order of the hours and without those that have nothing. The
 * lanes may be younger than the account item: settlement takes none away.
 */
export function pendingCu(
  { openFrom, settledOpen }: Pick<AccountItem, 'openFrom' | 'settledOpen'>,
  lanes: readonly Pick<HourLanes, 'hour' | 'cu'>[],
): ReadonlyMap<string, bigint> {
  const charged = new Map(lanes.map(({ hour, cu }) => [hour, cu]));
  const hours = [...new Set([...settledOpen.keys(), ...charged.keys()])].filter((hour) => hour >= openFrom);
  const pending = hours.sort().map((hour) => {
    return [hour, (charged.get(hour) ?? 0n) - (settledOpen.get(hour) ?? 0n)] as const;
  });
  return new Map(pending.filter(([, cu]) => cu !== 0n));
}

/** Sum of amounts. */
export function sumCu(amounts: ReadonlyMap<string, bigint>): bigint {
  return [...amounts.values()].reduce((sum, cu) => sum + cu, 0n);
}
