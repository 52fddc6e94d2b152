import type { Pace } from '../access/account-work.ts';
import type { Bookkeeping } from '../access/bookkeeping.ts';
import { readPriceLists } from '../access/store/price-lists.ts';
import { queryPages } from '../access/store/query-items.ts';
import { isStoreUnavailable } from '../access/store/store.ts';
import { AFTER_ALL } from '../access/store/tables.ts';
import { sumCu } from '../settlement/account-statement.ts';
import { ACCOUNT_REGISTRY } from '../settlement/settlement-ledger.ts';
import { inParallel } from '../shared/runtime/in-parallel.ts';
import { errorField } from '../shared/runtime/log.ts';
import { type Recomputing, readBooks } from './account-books.ts';
import { INVARIANTS } from './invariants.ts';

const ACCOUNTS_PER_PAGE = 100;
/** Violations of one invariant that a report names; all are counted. */
const MAX_VIOLATIONS_NAMED = 20;
/** Name of the invariant without which no other can be checked. */
const READABLE = 'registered accounts can be read';

interface Violation {
  readonly account: string;
  readonly detail: string;
}

/** One invariant over all accounts that were audited. */
export interface InvariantReport {
  readonly invariant: string;
  /** Accounts that it was checked for. */
  readonly checked: number;
  /** Sums over these accounts; names end with their unit. */
  readonly figures: Readonly<Record<string, bigint>>;
  readonly violationCount: number;
  /** The first of them. */
  readonly violations: readonly Violation[];
}

export interface AuditReport {
  readonly accounts: number;
  /** Compute units of these accounts that are charged and not yet settled. */
  readonly pendingCu: bigint;
  /** The oldest hour that has some of them, such as `2026-11-20T23`. Undefined: none has. */
  readonly oldestPendingHour: string | undefined;
  readonly invariants: readonly InvariantReport[];
  /** The last of them, and whether the time ran out before all accounts after it were audited. */
  readonly last: string | undefined;
  readonly hasMore: boolean;
}

/**
 * Checks the invariants of all accounts, or of those after one, page by page, in memory that does not grow with their number. Reads
 * only. `all`: also what was settled long ago is compared and worked out again. Rejects with `StoreUnavailableError`: an audit that could not read all must not look complete.
 */
export async function auditAccounts(
  books: Bookkeeping,
  after: string | undefined,
  { accountsAtOnce, outOfTime }: Pace,
  { all = false }: Partial<Pick<Recomputing, 'all'>> = {},
): Promise<AuditReport> {
  const recomputing = { lists: await readPriceLists(books), all };
  const tallies = new Map<string, Tally>();
  for (const invariant of [READABLE, ...INVARIANTS.map(({ name }) => name)]) {
    tallies.set(invariant, { invariant, checked: 0, figures: {}, violationCount: 0, violations: [] });
  }
  let pendingCu = 0n;
  let oldestPendingHour: string | undefined;
  const audit = async (account: string) => {
    const check = (invariant: string, detail: string | undefined, figures = {}) =>
      note(tallies.get(invariant), account, detail, figures);
    try {
      const of = await readBooks(books, account, recomputing);
      check(READABLE, of === undefined ? 'no account item' : undefined);
      if (of === undefined) return;
      pendingCu += sumCu(of.pending);
      for (const hour of of.pending.keys())
        if (oldestPendingHour === undefined || hour < oldestPendingHour) oldestPendingHour = hour;
      for (const { name, figures, violation } of INVARIANTS) check(name, violation(of), figures(of));
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      check(READABLE, errorField(error));
    }
  };
  const registry = queryPages(books, {
    table: 'ledger',
    partition: { attribute: 'account', value: ACCOUNT_REGISTRY },
    // No account has a name between the two.
    ...(after !== undefined && { sort: { attribute: 'record', from: `${after}\0`, to: AFTER_ALL } }),
    limit: ACCOUNTS_PER_PAGE,
  });
  let accounts = 0;
  let last = after;
  let hasMore = false;
  for await (const page of registry) {
    const names = page.map(({ record }) => String(record));
    const begun = await inParallel(names, accountsAtOnce, audit, outOfTime);
    accounts += begun;
    last = names[begun - 1] ?? last;
    hasMore = begun < names.length;
    if (hasMore) break;
  }
  return { accounts, last, hasMore, pendingCu, oldestPendingHour, invariants: [...tallies.values()] };
}

interface Tally extends InvariantReport {
  checked: number;
  violationCount: number;
  readonly figures: Record<string, bigint>;
  readonly violations: Violation[];
}

/** Adds what was seen of one account. `detail`: what is violated. */
function note(
  tally: Tally | undefined,
  account: string,
  detail: string | undefined,
  figures: Readonly<Record<string, bigint>>,
): void {
  if (tally === undefined) return;
  tally.checked += 1;
  for (const [name, value] of Object.entries(figures))
    tally.figures[name] = (tally.figures[name] ?? 0n) + value;
  if (detail === undefined) return;
  tally.violationCount += 1;
  if (tally.violations.length < MAX_VIOLATIONS_NAMED) tally.violations.push({ account, detail });
}
