import type { Pace } from '../access/account-work.ts';
import type { Action, Store, TransactionResult } from '../access/store/store.ts';
import { inBatches } from '../shared/runtime/in-batches.ts';
import { inParallel } from '../shared/runtime/in-parallel.ts';
import type { DueAccount } from './due-accounts.ts';
import type { SettlementBooks } from './evidence.ts';
import type { LackingRecord } from './heads.ts';
import { settleAccount } from './settle-account.ts';
import type { SettlementRecord } from './settlement-ledger.ts';
import type { SettlementScope } from './settlement-step.ts';

/** Actions of one transaction: DynamoDB takes no more. */
const MAX_ACTIONS = 100;
/** Transactions under way at once. What is asked for meanwhile goes together into the next. */
const MAX_UNDER_WAY = 4;

interface Waiting {
  readonly actions: readonly Action[];
  readonly resolve: (result: TransactionResult | Promise<TransactionResult>) => void;
}

/** How a run works and what it reports to. */
export interface SettlementRun extends Pace {
  readonly scope: SettlementScope;
  readonly settled: (records: readonly SettlementRecord[]) => void;
  readonly failed: (account: string, error: unknown) => void;
  /** Records that the ledger lacks, by their accounts: these are not settled before they are put back. */
  readonly lacking: ReadonlyMap<string, LackingRecord>;
  /** Called for each of these accounts that was due. */
  readonly refused: (record: LackingRecord) => void;
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
    const lacking = run.lacking.get(account);
    if (lacking !== undefined) {
      // Its hours stay on the work list: the run after the repair finds them.
      run.refused(lacking);
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

/**
 * A store that sends transactions together: most of what a small one costs is its request. No two that are asked for at one
 * time may name the same item.
 *
 *   asked for   a   b   c   d   e f g h
 *   sent       (a) (b) (c) (d) (e f g h)        g is refused: (e) (f) (h)
 *
 * Invariant: each has the outcome that it could have had alone. A group is applied whole or not at all, and one that is
 * refused tells whose conditions failed.
 *
 * - The others of that group were not applied: each is sent alone.
 * - A group that fails, because it was throttled, met another transaction, or its response was lost: each is sent alone. One that
 *   was applied after all is then refused by its own condition, as any transaction is that is repeated.
 */
export function groupTransactions(store: Store): Store {
  const limits = {
    most: MAX_ACTIONS,
    underWay: MAX_UNDER_WAY,
    sizeOf: ({ actions }: Waiting) => actions.length,
  };
  const add = inBatches(limits, (group) => sendGroup(store, group));
  return {
    get: (...request) => store.get(...request),
    query: (query) => store.query(query),
    put: (put) => store.put(put),
    update: (update) => store.update(update),
    delete: (target) => store.delete(target),
    transact: (actions) => new Promise((resolve) => add({ actions, resolve })),
  };
}

/** Resolves when the request of a group has ended. Never rejects: each transaction has its own outcome. */
async function sendGroup(store: Store, group: readonly Waiting[]): Promise<void> {
  const sent = store.transact(group.flatMap(({ actions }) => actions));
  const result = await sent.catch(() => undefined);
  let from = 0;
  for (const { actions, resolve } of group) {
    const refused = result?.applied === false ? result.refused.slice(from, from + actions.length) : [];
    from += actions.length;
    if (result?.applied === true || group.length === 1) resolve(sent);
    else
      resolve(
        refused.some((action) => action !== undefined)
          ? { applied: false, refused }
          : store.transact(actions),
      );
  }
}
