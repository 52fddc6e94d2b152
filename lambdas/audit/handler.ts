import type { Bookkeeping } from '../access/bookkeeping.ts';
import { log } from '../log.ts';
import { emitMetrics } from '../metrics.ts';
import type { WorkQueue } from '../work-queue.ts';
import { type AuditReport, type AuditWork, auditAccounts } from './audit.ts';
import { type HandedOnAudit, parseAuditMessage } from './audit-message.ts';

const ACCOUNTS_AT_ONCE = 32;
/** Time that is kept for the accounts that are under way, and for handing on, in milliseconds. */
export const HAND_ON_BEFORE_END_MS = 30_000;

/** What the function works with. */
export interface AuditParts {
  readonly books: Bookkeeping;
  readonly queue: WorkQueue;
  /** Time that is left to this run, in milliseconds. */
  readonly remainingMs: () => number;
}

/** The schedule fires without records; a queue delivers what was handed on. */
export interface AuditEvent {
  readonly Records?: readonly { readonly body: string }[];
}

/**
 * One run of the audit: all accounts, or from where an earlier run handed on. Every violation is logged. Rejects
 * at the end of the accounts if there was one, also in an earlier run, so that the event is retried and then kept.
 */
export async function runAudit(parts: AuditParts, event: AuditEvent): Promise<void> {
  const works = event.Records?.map(({ body }) => parseAuditMessage(body)) ?? [{ violations: 0 }];
  for (const work of works) await auditFrom(parts, work, event.Records !== undefined);
}

async function auditFrom(
  { books, queue, remainingMs }: AuditParts,
  work: HandedOnAudit,
  handedOn: boolean,
): Promise<void> {
  const startedMs = books.clock.now();
  const report = await auditAccounts(books, work, {
    accountsAtOnce: ACCOUNTS_AT_ONCE,
    outOfTime: () => remainingMs() < HAND_ON_BEFORE_END_MS,
  });
  const endedMs = books.clock.now();
  logReport(report, endedMs - startedMs);
  const found = countViolations(report);
  const values = {
    AuditedAccounts: report.accounts,
    AuditViolations: found,
    UnsettledComputeUnits: Number(report.pendingCu),
  };
  emitMetrics({ values }, endedMs);
  const violations = work.violations + found;
  if (report.rest !== undefined) return handOn(queue, report.rest, violations, report.accounts, handedOn);
  if (violations > 0) throw new Error(`the books have ${violations} violations`);
}

/** Work that came from the queue and was not even begun is not sent round again: it would never end. */
async function handOn(
  queue: WorkQueue,
  rest: AuditWork,
  violations: number,
  accounts: number,
  handedOn: boolean,
): Promise<void> {
  if (handedOn && accounts === 0) throw new Error('the audit got no time');
  await queue.send({ ...rest, violations } satisfies HandedOnAudit);
  log('info', 'audit_handed_on', { count: accounts });
}

function logReport(report: AuditReport, durationMs: number): void {
  for (const { invariant, violationCount, violations } of report.invariants) {
    for (const { account, detail } of violations) {
      log('error', 'audit_violation', { account, reason: invariant, error: detail });
    }
    if (violationCount > 0) log('error', 'audit_violated', { reason: invariant, count: violationCount });
  }
  log('info', 'audit_run', { count: report.accounts, durationMs });
}

function countViolations({ invariants }: AuditReport): number {
  return invariants.reduce((sum, { violationCount }) => sum + violationCount, 0);
}
