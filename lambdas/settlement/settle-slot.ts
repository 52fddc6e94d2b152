import { type Bookkeeping, retried } from '../access/bookkeeping.ts';
import { parseEntry, slotName } from '../access/charge/unsettled.ts';
import { inParallel } from '../access/in-parallel.ts';
import type { Item, Page, Store } from '../access/store.ts';
import { UNSETTLED_SLOTS } from '../access/tables.ts';
import { type MarkedHour, settleAccount } from './settle-account.ts';
import { dueHours, type SettlementScope } from './settlement-hours.ts';
import type { SettlementRecord } from './settlement-record.ts';
import type { Turns } from './turns.ts';

const ENTRIES_PER_PAGE = 200;
/** Sorts after every character of a sort key. */
const AFTER_ALL = '\uffff';
/** Sorts before every hour. */
const FIRST_HOUR = '0';

/** One slot of the work list, from an entry on. */
export interface SlotWork {
  /** 0 to 63. */
  readonly slot: number;
  /** Last entry already worked; absent: from the start. */
  readonly after?: string;
}

/** How a run works and whom it tells. */
export interface SettlementRun {
  readonly scope: SettlementScope;
  /** Accounts worked at once, in each slot. */
  readonly accountsAtOnce: number;
  /** An account of several shards is in several slots, and no two of a run work it at once. */
  readonly turns: Turns;
  /** Whether it is time to stop: accounts that were begun are ended, no further one is begun. */
  readonly outOfTime: () => boolean;
  readonly settled: (records: readonly SettlementRecord[]) => void;
  readonly failed: (account: string, error: unknown) => void;
}

/** What became of the work on one slot. */
export interface SlotProgress {
  readonly accounts: number;
  readonly failures: number;
  /** What is left when the time ran out. */
  readonly rest?: SlotWork;
}

/** Every slot of the work list, from its start. */
export const ALL_SLOTS: readonly SlotWork[] = Array.from({ length: UNSETTLED_SLOTS }, (_, slot) => ({
  slot,
}));

/**
 * Settles the accounts of one slot that have a due hour, page by page. An account that fails does not stop the others.
 * Rejects with `StoreUnavailableError` if the slot cannot be read.
 */
export async function settleSlot(
  books: Bookkeeping,
  work: SlotWork,
  run: SettlementRun,
): Promise<SlotProgress> {
  let accounts = 0;
  let failures = 0;
  let after = work.after;
  const settle = async ([account, marks]: AccountMarks) => {
    try {
      const settled = () => settleAccount(books, account, marks, run.scope);
      run.settled(await run.turns.take(account, settled));
    } catch (error) {
      failures += 1;
      run.failed(account, error);
    }
  };
  for (;;) {
    const left = slotWork(work.slot, after);
    if (run.outOfTime()) return { accounts, failures, rest: left };
    const page = await retried(books.pause, () => readPage(books.store, left, books.clock.now(), run.scope));
    const groups = [...Map.groupBy(page.items.map(toMark), ({ account }) => account)];
    const begun = await inParallel(groups, run.accountsAtOnce, settle, run.outOfTime);
    accounts += begun;
    const [unbegun] = groups[begun] ?? [];
    if (unbegun !== undefined) {
      return { accounts, failures, rest: slotWork(work.slot, entryBefore(page, unbegun) ?? after) };
    }
    if (page.next === undefined) return { accounts, failures };
    after = String(page.next.entry);
  }
}

type AccountMarks = [account: string, marks: MarkedHour[]];

async function readPage(
  store: Store,
  { slot, after }: SlotWork,
  nowMs: number,
  scope: SettlementScope,
): Promise<Page> {
  const due = dueHours(FIRST_HOUR, nowMs, scope);
  if (due === undefined) return { items: [] };
  return store.query({
    table: 'unsettled',
    partition: { attribute: 'slot', value: slotName(slot) },
    sort: { attribute: 'entry', from: due.from, to: `${due.to}#${AFTER_ALL}` },
    limit: ENTRIES_PER_PAGE,
    ...(after !== undefined && { after: { slot: slotName(slot), entry: after } }),
  });
}

/** The entry before an account's first one: all accounts that come before were begun. */
function entryBefore(page: Page, account: string): string | undefined {
  const first = page.items.findIndex((item) => toMark(item).account === account);
  const entry = page.items[first - 1]?.entry;
  return entry === undefined ? undefined : String(entry);
}

function toMark({ entry, mark }: Item): MarkedHour {
  return { ...parseEntry(String(entry)), mark: String(mark) };
}

function slotWork(slot: number, after: string | undefined): SlotWork {
  return after === undefined ? { slot } : { slot, after };
}
