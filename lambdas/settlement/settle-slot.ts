import { type Pace, type SlotProgress, type SlotWork, workAccounts } from '../access/account-work.ts';
import type { Bookkeeping } from '../access/bookkeeping.ts';
import { parseEntry, slotName } from '../access/charge/unsettled.ts';
import type { Item } from '../access/store/store.ts';
import { AFTER_ALL, UNSETTLED_SLOTS } from '../access/store/tables.ts';
import { type MarkedHour, settleAccount } from './settle-account.ts';
import { dueHours, type SettlementScope } from './settlement-hours.ts';
import type { SettlementRecord } from './settlement-record.ts';

const ENTRIES_PER_PAGE = 200;
/** Sorts before every hour. */
const FIRST_HOUR = '0';

/** Every slot of the work list, from its start. */
export const ALL_SLOTS: readonly SlotWork[] = Array.from({ length: UNSETTLED_SLOTS }, (_, slot) => ({
  slot,
}));

/** How a run works and whom it tells. */
export interface SettlementRun extends Pace {
  readonly scope: SettlementScope;
  readonly settled: (records: readonly SettlementRecord[]) => void;
  readonly failed: (account: string, error: unknown) => void;
}

/**
 * Settles the accounts of one slot of the work list that have a due hour. An account that fails does not stop the others.
 * An account of several shards is in several slots: of two settlements at once, one is refused and finds nothing left.
 * Rejects with `StoreUnavailableError` if the slot cannot be read.
 */
export async function settleSlot(
  books: Bookkeeping,
  work: SlotWork,
  run: SettlementRun,
): Promise<SlotProgress> {
  const due = dueHours(FIRST_HOUR, books.clock.now(), run.scope);
  if (due === undefined) return { accounts: 0, failures: 0 };
  const query = {
    table: 'unsettled',
    partition: { attribute: 'slot', value: slotName(work.slot) },
    sort: { attribute: 'entry', from: due.from, to: `${due.to}#${AFTER_ALL}` },
    limit: ENTRIES_PER_PAGE,
  } as const;
  let failures = 0;
  const settle = async (account: string, entries: readonly Item[]) => {
    try {
      run.settled(await settleAccount(books, account, entries.map(toMark), run.scope));
    } catch (error) {
      failures += 1;
      run.failed(account, error);
    }
  };
  const progress = await workAccounts(books, work, run, query, (entry) => toMark(entry).account, settle);
  return { ...progress, failures };
}

function toMark({ entry, mark }: Item): MarkedHour {
  return { ...parseEntry(String(entry)), mark: String(mark) };
}
