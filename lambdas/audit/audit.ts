import {
  type Bookkeeping,
  type Pace,
  paceOf,
  type WorkEvent,
  type WorkParts,
} from '../access/account-work.ts';
import { readPriceLists } from '../access/store/price-lists.ts';
import { isStoreUnavailable } from '../access/store/store.ts';
import { registeredAccounts } from '../settlement/settlement-ledger.ts';
import { hourEndMs } from '../shared/runtime/clock.ts';
import { inParallel } from '../shared/runtime/in-parallel.ts';
import { errorField } from '../shared/runtime/log.ts';
import { type Recomputing, readBooks } from './account-books.ts';
import { INVARIANTS } from './invariants.ts';

const MILLISECONDS_PER_SECOND = 1_000;
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

interface AuditReport {
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
  const readable = tallyOf(READABLE);
  const checks = INVARIANTS.map((invariant) => ({ ...invariant, tally: tallyOf(invariant.name) }));
  let pendingCu = 0n;
  let oldestPendingHour: string | undefined;
  const audit = async (account: string) => {
    try {
      const of = await readBooks(books, account, recomputing);
      note(readable, account, of === undefined ? 'no account item' : undefined);
      if (of === undefined) return;
      pendingCu += of.pendingCu;
      for (const hour of of.pending.keys())
        if (oldestPendingHour === undefined || hour < oldestPendingHour) oldestPendingHour = hour;
      for (const { tally, figures, violation } of checks) note(tally, account, violation(of), figures(of));
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      note(readable, account, errorField(error));
    }
  };
  let accounts = 0;
  let last = after;
  let hasMore = false;
  for await (const names of registeredAccounts(books, after)) {
    const begun = await inParallel(names, accountsAtOnce, audit, outOfTime);
    accounts += begun;
    last = names[begun - 1] ?? last;
    hasMore = begun < names.length;
    if (hasMore) break;
  }
  const invariants = [readable, ...checks.map(({ tally }) => tally)];
  return { accounts, last, hasMore, pendingCu, oldestPendingHour, invariants };
}

interface Tally extends InvariantReport {
  checked: number;
  violationCount: number;
  readonly figures: Record<string, bigint>;
  readonly violations: Violation[];
}

function tallyOf(invariant: string): Tally {
  return { invariant, checked: 0, figures: {}, violationCount: 0, violations: [] };
}

/** Adds what was seen of one account. `detail`: what is violated. */
function note(
  tally: Tally,
  account: string,
  detail: string | undefined,
  figures: Readonly<Record<string, bigint>> = {},
): void {
  tally.checked += 1;
  for (const [name, value] of Object.entries(figures))
    tally.figures[name] = (tally.figures[name] ?? 0n) + value;
  if (detail === undefined) return;
  tally.violationCount += 1;
  if (tally.violations.length < MAX_VIOLATIONS_NAMED) tally.violations.push({ account, detail });
}

/**
 * One run of the audit: all accounts, or from where an earlier run handed on. A violation is logged and counted in a
 * metric, on which an alarm stands; it is no failure of the run, so nothing is delivered again for it: the next hourly
 * run finds it as well, until the books are right. Rejects if the store does not let it read all.
 */
export async function runAudit(parts: WorkParts, event: WorkEvent): Promise<void> {
  const { books, queue } = parts;
  for (const after of event.Records?.map(({ body }) => parseAfter(body)) ?? [undefined]) {
    const startedMs = books.clock.now();
    const report = await auditAccounts(books, after, paceOf(parts));
    tell(books, report, startedMs);
    if (!report.hasMore) continue;
    // Work that came from the queue and was not even begun is not sent round again: it would never end.
    if (event.Records !== undefined && report.accounts === 0) throw new Error('the audit got no time');
    await queue.send(report.last === undefined ? {} : { after: report.last });
    books.telemetry.log('info', 'work_handed_on', { count: report.accounts });
  }
}

/** Reads the account after which an audit continues from a queue message. Throws an Error if it is not one of ours. */
export function parseAfter(body: string): string | undefined {
  const { after } = JSON.parse(body) as { readonly after?: unknown };
  if (after !== undefined && (typeof after !== 'string' || after === ''))
    throw new Error('the message has no valid position');
  return after;
}

function tell({ clock, telemetry }: Bookkeeping, report: AuditReport, startedMs: number): void {
  const { accounts, pendingCu, oldestPendingHour, invariants } = report;
  let found = 0;
  for (const { invariant, violationCount, violations } of invariants) {
    for (const { account, detail } of violations) {
      telemetry.log('error', 'audit_violation', { account, reason: invariant, error: detail });
    }
    if (violationCount > 0)
      telemetry.log('error', 'audit_violated', { reason: invariant, count: violationCount });
    found += violationCount;
  }
  const endedMs = clock.now();
  telemetry.log('info', 'audit_run', { count: accounts, durationMs: endedMs - startedMs });
  const values = {
    AuditedAccounts: accounts,
    AuditViolations: found,
    UnsettledComputeUnits: Number(pendingCu),
    UnsettledAge: secondsSince(oldestPendingHour, endedMs),
  };
  telemetry.emit({ values }, endedMs);
}

/** Time since the end of an hour, in seconds; 0 for one that is not over, and for none. */
function secondsSince(hour: string | undefined, nowMs: number): number {
  return hour === undefined ? 0 : Math.max(0, nowMs - hourEndMs(hour)) / MILLISECONDS_PER_SECOND;
}
