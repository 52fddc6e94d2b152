import { paceOf, type WorkEvent, type WorkParts } from '../access/account-work.ts';
import type { Bookkeeping } from '../access/bookkeeping.ts';
import { hourEndMs } from '../shared/runtime/hour.ts';
import { type AuditReport, auditAccounts } from './audit.ts';

const MILLISECONDS_PER_SECOND = 1_000;

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
