import { ACCOUNT_REGISTRY } from '../access/accounts/account-records.ts';
import { sumCu } from '../access/accounts/account-statement.ts';
import { type Bookkeeping, isStoreUnavailable, retried } from '../access/bookkeeping.ts';
import { inParallel } from '../access/in-parallel.ts';
import type { Page, Store } from '../access/store.ts';
import { errorField } from '../log.ts';
import { type AccountBooks, readBooks } from './account-books.ts';
import { INVARIANTS, type PresentBooks } from './invariants.ts';

const ACCOUNTS_PER_PAGE = 100;
/** Violations of one invariant that a report names; all are counted. */
const MAX_VIOLATIONS_NAMED = 20;
/** Name of the invariant without which no other can be checked. */
const READABLE = 'registered accounts can be read';

/** The registered accounts from a place on. */
export interface AuditWork {
  /** Last account already audited; absent: from the first. */
  readonly after?: string;
}

/** How an audit works. */
export interface AuditRun {
  readonly accountsAtOnce: number;
  /** Whether it is time to stop: accounts that were begun are ended, no further one is begun. */
  readonly outOfTime: () => boolean;
}

export interface Violation {
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
  readonly invariants: readonly InvariantReport[];
  /** What is left when the time ran out. */
  readonly rest?: AuditWork;
}

/**
 * Checks the invariants of all accounts, page by page, in memory that does not grow with their number. Reads
 * only. Rejects with `StoreUnavailableError`: an audit that could not read all must not look complete.
 */
export async function auditAccounts(
  books: Bookkeeping,
  work: AuditWork,
  run: AuditRun,
): Promise<AuditReport> {
  const { store, clock, pause } = books;
  const tallies = new Tallies();
  const audit = async (account: string) => {
    try {
      tallies.add(await retried(pause, () => readBooks(store, account, clock.now())));
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      tallies.addUnreadable(account, errorField(error));
    }
  };
  let after = work.after;
  for (;;) {
    if (run.outOfTime()) return tallies.report(auditWork(after));
    const page = await retried(pause, () => readRegistry(store, after));
    const accounts = page.items.map(({ record }) => String(record));
    const begun = await inParallel(accounts, run.accountsAtOnce, audit, run.outOfTime);
    if (begun < accounts.length) return tallies.report(auditWork(accounts[begun - 1] ?? after));
    if (page.next === undefined) return tallies.report();
    after = String(page.next.record);
  }
}

function readRegistry(store: Store, after: string | undefined): Promise<Page> {
  return store.query({
    table: 'ledger',
    partition: { attribute: 'account', value: ACCOUNT_REGISTRY },
    limit: ACCOUNTS_PER_PAGE,
    ...(after !== undefined && { after: { account: ACCOUNT_REGISTRY, record: after } }),
  });
}

function auditWork(after: string | undefined): AuditWork {
  return after === undefined ? {} : { after };
}

/** Counts and sums per invariant. */
class Tallies {
  readonly #tallies = new Map<string, Tally>();
  #accounts = 0;
  #pendingCu = 0n;

  constructor() {
    for (const name of [READABLE, ...INVARIANTS.map((invariant) => invariant.name)]) {
      this.#tallies.set(name, new Tally(name));
    }
  }

  add(books: AccountBooks): void {
    if (!isPresent(books)) {
      this.addUnreadable(books.account, 'no account item');
      return;
    }
    this.#accounts += 1;
    this.#pendingCu += sumCu(books.pending);
    this.#check(READABLE, books.account, {}, undefined);
    for (const { name, figures, violation } of INVARIANTS) {
      this.#check(name, books.account, figures(books), violation(books));
    }
  }

  addUnreadable(account: string, detail: string): void {
    this.#accounts += 1;
    this.#check(READABLE, account, {}, detail);
  }

  report(rest?: AuditWork): AuditReport {
    const invariants = [...this.#tallies.values()].map((tally) => tally.report());
    return { accounts: this.#accounts, pendingCu: this.#pendingCu, invariants, ...(rest && { rest }) };
  }

  #check(
    name: string,
    account: string,
    figures: Readonly<Record<string, bigint>>,
    detail: string | undefined,
  ) {
    this.#tallies.get(name)?.add(figures, detail === undefined ? undefined : { account, detail });
  }
}

class Tally {
  readonly #invariant: string;
  readonly #figures: Record<string, bigint> = {};
  readonly #violations: Violation[] = [];
  #checked = 0;
  #violationCount = 0;

  constructor(invariant: string) {
    this.#invariant = invariant;
  }

  add(figures: Readonly<Record<string, bigint>>, violation: Violation | undefined): void {
    this.#checked += 1;
    for (const [name, value] of Object.entries(figures)) {
      this.#figures[name] = (this.#figures[name] ?? 0n) + value;
    }
    if (violation === undefined) return;
    this.#violationCount += 1;
    if (this.#violations.length < MAX_VIOLATIONS_NAMED) this.#violations.push(violation);
  }

  report(): InvariantReport {
    return {
      invariant: this.#invariant,
      checked: this.#checked,
      figures: this.#figures,
      violationCount: this.#violationCount,
      violations: this.#violations,
    };
  }
}

function isPresent(books: AccountBooks): books is PresentBooks {
  return books.item !== undefined;
}
