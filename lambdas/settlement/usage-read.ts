import { unknownAccount } from '../access/accounts/account-id.ts';
import { type AccountItem, readAccountItem } from '../access/accounts/account-item.ts';
import { laneHours } from '../access/accounts/lane-hours.ts';
import { decodeUsage, sumUsage } from '../access/charge/usage-text.ts';
import type { MethodUsage } from '../access/contract/metering.ts';
import type { Store } from '../access/store/store.ts';
import { HOUR_MS, hourEndMs, hourOf } from '../shared/runtime/hour.ts';
import { laneUsage } from './hour-lanes.ts';
import { lastRecords, type RecordReading } from './settlement-ledger.ts';

/** What an account used in one hour. */
export interface HourUsage {
  /** UTC hour, such as `2026-11-20T23`. */
  readonly hour: string;
  /** Whether a settlement record tells it; else its lanes do. What comes late is still settled, and then told. */
  readonly settled: boolean;
  /** Compute units of all methods. */
  readonly cu: bigint;
  /** In the order of chain and method. */
  readonly usage: readonly MethodUsage[];
}

/**
 * The hours in which an account used something, each once. Settled hours are told by their records, the others by their
 * lanes, which are read hour by hour. Throws {@link InputError} if there is no such account. Rejects with `StoreUnavailableError`.
 */
export async function* usageHours(
  store: Store,
  account: string,
  reading: RecordReading,
): AsyncGenerator<HourUsage> {
  const stored = await store.get('accounts', { account });
  if (stored === undefined) throw unknownAccount(account);
  const item = readAccountItem(stored);
  const settled = settledHours(store, item, reading);
  if (reading.descending !== true) yield* settled;
  const open = openHours(store, item, reading);
  yield* reading.descending === true ? (await Array.fromAsync(open)).reverse() : open;
  if (reading.descending === true) yield* settled;
}

async function* settledHours(
  store: Store,
  { account, openFrom }: AccountItem,
  reading: RecordReading,
): AsyncGenerator<HourUsage> {
  const toHour = [reading.toHour, hourBefore(openFrom)].sort()[0] ?? reading.toHour;
  if (reading.fromHour > toHour) return;
  for await (const { hour, used, total_cu } of lastRecords({ store }, account, { ...reading, toHour }))
    yield { hour, settled: true, cu: total_cu, usage: inOrder(decodeUsage(used) ?? []) };
}

async function* openHours(
  store: Store,
  { account, openFrom, shards }: AccountItem,
  { fromHour, toHour }: RecordReading,
): AsyncGenerator<HourUsage> {
  const firstOpen = [fromHour, openFrom].sort()[1] ?? openFrom;
  if (firstOpen > toHour) return;
  const range = { account, shards, fromHour: firstOpen, toHour };
  for await (const { hour, cu, lanes } of laneHours({ store }, range))
    yield { hour, settled: false, cu, usage: inOrder(laneUsage(lanes)) };
}

function inOrder(usage: readonly MethodUsage[]): MethodUsage[] {
  const name = ({ chain, method }: MethodUsage) => `${chain} ${method}`;
  return sumUsage(usage).sort((one, other) => (name(one) < name(other) ? -1 : 1));
}

function hourBefore(hour: string): string {
  return hourOf(hourEndMs(hour) - 2 * HOUR_MS);
}
