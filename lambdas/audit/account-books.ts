import { type AccountItem, readAccountItem } from '../access/accounts/account-item.ts';
import { laneHours } from '../access/accounts/lane-hours.ts';
import { type HourLanes, shardsOf } from '../access/accounts/read-lanes.ts';
import type { Bookkeeping } from '../access/bookkeeping.ts';
import { entryOf, slotOf } from '../access/charge/unsettled.ts';
import { withStoreRetries } from '../access/store/store-retries.ts';
import { pendingCu } from '../settlement/account-statement.ts';
import { laneDigest } from '../settlement/hour-lanes.ts';
import { type RecordSums, sumRecords } from '../settlement/record-sums.ts';
import { lastClosedHour } from '../settlement/settlement-hours.ts';
import { type CreditSums, sumCredits } from '../settlement/settlement-ledger.ts';
import { HOUR_MS, hourOf, hourStartMs } from '../shared/runtime/hour.ts';

/** Pauses before each further reading of one account because it moved meanwhile, in milliseconds. */
const REREAD_PAUSES_MS = [0, 1_000, 5_000, 20_000];
/** Closed hours whose lanes are compared with their record. */
const HOURS_COMPARED = 3;

/** All that is stored about one account's money, of one moment. */
export interface AccountBooks {
  readonly item: AccountItem;
  /** Sums of the records of credits and debits. */
  readonly credits: CreditSums;
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
 * only together with a change of `granted`, `debited` or `settled`, and all only rise: if none has moved, the records are those
 * of the second reading. An hour leaves the work list only when a settlement has found nothing new in it, so one that
 * has more than its record and is not there afterwards is missed.
 * Undefined: there is no item. Rejects with `StoreUnavailableError`, or with an Error if they moved at every reading.
 */
export async function readBooks(books: Reader, account: string): Promise<AccountBooks | undefined> {
  let before = await readAccount(books, account);
  for (const pauseMs of [...REREAD_PAUSES_MS, undefined]) {
    if (before === undefined) return undefined;
    const credits = await sumCredits(books, account);
    const records = await sumRecords(books, account);
    const lanes = await readLaneBooks(books, before, records);
    const item = await readAccount(books, account);
    if (item !== undefined && sameMoment(item, before)) return { item, credits, records, ...lanes };
    before = item;
    if (pauseMs !== undefined) await books.pause(pauseMs);
  }
  throw new Error(`account ${account} changed during each of ${REREAD_PAUSES_MS.length + 1} readings`);
}

/** What the books are read with. */
type Reader = Pick<Bookkeeping, 'store' | 'clock' | 'pause'>;

function sameMoment(one: AccountItem, other: AccountItem): boolean {
  const moving = ({ granted, debited, settled, openFrom }: AccountItem) =>
    [granted, debited, settled, openFrom].join();
  return moving(one) === moving(other);
}

async function readAccount(books: Reader, account: string): Promise<AccountItem | undefined> {
  const item = await withStoreRetries(books, () => books.store.get('accounts', { account }));
  return item && readAccountItem(item);
}

/** One hour after the other: what is held of it is its sums. */
async function readLaneBooks(
  books: Reader,
  { account, shards, openFrom }: AccountItem,
  { recent }: RecordSums,
): Promise<Pick<AccountBooks, 'openCu' | 'pending' | 'orphans' | 'unlike'>> {
  const compared = hourOf(hourStartMs(lastClosedHour(books.clock.now())) - (HOURS_COMPARED - 1) * HOUR_MS);
  const fromHour = openFrom < compared ? openFrom : compared;
  const open: Pick<HourLanes, 'hour' | 'cu'>[] = [];
  const orphans: string[] = [];
  const unlike: string[] = [];
  for await (const lanes of laneHours(books, { account, shards, fromHour, totals: true })) {
    const { hour, cu } = lanes;
    const record = recent.get(hour);
    if (hour >= openFrom) open.push({ hour, cu });
    const isAsRecorded =
      hour >= openFrom ? cu <= (record?.total_cu ?? 0n) : record?.digest === laneDigest(lanes.lanes);
    if (!isAsRecorded && !(await isMarked(books, account, lanes)))
      (hour >= openFrom ? orphans : unlike).push(hour);
  }
  const recorded = [...recent].filter(([hour]) => hour >= openFrom);
  const pending = pendingCu(open, new Map(recorded.map(([hour, { total_cu }]) => [hour, total_cu])));
  return { openCu: open.reduce((sum, { cu }) => sum + cu, 0n), pending, orphans, unlike };
}

/** Whether some shard of an hour is on the work list: settlement then reads all of them. A rebuild marks the first. */
async function isMarked(books: Reader, account: string, hour: HourLanes): Promise<boolean> {
  for (const shard of new Set([0, ...shardsOf(hour)])) {
    const place = { account, shard, hour: hour.hour };
    const key = { slot: slotOf(place), entry: entryOf(place) };
    if ((await withStoreRetries(books, () => books.store.get('unsettled', key))) !== undefined) return true;
  }
  return false;
}
