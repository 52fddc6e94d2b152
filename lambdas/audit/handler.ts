import { runSlots, type WorkEvent, type WorkParts } from '../access/account-work.ts';
import { log } from '../shared/runtime/log.ts';
import { emitMetrics } from '../shared/runtime/metrics.ts';
import { auditAccounts } from './audit.ts';

/**
 * One run of the audit: all accounts, or from where an earlier run handed on. A violation is logged and counted in a
 * metric, on which an alarm stands; it is no failure of the run, so nothing is delivered again for it: the next hourly
 * run finds it as well, until the books are right. Rejects if the store does not let it read all.
 */
export async function runAudit(parts: WorkParts, event: WorkEvent): Promise<void> {
  const { clock } = parts.books;
  await runSlots(parts, event, [{ slot: 0 }], async (work, pace) => {
    const startedMs = clock.now();
    const { accounts, rest, pendingCu, invariants } = await auditAccounts(parts.books, work, pace);
    let found = 0;
    for (const { invariant, violationCount, violations } of invariants) {
      for (const { account, detail } of violations) {
        log('error', 'audit_violation', { account, reason: invariant, error: detail });
      }
      if (violationCount > 0) log('error', 'audit_violated', { reason: invariant, count: violationCount });
      found += violationCount;
    }
    const endedMs = clock.now();
    log('info', 'audit_run', { count: accounts, durationMs: endedMs - startedMs });
    const values = {
      AuditedAccounts: accounts,
      AuditViolations: found,
      UnsettledComputeUnits: Number(pendingCu),
    };
    emitMetrics({ values }, endedMs);
    return { accounts, failures: 0, ...(rest && { rest }) };
  });
}
