import { requireAccountId, unknownAccount } from '../access/accounts/account-id.ts';
import { type AccountItem, readAccountItem } from '../access/accounts/account-item.ts';
import { readBalanceView } from '../access/accounts/balance-view.ts';
import { laneHours } from '../access/accounts/lane-hours.ts';
import type { HourLanes } from '../access/accounts/read-lanes.ts';
import type { Item, Store } from '../access/store/store.ts';
import { AFTER_ALL } from '../access/store/tables.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { lastRecords } from './settlement-ledger.ts';

/** Age up to which a balance view is shown, in milliseconds. */
const VIEW_USABLE_MS = 60_000;

/** An account as operators see it. All amounts are compute units. */
export interface AccountStatement {
  readonly account: string;
  readonly plan: string;
  readonly granted_cu: number;
  /** Taken back of that. */
  readonly debited_cu: number;
  readonly charged_cu: number;
  /** Granted less debited and charged. */
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

/**
 * The account as its balance view has it, where it has a young one; else as {@link showAccount} does. Hours that a view has
 * as one sum, which are more than a day old, are under the first of them.
 */
export async function showAccountView(
  store: Store,
  clock: Clock,
  account: string,
): Promise<AccountStatement> {
  const view = await readBalanceView(store, account, { eventual: true });
  if (view?.isWide !== true || clock.now() - view.seenAt >= VIEW_USABLE_MS)
    return showAccount(store, account);
  const { item, lanes } = view;
  const recorded = await recordedCu(store, item);
  const hours = [...lanes.hours].map(([hour, { cu }]) => ({ hour, cu }));
  const older = lanes.older && { hour: lanes.older.fromHour, cu: lanes.older.cu };
  return statementOf(item, older ? [older, ...hours] : hours, recorded);
}

/** The statement of a stored account item, with its lanes as they are now: of however many, one page of a shard at a time. */
export async function stateAccount(store: Store, stored: Item): Promise<AccountStatement> {
  const item = readAccountItem(stored);
  const { account, shards, openFrom: fromHour } = item;
  const recorded = await recordedCu(store, item);
  const hours: Pick<HourLanes, 'hour' | 'cu'>[] = [];
  for await (const { hour, cu } of laneHours({ store }, { account, shards, fromHour, totals: true }))
    hours.push({ hour, cu });
  return statementOf(item, hours, recorded);
}

/** What is settled of open hours. */
async function recordedCu(
  store: Store,
  { account, openFrom, settled, closed }: AccountItem,
): Promise<ReadonlyMap<string, bigint>> {
  const recorded = new Map<string, bigint>();
  if (settled === closed) return recorded;
  const open = lastRecords({ store }, account, { fromHour: openFrom, toHour: AFTER_ALL });
  for await (const { hour, total_cu } of open) recorded.set(hour, total_cu);
  return recorded;
}

function statementOf(
  { account, plan, closed, createdAt, ...amounts }: AccountItem,
  lanes: readonly Pick<HourLanes, 'hour' | 'cu'>[],
  recorded: ReadonlyMap<string, bigint>,
): AccountStatement {
  const pending = pendingCu(lanes, recorded);
  const granted = Number(amounts.granted);
  const debited = Number(amounts.debited);
  const charged = Number(lanes.reduce((sum, { cu }) => sum + cu, closed));
  return {
    account,
    plan,
    granted_cu: granted,
    debited_cu: debited,
    charged_cu: charged,
    balance_cu: granted - debited - charged,
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
