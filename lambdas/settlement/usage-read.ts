import { unknownAccount } from '../access/accounts/account-id.ts';
import { readAccountItem } from '../access/accounts/account-item.ts';
import { readLanes } from '../access/accounts/read-lanes.ts';
import { decodeUsage, sumUsage } from '../access/charge/usage-text.ts';
import type { MethodUsage } from '../access/contract/metering.ts';
import type { Store } from '../access/store/store.ts';
import { HOUR_MS, hourEndMs, hourOf } from '../shared/runtime/hour.ts';
import { laneUsage } from './hour-lanes.ts';
import { lastRecords } from './settlement-ledger.ts';

/** What an account used in one hour, of one chain and method. */
export interface UsageLine extends MethodUsage {
  /** UTC hour, such as `2026-11-20T23`. */
  readonly hour: string;
}

/**
 * What an account used in some hours, both included; in the order of hour, chain and method. Settled hours are told by
 * their records, the others by their lanes. Throws {@link InputError} if there is no such account. Rejects with
 * `StoreUnavailableError`.
 */
export async function* usageLines(
  store: Store,
  account: string,
  fromHour: string,
  toHour: string,
): AsyncGenerator<UsageLine> {
  const item = await store.get('accounts', { account });
  if (item === undefined) throw unknownAccount(account);
  const { openFrom, shards } = readAccountItem(item);
  const lastSettled = [toHour, hourBefore(openFrom)].sort()[0] ?? toHour;
  if (fromHour <= lastSettled) {
    for await (const { hour, used } of lastRecords(store, account, fromHour, lastSettled)) {
      yield* inOrder(hour, decodeUsage(used) ?? []);
    }
  }
  const firstOpen = [fromHour, openFrom].sort()[1] ?? openFrom;
  if (firstOpen > toHour) return;
  const hours = await readLanes(store, { account, shards, fromHour: firstOpen, toHour });
  for (const { hour, lanes } of hours) yield* inOrder(hour, laneUsage(lanes));
}

function inOrder(hour: string, usage: readonly MethodUsage[]): UsageLine[] {
  const name = ({ chain, method }: MethodUsage) => `${chain} ${method}`;
  return sumUsage(usage)
    .sort((one, other) => (name(one) < name(other) ? -1 : 1))
    .map((line) => ({ hour, ...line }));
}

function hourBefore(hour: string): string {
  return hourOf(hourEndMs(hour) - 2 * HOUR_MS);
}
