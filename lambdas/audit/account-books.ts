import { type AccountItem, readAccountItem } from '../access/accounts/account-item.ts';
import { type HourLanes, readLanes, shardsOf } from '../access/accounts/read-lanes.ts';
import { entryOf, slotOf } from '../access/charge/unsettled.ts';
import type { Store } from '../access/store/store.ts';
import { pendingCu } from '../settlement/account-statement.ts';
import { laneDigest } from '../settlement/hour-lanes.ts';
import { type RecordSums, sumRecords } from '../settlement/record-sums.ts';
import { lastClosedHour } from '../settlement/settlement-hours.ts';
import { sumCredits } from '../settlement/settlement-ledger.ts';
import { HOUR_MS, hourOf, hourStartMs } from '../shared/runtime/hour.ts';

/** Readings of one account, each begun because a record came in during the one before. */
const READINGS = 5;
/** Closed hours whose lanes are compared with their record. */
const HOURS_COMPARED = 3;

/** All that is stored about one account's money, of one moment. */
export interface AccountBooks {
  readonly item: AccountItem;
  /** Sum of the credit records, in compute units. */
  readonly creditedCu: bigint;
  readonly records: RecordSums;
  /** Sum of the lanes of open hours. */
  readonly openCu: bigint;
  /** Charged and not settled, by open hour. */
  readonly pending: ReadonlyMap<string, bigint>;
  /** Hours of which settlement has something to do, and does not have them on its work list. */
  readonly orphans: readonly string[];
  /** Hours whose lanes are not what their last record says, and that are not on the work list. */
  readonly unlike: readonly string[];
}

/**
 * Reads an account's item, its records, its lanes, its entries of the work list, and the item again. Records come in
 * only together with a change of `granted` or `settled`, and both only rise: if neither has moved, the records are those
 * of the second reading. An hour leaves the work list only when a settlement has found nothing new in it, so one that
 * has more than its record and is not there afterwards is missed.
 * Undefined: there is no item. Rejects with `StoreUnavailableError`, or with an Error if they moved at every reading.
 */
export async function readBooks(
  store: Store,
  account: string,
  nowMs: number,
): Promise<AccountBooks | undefined> {
  let before = await readAccount(store, account);
  for (let reading = 1; before !== undefined && reading <= READINGS; reading += 1) {
    const creditedCu = await sumCredits(store, account);
    const records = await sumRecords(store, account);
    const lanes = await readLaneBooks(store, before, records, nowMs);
    const item = await readAccount(store, account);
    if (item !== undefined && sameMoment(item, before)) return { item, creditedCu, records, ...lanes };
    before = item;
  }
  if (before === undefined) return undefined;
  throw new Error(`account ${account} changed during each of ${READINGS} readings`);
}

function sameMoment(one: AccountItem, other: AccountItem): boolean {
  return one.granted === other.granted && one.settled === other.settled && one.openFrom === other.openFrom;
}

async function readAccount(store: Store, account: string): Promise<AccountItem | undefined> {
  const item = await store.get('accounts', { account });
  return item && readAccountItem(item);
}

async function readLaneBooks(
  store: Store,
  { account, shards, openFrom }: AccountItem,
  records: RecordSums,
  nowMs: number,
): Promise<Pick<AccountBooks, 'openCu' | 'pending' | 'orphans' | 'unlike'>> {
  const compared = hourOf(hourStartMs(lastClosedHour(nowMs)) - (HOURS_COMPARED - 1) * HOUR_MS);
  const fromHour = openFrom < compared ? openFrom : compared;
  const hours = await readLanes(store, { account, shards, fromHour, totals: true });
  const open = hours.filter(({ hour }) => hour >= openFrom);
  const recorded = [...records.recent].filter(([hour]) => hour >= openFrom);
  const pending = pendingCu(open, new Map(recorded.map(([hour, { total_cu }]) => [hour, total_cu])));
  const orphans: string[] = [];
  for (const hour of open) {
    const isDue = (pending.get(hour.hour) ?? 0n) > 0n;
    if (isDue && !(await isMarked(store, account, hour))) orphans.push(hour.hour);
  }
  const unlike: string[] = [];
  for (const hour of hours.filter(({ hour }) => hour < openFrom)) {
    const isLike = records.recent.get(hour.hour)?.digest === laneDigest(hour.lanes);
    if (!isLike && !(await isMarked(store, account, hour))) unlike.push(hour.hour);
  }
  return { openCu: open.reduce((sum, { cu }) => sum + cu, 0n), pending, orphans, unlike };
}

/** Whether some shard of an hour is on the work list: settlement then reads all of them. */
async function isMarked(store: Store, account: string, hour: HourLanes): Promise<boolean> {
  for (const shard of shardsOf(hour)) {
    const place = { account, shard, hour: hour.hour };
    if ((await store.get('unsettled', { slot: slotOf(place), entry: entryOf(place) })) !== undefined)
      return true;
  }
  return false;
}
