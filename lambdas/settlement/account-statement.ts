import { requireAccountId, unknownAccount } from '../access/accounts/account-id.ts';
import { readAccountItem } from '../access/accounts/account-item.ts';
import { type HourLanes, readLanes } from '../access/accounts/read-lanes.ts';
import type { Item, Store } from '../access/store/store.ts';
import { AFTER_ALL } from '../access/store/tables.ts';
import { lastRecords } from './settlement-ledger.ts';

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

/** The statement of a stored account item, with its lanes as they are now. */
export async function stateAccount(store: Store, item: Item): Promise<AccountStatement> {
  const { account, plan, shards, openFrom, settled, closed, createdAt, ...amounts } = readAccountItem(item);
  const recorded = new Map<string, bigint>();
  if (settled !== closed) {
    const open = lastRecords({ store }, account, { fromHour: openFrom, toHour: AFTER_ALL });
    for await (const { hour, total_cu } of open) recorded.set(hour, total_cu);
  }
  const lanes = await readLanes(store, { account, shards, fromHour: openFrom, totals: true });
  const pending = pendingCu(lanes, recorded);
  const granted = Number(amounts.granted);
  const charged = Number(lanes.reduce((sum, { cu }) => sum + cu, closed));
  return {
    account,
    plan,
    granted_cu: granted,
    charged_cu: charged,
    balance_cu: granted - charged,
    pending_cu: Object.fromEntries([...pending].map(([hour, cu]) => [hour, Number(cu)])),
    created_at: createdAt,
  };
}

/**
 * What open hours were charged beyond their records, by hour, in the order of the hours and without those that have
 * nothing. The lanes may be younger than the records: settlement takes none away.
 */
export function pendingCu(
  lanes: readonly Pick<HourLanes, 'hour' | 'cu'>[],
  recorded: ReadonlyMap<string, bigint>,
): ReadonlyMap<string, bigint> {
  const pending = new Map([...recorded].map(([hour, cu]) => [hour, -cu]));
  for (const { hour, cu } of lanes) pending.set(hour, (pending.get(hour) ?? 0n) + cu);
  return new Map([...pending].filter(([, cu]) => cu !== 0n).sort());
}

/** Sum of amounts. */
export function sumCu(amounts: ReadonlyMap<string, bigint>): bigint {
  return [...amounts.values()].reduce((sum, cu) => sum + cu, 0n);
}
