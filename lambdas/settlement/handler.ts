import { runSlots, type WorkEvent, type WorkParts } from '../access/account-work.ts';
import { hourEndMs } from '../shared/runtime/hour.ts';
import { errorField } from '../shared/runtime/log.ts';
import { ALL_SLOTS, type SettlementRun, settleSlot } from './settle-slot.ts';

const MILLISECONDS_PER_SECOND = 1_000;

/**
 * One run of settlement: all slots of the work list, or the one that was handed on. The time of the event means nothing:
 * the accounts themselves say what is due. Rejects as {@link runSlots} does.
 */
export async function runSettlement(parts: WorkParts, event: WorkEvent): Promise<void> {
  const { books } = parts;
  const total = { records: 0, cu: 0n, failures: 0, oldestHourEndMs: Number.POSITIVE_INFINITY };
  const tell: Omit<SettlementRun, 'accountsAtOnce' | 'outOfTime'> = {
    scope: {},
    settled: (records) => {
      total.records += records.length;
      for (const { hour, settled_cu } of records) {
        total.cu += settled_cu;
        total.oldestHourEndMs = Math.min(total.oldestHourEndMs, hourEndMs(hour));
      }
    },
    failed: (account, error) => {
      total.failures += 1;
      books.telemetry.log('error', 'settlement_account_failed', { account, error: errorField(error) });
    },
  };
  const startedMs = books.clock.now();
  try {
    await runSlots(parts, event, ALL_SLOTS, (work, pace) => settleSlot(books, work, { ...pace, ...tell }));
  } finally {
    const endedMs = books.clock.now();
    const { records, cu, failures, oldestHourEndMs } = total;
    books.telemetry.log('info', 'settlement_run', {
      count: records,
      cu: Number(cu),
      durationMs: endedMs - startedMs,
    });
    const lag = { SettlementLag: (endedMs - oldestHourEndMs) / MILLISECONDS_PER_SECOND };
    const values = {
      SettlementRecords: records,
      SettledComputeUnits: Number(cu),
      SettlementFailures: failures,
      ...(records > 0 && lag),
    };
    books.telemetry.emit({ values }, endedMs);
  }
}
