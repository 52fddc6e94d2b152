import { randomBytes } from 'node:crypto';
import type { Bookkeeping } from '../access/account-work.ts';
import {
  type AccountItem,
  readAccountItem,
  requireAccountId,
  toStoredAccount,
  unknownAccount,
} from '../access/accounts/account-item.ts';
import { laneHours } from '../access/accounts/lane-hours.ts';
import { shardsOf } from '../access/accounts/read-lanes.ts';
import { markUnsettled, newMark } from '../access/charge/lane.ts';
import { withStoreRetries } from '../access/store/query-items.ts';
import type { Condition, Item } from '../access/store/store.ts';
import { MAX_SHARDS } from '../access/store/tables.ts';
import { type LedgerSums, sumLedger } from '../audit/ledger-sums.ts';
import { ACCOUNT_REGISTRY, ledgerRecords, PLAN_PREFIX } from '../settlement/settlement-ledger.ts';
import { hourAfter, hourOf } from '../shared/runtime/clock.ts';
import { inParallel } from '../shared/runtime/in-parallel.ts';
import { type KeyDescription, listKeys } from './keys.ts';

/** Changes that may come between: credits, plans, keys, settlements. */
const ATTEMPTS = 8;
const KEYS_AT_ONCE = 16;

/** An account item as it was, and as its ledger says that it is. */
interface RebuiltAccount {
  /** Undefined: it was gone. */
  readonly before: AccountItem | undefined;
  readonly after: AccountItem;
}

/**
 * Makes an account item anew from the ledger, the keys and the lanes, and puts every hour on the work list of settlement
 * that has lanes of which no record says, and every open one that has lanes or a record: nothing else would close it, and
 * when its lanes expire, what they hold would come back to the balance.
 *
 *   item     granted 5, settled 0, open from H-9     (restored, or gone)
 *   ledger   credits 5 + 7, records 3 of hour H-1, plan changes
 *   rebuilt  granted 12, settled 3, open from H      on condition that the item is still as read, or still gone
 *
 * Invariant: what is granted and what is settled are the sums of records that never change, so it may be repeated, and
 * a sound account stays as it is. A credit, a plan, a key or a settlement that comes between changes the item: refused,
 * and everything is read again. To an item that is gone, none of them is applied.
 *
 * Throws {@link InputError} if there never was such an account. Rejects with `StoreUnavailableError`, or with an Error
 * if the account changed at every attempt.
 */
export async function rebuildAccount(books: Rebuilding, account: string): Promise<RebuiltAccount> {
  requireAccountId(account);
  const { store, clock } = books;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const item = await withStoreRetries(books, () => store.get('accounts', { account }));
    const before = item && readAccountItem(item);
    const { after, unsettled } = await readSources(books, account, before);
    for (const hour of unsettled) {
      // Settlement reads all shards of an hour, whichever is marked.
      const mark = newMark(clock.now(), randomBytes);
      await withStoreRetries(books, () => markUnsettled(store, { account, shard: 0, hour }, mark));
    }
    const put = { table: 'accounts', item: toStoredAccount(after), when: asRead(item) } as const;
    if ((await withStoreRetries(books, () => store.put(put))).applied) return { before, after };
  }
  throw new Error(`account ${account} changed at each of ${ATTEMPTS} attempts to rebuild it`);
}

/** What an account is rebuilt with. */
type Rebuilding = Pick<Bookkeeping, 'store' | 'clock' | 'pause'>;

/** What a change that comes between would have changed. */
const COMPARED = [
  'granted',
  'debited',
  'settled',
  'open_from',
  'plan_revision',
  'keys',
  'enabled_keys',
  'disabled_at_ms',
] as const;

/** An account that nothing was taken back from has no `debited`. */
function asRead(item: Item | undefined): Condition {
  if (item === undefined) return [{ is: 'absent', attribute: 'account' }];
  return COMPARED.map((attribute) => {
    const value = item[attribute];
    return value === undefined ? { is: 'absent', attribute } : { is: '=', attribute, value };
  });
}

interface Sources {
  readonly after: AccountItem;
  /** Hours that settlement has to look at, the oldest first. */
  readonly unsettled: readonly string[];
}

/** What the lanes of an hour come to. */
interface ChargedHour {
  readonly hour: string;
  readonly cu: bigint;
  readonly shards: readonly number[];
}

async function readSources(
  books: Rebuilding,
  account: string,
  before: AccountItem | undefined,
): Promise<Sources> {
  const createdAt = await readCreation(books, account);
  const plan = await readPlan(books, account);
  const nowMs = books.clock.now();
  const keys = await countKeys(books, account, before, nowMs);
  const ledger = await sumLedger(books, account);
  const {
    creditedCu: granted,
    debitedCu: debited,
    settledCu: settled,
    recent: recorded,
    lastRecord,
  } = ledger;
  const hours: ChargedHour[] = [];
  for await (const hour of laneHours(books, { account, shards: MAX_SHARDS, fromHour: '0', totals: true })) {
    hours.push({ hour: hour.hour, cu: hour.cu, shards: shardsOf(hour) });
  }
  const unrecorded = hours
    .filter(({ hour, cu }) => cu > (recorded.get(hour)?.total_cu ?? 0n))
    .map(({ hour }) => hour);
  const closedBefore = (openFrom: string) =>
    [...recorded].reduce((sum, [hour, { total_cu }]) => (hour < openFrom ? sum : sum - total_cu), settled);
  const isSound = before?.settled === settled && hasLanes(before.openFrom, recorded, hours);
  const openFrom = isSound ? before.openFrom : firstOpenHour(unrecorded[0], recorded, hourOf(nowMs));
  const after = {
    account,
    ...plan,
    shards: Math.max(plan.shards, ...hours.flatMap(({ shards }) => shards).map((shard) => shard + 1)),
    ...keys,
    granted,
    debited,
    settled,
    openFrom,
    closed: closedBefore(openFrom),
    ...(lastRecord && { lastRecord: { number: lastRecord.number, hash: lastRecord.hash } }),
    createdAt,
  };
  const open = [...hours.map(({ hour }) => hour), ...recorded.keys()].filter((hour) => hour >= openFrom);
  return { after, unsettled: [...new Set([...unrecorded, ...open])].sort() };
}

/** Whether the lanes from an hour on have what is recorded of them. */
function hasLanes(openFrom: string, recorded: LedgerSums['recent'], hours: readonly ChargedHour[]): boolean {
  const charged = new Map(hours.map(({ hour, cu }) => [hour, cu]));
  return [...recorded].every(
    ([hour, { total_cu }]) => hour < openFrom || (charged.get(hour) ?? 0n) >= total_cu,
  );
}

/** The oldest hour that has something to settle; else the first one that can. */
function firstOpenHour(
  unrecorded: string | undefined,
  recorded: LedgerSums['recent'],
  thisHour: string,
): string {
  const lastRecorded = [...recorded.keys()].at(-1);
  const next = unrecorded ?? (lastRecorded === undefined ? thisHour : hourAfter(lastRecorded));
  return next < thisHour ? next : thisHour;
}

async function readCreation(books: Rebuilding, account: string): Promise<string> {
  const key = { account: ACCOUNT_REGISTRY, record: account };
  const entry = await withStoreRetries(books, () => books.store.get('ledger', key));
  if (entry === undefined) throw unknownAccount(account);
  return String(entry.created_at);
}

async function readPlan(
  books: Rebuilding,
  account: string,
): Promise<Pick<AccountItem, 'plan' | 'planRevision' | 'shards'>> {
  let last: Pick<AccountItem, 'plan' | 'planRevision' | 'shards'> | undefined;
  for await (const { plan, revision, shards } of ledgerRecords(books, account, PLAN_PREFIX)) {
    last = { plan: String(plan), planRevision: BigInt(revision ?? 0), shards: Number(shards) };
  }
  if (last === undefined) throw new Error(`the ledger of account ${account} names no plan`);
  return last;
}

/** Counts the keys themselves: the index, which names them, says late which of them are enabled. */
async function countKeys(
  books: Rebuilding,
  account: string,
  before: AccountItem | undefined,
  nowMs: number,
): Promise<Pick<AccountItem, 'keys' | 'enabledKeys' | 'disabledAtMs'>> {
  let enabled = 0;
  const named = await listKeys(books, account);
  const count = async ({ key_id }: KeyDescription) => {
    const key = await withStoreRetries(books, () => books.store.get('keys', { key_id }));
    if (key?.status === 'active') enabled += 1;
  };
  await inParallel(named, KEYS_AT_ONCE, count);
  // No key is ever taken away: those that the index does not name yet are new.
  const unnamed = Math.max(0, (before?.keys ?? 0) - named.length);
  const counted = { keys: named.length + unnamed, enabledKeys: enabled + unnamed };
  // Of an item that counts otherwise it is not known when a key was disabled: it may have been now.
  const isKnown = counted.enabledKeys === (before?.enabledKeys ?? counted.keys);
  return { ...counted, disabledAtMs: isKnown ? (before?.disabledAtMs ?? 0) : nowMs };
}
