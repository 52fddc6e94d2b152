import {
  type AccountItem,
  readAccountItem,
  requireAccountId,
  unknownAccount,
} from '../access/accounts/account-item.ts';
import { readBalanceView } from '../access/accounts/balance-view.ts';
import { laneHours } from '../access/accounts/lane-hours.ts';
import { type HourLanes, shardQuery } from '../access/accounts/read-lanes.ts';
import { hourLane } from '../access/charge/lane.ts';
import { decodeUsage, sumUsage } from '../access/charge/usage-text.ts';
import type { MethodUsage } from '../access/contract/metering.ts';
import { amountOf, textOf } from '../access/store/item-values.ts';
import { queryItems } from '../access/store/query-items.ts';
import type { ReadOptions, Store } from '../access/store/store.ts';
import { AFTER_ALL } from '../access/store/tables.ts';
import { type Clock, HOUR_MS, hourOf, hourStartMs } from '../shared/runtime/clock.ts';
import { laneUsage } from './hour-leaves.ts';
import { lastRecords, type RecordReading } from './settlement-ledger.ts';

/** Age up to which a balance view is shown, in milliseconds. */
const VIEW_USABLE_MS = 60_000;
const STATE = ['account_shard', 'hour_lane', 'n', 'total'];
/** A sort key with it at its end is the first one behind that. */
const JUST_BEHIND = '\u0000';

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
 * The account as it is now. Throws {@link InputError} if it does not exist. Rejects with `StoreUnavailableError`, or with a
 * TypeError for an item that is no account.
 */
export async function showAccount(store: Store, account: string): Promise<AccountStatement> {
  requireAccountId(account);
  return stateAccount(store, await readAccount(store, account));
}

async function readAccount(store: Store, account: string, options?: ReadOptions): Promise<AccountItem> {
  const item = await store.get('accounts', { account }, options);
  if (item === undefined) throw unknownAccount(account);
  return readAccountItem(item);
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
  const { hours, older } = view.lanes;
  return statementOf(store, view.item, [
    ...(older ? [{ hour: older.fromHour, cu: older.cu }] : []),
    ...[...hours].map(([hour, { cu }]) => ({ hour, cu })),
  ]);
}

/** The statement of an account item, with its lanes as they are now: of however many, one page of a shard at a time. */
export async function stateAccount(store: Store, item: AccountItem): Promise<AccountStatement> {
  const { account, shards, openFrom: fromHour } = item;
  return statementOf(store, item, laneHours({ store }, { account, shards, fromHour, totals: true }));
}

type ChargedHour = Pick<HourLanes, 'hour' | 'cu'>;

/** Lanes are read after the records: they may be younger than these, and settlement takes none away. */
async function statementOf(
  store: Store,
  { account, plan, openFrom, settled, closed, createdAt, ...amounts }: AccountItem,
  lanes: Iterable<ChargedHour> | AsyncIterable<ChargedHour>,
): Promise<AccountStatement> {
  const pending = new Map<string, bigint>();
  const open = { fromHour: openFrom, toHour: AFTER_ALL };
  if (settled !== closed)
    for await (const { hour, total_cu } of lastRecords({ store }, account, open))
      pending.set(hour, -total_cu);
  let chargedCu = closed;
  for await (const { hour, cu } of lanes) {
    chargedCu += cu;
    pending.set(hour, (pending.get(hour) ?? 0n) + cu);
  }
  const granted = Number(amounts.granted);
  const debited = Number(amounts.debited);
  const charged = Number(chargedCu);
  const unsettled = [...pending].filter(([, cu]) => cu !== 0n).sort();
  return {
    account,
    plan,
    granted_cu: granted,
    debited_cu: debited,
    charged_cu: charged,
    balance_cu: granted - debited - charged,
    pending_cu: Object.fromEntries(unsettled.map(([hour, cu]) => [hour, Number(cu)])),
    created_at: createdAt,
  };
}

/** What an account used in one hour. */
export interface HourUsage {
  /** UTC hour, such as `2026-11-20T23`. */
  readonly hour: string;
  /** Whether a settlement record has it; else its lanes do. What comes late is still settled, and then in a record. */
  readonly settled: boolean;
  /** Compute units of all methods. */
  readonly cu: bigint;
  /** In the order of chain and method. */
  readonly usage: readonly MethodUsage[];
}

/**
 * The hours in which an account used something, each once. Settled hours come from their records, the others by their
 * lanes, which are read hour by hour. Throws {@link InputError} if there is no such account. Rejects with `StoreUnavailableError`.
 */
export async function* usageHours(
  store: Store,
  account: string,
  reading: RecordReading,
): AsyncGenerator<HourUsage> {
  const item = await readAccount(store, account);
  const parts = [settledHours(store, item, reading), openHours(store, item, reading)];
  for (const part of reading.descending === true ? parts.reverse() : parts) yield* part;
}

async function* settledHours(
  store: Store,
  { account, openFrom }: AccountItem,
  reading: RecordReading,
): AsyncGenerator<HourUsage> {
  const lastClosed = hourOf(hourStartMs(openFrom) - HOUR_MS);
  const toHour = reading.toHour < lastClosed ? reading.toHour : lastClosed;
  if (reading.fromHour > toHour) return;
  for await (const { hour, used, total_cu } of lastRecords({ store }, account, { ...reading, toHour }))
    yield { hour, settled: true, cu: total_cu, usage: inOrder(decodeUsage(used) ?? []) };
}

async function* openHours(
  store: Store,
  { account, openFrom, shards }: AccountItem,
  { fromHour: wanted, toHour, descending }: RecordReading,
): AsyncGenerator<HourUsage> {
  const fromHour = wanted > openFrom ? wanted : openFrom;
  if (fromHour > toHour) return;
  const hours: HourUsage[] = [];
  for await (const { hour, cu, lanes } of laneHours({ store }, { account, shards, fromHour, toHour })) {
    const usage = { hour, settled: false, cu, usage: inOrder(laneUsage(lanes)) };
    if (descending === true) hours.unshift(usage);
    else yield usage;
  }
  yield* hours;
}

function inOrder(usage: readonly MethodUsage[]): MethodUsage[] {
  const name = ({ chain, method }: MethodUsage) => `${chain} ${method}`;
  return sumUsage(usage).sort((one, other) => (name(one) < name(other) ? -1 : 1));
}

/** What one lane has come to. */
interface ListedLane {
  readonly shard: number;
  readonly name: string;
  /** Charges in it. */
  readonly n: number;
  /** Compute units. */
  readonly total: bigint;
}

/** Which lanes of an hour are read. */
interface LaneWindow {
  readonly account: string;
  readonly hour: string;
  readonly fromShard: number;
  /** Lane of that shard behind which the first one is. @default the first one of it */
  readonly after?: string | undefined;
  /** May be of a moment ago. @default true */
  readonly eventual?: boolean;
}

/**
 * The lanes of one hour by shard and name, by reads of `perPage` lanes. Throws {@link InputError} if
 * there is no such account. Rejects with `StoreUnavailableError`.
 */
export async function* hourLanes(
  store: Store,
  { account, hour, fromShard, after, eventual = true }: LaneWindow,
  perPage: number,
): AsyncGenerator<ListedLane> {
  const { shards } = await readAccount(store, account, { eventual: true });
  for (let shard = fromShard; shard < shards; shard += 1) {
    const isBehind = after !== undefined && shard === fromShard;
    const fromHour = isBehind ? hourLane(hour, after) + JUST_BEHIND : hour;
    const query = shardQuery({ account, fromHour, toHour: hour, eventual }, shard);
    for await (const item of queryItems({ store }, { ...query, attributes: STATE, limit: perPage })) {
      const name = textOf(item, 'hour_lane').slice(hourLane(hour, '').length);
      yield { shard, name, n: Number(amountOf(item, 'n')), total: amountOf(item, 'total') };
    }
  }
}
