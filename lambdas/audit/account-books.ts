import type { Bookkeeping } from '../access/account-work.ts';
import { type AccountItem, readAccountItem } from '../access/accounts/account-item.ts';
import { sumLanes } from '../access/accounts/lane-hours.ts';
import { entryOf, slotOf } from '../access/charge/lane.ts';
import { withStoreRetries } from '../access/store/query-items.ts';
import type { PriceList } from '../shared/bill/price-list.ts';
import { hourOf } from '../shared/runtime/clock.ts';
import { type LedgerSums, sumLedger } from './ledger-sums.ts';
import { digestOf, PricedLanes, Recomputed } from './priced-lanes.ts';

/** Pauses before each further reading of one account because it moved meanwhile, in milliseconds. */
const REREAD_PAUSES_MS = [0, 1_000, 5_000, 20_000];
/** Three hours, and the ten minutes before one is settled: closed hours in it are compared with their records. In milliseconds. */
const COMPARED_MS = 190 * 60_000;

/** All that is stored about one account's money, of one moment. */
export interface AccountBooks {
  readonly item: AccountItem;
  readonly ledger: LedgerSums;
  /** Sum of the lanes of open hours, and what of it is not settled. */
  readonly openCu: bigint;
  readonly pendingCu: bigint;
  /** The latter by open hour, without those that have nothing, the oldest first. */
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
    const recomputed = new Recomputed(lists);
    const fromHour = all ? FIRST_HOUR : hourOf(books.clock.now() - COMPARED_MS);
    const ledger = await sumLedger(books, account, (record) => {
      if (record.hour >= fromHour) recomputed.addRecord(record);
    });
    const lanes = await readLaneBooks(books, before, { recent: ledger.recent, fromHour, recomputed });
    const item = await readAccount(books, account);
    if (item !== undefined && sameMoment(item, before)) return { item, ledger, recomputed, ...lanes };
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

/** What the lanes of an account are compared with. */
interface Compared extends Pick<LedgerSums, 'recent'> {
  /** Closed hours before this one are not read. */
  readonly fromHour: string;
  readonly recomputed: Recomputed;
}

/** One hour after the other: what is held of it is its sums. */
async function readLaneBooks(
  books: Reader,
  { account, shards, openFrom }: AccountItem,
  { recent, fromHour: compared, recomputed }: Compared,
): Promise<Pick<AccountBooks, 'openCu' | 'pendingCu' | 'pending' | 'orphans' | 'unlike'>> {
  const recorded = [...recent].filter(([hour]) => hour >= openFrom);
  const pending = new Map(recorded.map(([hour, { total_cu }]) => [hour, -total_cu]));
  const orphans: string[] = [];
  const unlike: string[] = [];
  let openCu = 0n;
  let pendingCu = [...pending.values()].reduce((sum, cu) => sum + cu, 0n);
  const range = { account, shards, fromHour: openFrom < compared ? openFrom : compared };
  const hours = sumLanes(books, range, (shard, hour) => new PricedLanes(shard, hour, recomputed));
  for await (const { hour, sinks } of hours) {
    const isOpen = hour >= openFrom;
    const record = recent.get(hour);
    // Added up anew: what settlement has read of the hour is not believed.
    const cu = sinks.reduce((sum, lanes) => sum + lanes.cu, 0n);
    if (isOpen) {
      openCu += cu;
      pendingCu += cu;
      pending.set(hour, (pending.get(hour) ?? 0n) + cu);
    }
    const isAsRecorded = isOpen
      ? cu <= (record?.total_cu ?? 0n)
      : record?.total_cu === cu && record.digest === digestOf(sinks);
    if (!isAsRecorded && !(await isMarked(books, account, hour, sinks)))
      (isOpen ? orphans : unlike).push(hour);
  }
  const rest = new Map([...pending].filter(([, cu]) => cu !== 0n).sort());
  return { openCu, pendingCu, pending: rest, orphans, unlike };
}

/** Whether some shard of an hour is on the work list: settlement then reads all of them. A rebuild marks the first. */
async function isMarked(
  books: Reader,
  account: string,
  hour: string,
  lanes: readonly PricedLanes[],
): Promise<boolean> {
  for (const shard of new Set([0, ...lanes.map((part) => part.shard)])) {
    const place = { account, shard, hour };
    const key = { slot: slotOf(place), entry: entryOf(place) };
    if ((await withStoreRetries(books, () => books.store.get('unsettled', key))) !== undefined) return true;
  }
  return false;
}
