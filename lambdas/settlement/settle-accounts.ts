import type { Pace } from '../access/account-work.ts';
import { inParallel } from '../shared/runtime/in-parallel.ts';
import type { DueAccount } from './due-accounts.ts';
import type { LackingRecord } from './follow-heads.ts';
import { groupTransactions } from './grouped-transactions.ts';
import { settleAccount } from './settle-account.ts';
import type { SettlementBooks } from './settlement-books.ts';
import type { SettlementScope } from './settlement-hours.ts';
import type { SettlementRecord } from './settlement-record.ts';

/** How a run works and what it reports to. */
export interface SettlementRun extends Pace {
  readonly scope: SettlementScope;
  readonly settled: (records: readonly SettlementRecord[]) => void;
  readonly failed: (account: string, error: unknown) => void;
  /** Records that the ledger lacks, by their accounts: these are not settled before they are put back. @default none */
  readonly lacking?: ReadonlyMap<string, LackingRecord>;
  /** Called for each of these accounts that was due. @default not called */
  readonly refused?: (record: LackingRecord) => void;
}

/** What became of some accounts. */
interface SettledAccounts {
  /** Accounts that were settled whole, or have more records than before. */
  readonly advanced: number;
  readonly failed: readonly DueAccount[];
  /** Accounts for which, or for the rest of which, there was no time. */
  readonly rest: readonly DueAccount[];
}

/**
 * Settles accounts, each by one worker, until the time is over; what they write at one time is written together. One that
 * fails does not stop the others.
 */
export async function settleAccounts(
  books: SettlementBooks,
  accounts: readonly DueAccount[],
  run: SettlementRun,
): Promise<SettledAccounts> {
  let advanced = 0;
  const failed: DueAccount[] = [];
  const stopped: DueAccount[] = [];
  const grouped = { ...books, store: groupTransactions(books.store) };
  const settle = async (marks: DueAccount) => {
    const [{ account }] = marks;
    const lacking = run.lacking?.get(account);
    if (lacking !== undefined) {
      // Its hours stay on the work list: the run after the repair finds them.
      run.refused?.(lacking);
      return;
    }
    const { records, failure, rest } = await settleAccount(grouped, account, marks, run);
    run.settled(records);
    if (failure !== undefined) run.failed(account, failure);
    const [first = marks[0], ...others] = rest;
    const isWhole = failure === undefined && rest.length === 0;
    if (!isWhole) (failure === undefined ? stopped : failed).push([first, ...others]);
    if (records.length > 0 || isWhole) advanced += 1;
  };
  const begun = await inParallel(accounts, run.accountsAtOnce, settle, run.outOfTime);
  return { advanced, failed, rest: [...stopped, ...accounts.slice(begun)] };
}
