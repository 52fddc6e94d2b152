import { type Pace, paceOf, type WorkEvent, type WorkParts } from '../access/account-work.ts';
import { hourEndMs } from '../shared/runtime/clock.ts';
import { errorField } from '../shared/runtime/log.ts';
import { type DueAccount, dueAccounts, parseMessage, toMessages } from './due-accounts.ts';
import type { SettlementBooks } from './evidence.ts';
import { followHeads, type LackingRecord } from './heads.ts';
import { type SettlementRun, settleAccounts } from './settle-accounts.ts';

/** What a run of settlement works with. */
interface SettlementParts extends WorkParts {
  readonly books: SettlementBooks;
}

const MILLISECONDS_PER_SECOND = 1_000;

/**
 * One run of settlement: all accounts of the work list that have a due hour, or those that were handed on. The time of
 * the event means nothing: the accounts themselves say what is due. Rejects as {@link settleDue} does.
 */
export async function runSettlement(parts: SettlementParts, event: WorkEvent): Promise<void> {
  const { books } = parts;
  const total = { records: 0, cu: 0n, failures: 0, oldestHourEndMs: Number.POSITIVE_INFINITY };
  const tell: Omit<SettlementRun, keyof Pace | 'lacking'> = {
    scope: {},
    settled: (records) => {
      total.records += records.length;
      for (const { hour, settled_cu } of records) {
        total.cu += settled_cu;
        total.oldestHourEndMs = Math.min(total.oldestHourEndMs, hourEndMs(hour));
      }
    },
    refused: ({ account, number, head }) => {
      books.telemetry.log('error', 'ledger_behind_head', { account, record: number, head });
    },
    failed: (account, error) => {
      total.failures += 1;
      books.telemetry.log('error', 'settlement_account_failed', { account, error: errorField(error) });
    },
  };
  const startedMs = books.clock.now();
  let lacking: ReadonlyMap<string, LackingRecord> | undefined;
  try {
    lacking = await followHeads(books);
    await settleDue(parts, event, { ...paceOf(parts), ...tell, lacking });
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
      ...(lacking && { LedgerBehindHead: lacking.size }),
    };
    books.telemetry.emit({ values }, endedMs);
  }
}

/**
 * Settles what is due. What has no time goes to the queue, and with it what failed, to be tried again. Rejects if the
 * work list could not be read, or if accounts failed and no other work is left, so that the event is retried and then
 * kept; and if work that came from the queue got nowhere: sent round again, it would never end.
 */
async function settleDue(
  { books, queue }: SettlementParts,
  event: WorkEvent,
  run: SettlementRun,
): Promise<void> {
  const failed: DueAccount[] = [];
  const rest: DueAccount[] = [];
  let advanced = 0;
  const rounds = event.Records?.map(({ body }) => parseMessage(body)) ?? dueAccounts(books, run.scope);
  try {
    for await (const accounts of rounds) {
      const round = await settleAccounts(books, accounts, run);
      advanced += round.advanced;
      failed.push(...round.failed);
      rest.push(...round.rest);
      // What further rounds would name stays on the work list, for the next hourly run.
      if (rest.length > 0) break;
    }
  } finally {
    const isStuck = event.Records !== undefined && advanced === 0;
    if (rest.length > 0 && !isStuck) {
      for (const message of toMessages([...rest, ...failed.splice(0)])) await queue.send(message);
      books.telemetry.log('info', 'work_handed_on', { count: rest.splice(0).length });
    }
  }
  if (rest.length > 0) throw new Error(`${rest.length} accounts got no time`);
  if (failed.length > 0) throw new Error(`${failed.length} accounts failed`);
}
