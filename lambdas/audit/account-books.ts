import { type AccountItem, readAccountItem } from '../access/accounts/account-item.ts';
import { sumLanes } from '../access/accounts/lane-hours.ts';
import { type HourLanes, shardsOf } from '../access/accounts/read-lanes.ts';
import type { Bookkeeping } from '../access/bookkeeping.ts';
import { entryOf, slotOf } from '../access/charge/unsettled.ts';
import { withStoreRetries } from '../access/store/store-retries.ts';
import { pendingCu } from '../settlement/account-statement.ts';
import { laneDigest } from '../settlement/hour-lanes.ts';
import { type RecordSums, sumRecords } from '../settlement/record-sums.ts';
import { lastClosedHour } from '../settlement/settlement-hours.ts';
import { type CreditSums, sumCredits } from '../settlement/settlement-ledger.ts';
import type { PriceList } from '../shared/bill/price-list.ts';
import { HOUR_MS, hourOf, hourStartMs } from '../shared/runtime/hour.ts';
import { PricedLanes, Recomputed } from './priced-lanes.ts';

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
  /** Lanes of open hours, and lanes and records of the closed ones that are compared. */
  readonly recomputed: Recomputed;
}

/** What bills are held to, and which of them. */
export interface Recomputing {
  readonly lists: readonly PriceList[];
  /** Whether all that is stored is compared and worked out again, not only the last closed hours. */
  readonly all: boolean;
}

/** Before all hours. */
const FIRST_HOUR = '0';

/**
 * Reads an account's item, its records, its lanes, its entries of the work list, and the item again. Records come in
 * only together with a change of `granted`, `debited` or `settled`, and all only rise: if none has moved, the records are those
 * of the second reading. An hour leaves the work list only when a settlement has found nothing new in it, so one that
 * has more than its record and is not there afterwards is missed.
 * Undefined: there is no item. Rejects with `StoreUnavailableError`, or with an Error if they moved at every reading.
 */
export async function readBooks(
  books: Reader,
  account: string,
  { lists, all }: Recomputing,
): Promise<AccountBooks | undefined> {
  let before = await readAccount(books, account);
  for (const pauseMs of [...REREAD_PAUSES_MS, undefined]) {
    if (before === undefined) return undefined;
    const credits = await sumCredits(books, account);
    const recomputed = new Recomputed(lists);
    const fromHour = all ? FIRST_HOUR : firstCompared(books);
    const records = await sumRecords(books, account, (record) => {
      if (record.hour >= fromHour) recomputed.addRecord(record);
    });
    const lanes = await readLaneBooks(books, before, { records, fromHour, recomputed });
    const item = await readAccount(books, account);
    if (item !== undefined && sameMoment(item, before))
      return { item, credits, records, recomputed, ...lanes };
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

/** The first of the closed hours that are compared. */
function firstCompared({ clock }: Reader): string {
  return hourOf(hourStartMs(lastClosedHour(clock.now())) - (HOURS_COMPARED - 1) * HOUR_MS);
}

/** One hour after the other: what is held of it is its sums. */
async function readLaneBooks(
  books: Reader,
  { account, shards, openFrom }: AccountItem,
  {
    records: { recent },
    fromHour: compared,
    recomputed,
  }: { readonly records: RecordSums; readonly fromHour: string; readonly recomputed: Recomputed },
): Promise<Pick<AccountBooks, 'openCu' | 'pending' | 'orphans' | 'unlike'>> {
  const fromHour = openFrom < compared ? openFrom : compared;
  const open: Pick<HourLanes, 'hour' | 'cu'>[] = [];
  const orphans: string[] = [];
  const unlike: string[] = [];
  const hours = sumLanes(
    books,
    { account, shards, fromHour },
    (_, hour) => new PricedLanes(hour, recomputed),
  );
  for await (const { sinks, hour, cu } of hours) {
    const lanes = { hour, cu, lanes: sinks.flatMap((sink) => sink.lanes) };
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
