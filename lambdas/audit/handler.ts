import { runSlots, type WorkEvent, type WorkParts } from '../access/account-work.ts';
import { hourEndMs } from '../shared/runtime/hour.ts';
import { auditAccounts } from './audit.ts';

const MILLISECONDS_PER_SECOND = 1_000;

/**
 * One run of the audit: all accounts, or from where an earlier run handed on. A violation is logged and counted in a
 * metric, on which an alarm stands; it is no failure of the run, so nothing is delivered again for it: the next hourly
 * run finds it as well, until the books are right. Rejects if the store does not let it read all.
 */
export async function runAudit(parts: WorkParts, event: WorkEvent): Promise<void> {
  const { clock, telemetry } = parts.books;
  await runSlots(parts, event, [{ slot: 0 }], async (work, pace) => {
    const startedMs = clock.now();
    const report = await auditAccounts(parts.books, work, pace);
    const { accounts, rest, pendingCu, oldestPendingHour, invariants } = report;
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
    return { accounts, failures: 0, ...(rest && { rest }) };
  });
}

/** Time since the end of an hour, in seconds; 0 for one that is not over, and for none. */
function secondsSince(hour: string | undefined, nowMs: number): number {
  return hour === undefined ? 0 : Math.max(0, nowMs - hourEndMs(hour)) / MILLISECONDS_PER_SECOND;
}
