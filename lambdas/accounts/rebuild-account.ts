import { randomBytes } from 'node:crypto';
import { requireAccountId, unknownAccount } from '../access/accounts/account-id.ts';
import { type AccountItem, readAccountItem, toStoredAccount } from '../access/accounts/account-item.ts';
import { type HourLanes, readLanes, shardsOf } from '../access/accounts/read-lanes.ts';
import { markUnsettled, newMark, type UnsettledHour } from '../access/charge/unsettled.ts';
import type { Condition, Store } from '../access/store/store.ts';
import { MAX_SHARDS } from '../access/store/tables.ts';
import { type RecordSums, sumRecords } from '../settlement/record-sums.ts';
import { ACCOUNT_REGISTRY, ledgerRecords, PLAN_PREFIX, sumCredits } from '../settlement/settlement-ledger.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { hourAfter, hourOf } from '../shared/runtime/hour.ts';
import { listKeys } from './keys.ts';

/** Changes that may come between: credits, plans, keys, settlements. */
const ATTEMPTS = 8;

/** An account item as it was, and as its ledger says that it is. */
export interface RebuiltAccount {
  /** Undefined: it was gone. */
  readonly before: AccountItem | undefined;
  readonly after: AccountItem;
}

/**
 * Makes an account item anew from the ledger, the keys and the lanes, and puts every hour on the work list of settlement
 * that has lanes of which no record says.
 *
 *   item     granted 5, settled 0, open from H-9     (restored, or gone)
 *   ledger   credits 5 + 7, records 3 of hour H-1, plan changes
 *   rebuilt  granted 12, settled 3, open from H      on condition that the item is still as read, or still gone
 *
 * Invariant: what is granted and what is settled are the sums of records that nobody changes, so it may be repeated, and
 * a sound account stays as it is. A credit, a plan, a key or a settlement that comes between changes the item: refused,
 * and everything is read again. To an item that is gone, none of them is applied.
 *
 * Throws {@link InputError} if there never was such an account. Rejects with `StoreUnavailableError`, or with an Error
 * if the account changed at every attempt.
 */
export async function rebuildAccount(store: Store, clock: Clock, account: string): Promise<RebuiltAccount> {
  requireAccountId(account);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const item = await store.get('accounts', { account });
    const before = item && readAccountItem(item);
    const { after, unsettled } = await readSources(store, account, before, hourOf(clock.now()));
    for (const hour of unsettled) {
      await markUnsettled(store, hour, newMark(clock.now(), randomBytes));
    }
    const put = { table: 'accounts', item: toStoredAccount(after), when: asRead(before) } as const;
    if ((await store.put(put)).applied) return { before, after };
  }
  throw new Error(`account ${account} changed at each of ${ATTEMPTS} attempts to rebuild it`);
}

function asRead(before: AccountItem | undefined): Condition {
  if (before === undefined) return [{ is: 'absent', attribute: 'account' }];
  return [
    { is: '=', attribute: 'granted', value: before.granted },
    { is: '=', attribute: 'settled', value: before.settled },
    { is: '=', attribute: 'open_from', value: before.openFrom },
    { is: '=', attribute: 'plan_revision', value: before.planRevision },
    { is: '=', attribute: 'keys', value: BigInt(before.keys) },
  ];
}

interface Sources {
  readonly after: AccountItem;
  /** Hours and shards with lanes of which no record says. */
  readonly unsettled: readonly UnsettledHour[];
}

async function readSources(
  store: Store,
  account: string,
  before: AccountItem | undefined,
  thisHour: string,
): Promise<Sources> {
  const createdAt = await readCreation(store, account);
  const plan = await readPlan(store, account);
  const keys = await countKeys(store, account);
  const granted = await sumCredits(store, account);
  const { recent: recorded, settledCu: settled } = await sumRecords(store, account);
  const hours = await readLanes(store, { account, shards: MAX_SHARDS, fromHour: '0', totals: true });
  const unsettled = hours.filter(({ hour, cu }) => cu > (recorded.get(hour)?.total_cu ?? 0n));
  const closedBefore = (openFrom: string) =>
    [...recorded].reduce((sum, [hour, { total_cu }]) => (hour < openFrom ? sum : sum - total_cu), settled);
  const isSound =
    before?.settled === settled &&
    before.closed === closedBefore(before.openFrom) &&
    hasLanes(before.openFrom, recorded, hours);
  const openFrom = isSound ? before.openFrom : firstOpenHour(unsettled, recorded, thisHour);
  const after = {
    account,
    ...plan,
    shards: Math.max(plan.shards, ...hours.flatMap(shardsOf).map((shard) => shard + 1)),
    // The index of keys may lag behind, and no key is ever taken away.
    keys: Math.max(keys, before?.keys ?? 0),
    granted,
    settled,
    openFrom,
    closed: closedBefore(openFrom),
    createdAt,
  };
  const places = unsettled.flatMap((hour) =>
    shardsOf(hour).map((shard) => ({ account, shard, hour: hour.hour })),
  );
  return { after, unsettled: places };
}

/** Whether the lanes from an hour on have what is recorded of them. */
function hasLanes(openFrom: string, recorded: RecordSums['recent'], hours: readonly HourLanes[]): boolean {
  const charged = new Map(hours.map(({ hour, cu }) => [hour, cu]));
  return [...recorded].every(
    ([hour, { total_cu }]) => hour < openFrom || (charged.get(hour) ?? 0n) >= total_cu,
  );
}

/** The oldest hour that has something to settle; else the first one that can. */
function firstOpenHour(
  unsettled: readonly HourLanes[],
  recorded: RecordSums['recent'],
  thisHour: string,
): string {
  const lastRecorded = [...recorded.keys()].at(-1);
  const next = unsettled[0]?.hour ?? (lastRecorded === undefined ? thisHour : hourAfter(lastRecorded));
  return next < thisHour ? next : thisHour;
}

async function readCreation(store: Store, account: string): Promise<string> {
  const entry = await store.get('ledger', { account: ACCOUNT_REGISTRY, record: account });
  if (entry === undefined) throw unknownAccount(account);
  return String(entry.created_at);
}

async function readPlan(
  store: Store,
  account: string,
): Promise<Pick<AccountItem, 'plan' | 'planRevision' | 'shards'>> {
  let last: Pick<AccountItem, 'plan' | 'planRevision' | 'shards'> | undefined;
  for await (const { plan, revision, shards } of ledgerRecords(store, account, PLAN_PREFIX)) {
    last = { plan: String(plan), planRevision: BigInt(revision ?? 0), shards: Number(shards) };
  }
  if (last === undefined) throw new Error(`the ledger of account ${account} names no plan`);
  return last;
}

async function countKeys(store: Store, account: string): Promise<number> {
  let count = 0;
  let after: string | undefined;
  do {
    const page = await listKeys(store, account, after);
    count += page.keys.length;
    after = page.next;
  } while (after !== undefined);
  return count;
}
