import type { Bookkeeping } from '../access/bookkeeping.ts';
import { hourEndMs } from '../access/hour.ts';
import { errorField, log } from '../log.ts';
import { emitMetrics } from '../metrics.ts';
import type { WorkQueue } from '../work-queue.ts';
import { ALL_SLOTS, type SettlementRun, type SlotProgress, settleSlot } from './settle-slot.ts';
import { type HandedOnSlot, parseSlotMessage } from './slot-message.ts';
import { Turns } from './turns.ts';

const MILLISECONDS_PER_SECOND = 1_000;
/** Accounts that one run works at once, over all its slots. */
const ACCOUNTS_AT_ONCE = 64;
/** Time that is kept for the accounts that are under way, and for handing on, in milliseconds. */
export const HAND_ON_BEFORE_END_MS = 30_000;

/** What the function works with. */
export interface SettlementParts {
  readonly books: Bookkeeping;
  readonly queue: WorkQueue;
  /** Time that is left to this run, in milliseconds. */
  readonly remainingMs: () => number;
}

/** The schedule fires without records; a queue delivers slots that were handed on. */
export interface SettlementEvent {
  readonly Records?: readonly { readonly body: string }[];
}

/**
 * One run of settlement: all slots of the work list, or the one that was handed on. What the time does
 * not allow goes to the queue. The time of the event means nothing: the accounts themselves say what is due.
 *
 * Rejects at the end if a slot could not be read, or if an account of a finished one could not be settled, so
 * that the event is retried and then kept. Failures of a slot that is handed on travel with it.
 */
export async function runSettlement(parts: SettlementParts, event: SettlementEvent): Promise<void> {
  const works =
    event.Records === undefined
      ? ALL_SLOTS.map((work) => ({ ...work, failures: 0 }))
      : event.Records.map(({ body }) => parseSlotMessage(body));
  const total = { records: 0, cu: 0n, failures: 0, oldestHourEndMs: Number.POSITIVE_INFINITY };
  const run: SettlementRun = {
    scope: {},
    accountsAtOnce: Math.ceil(ACCOUNTS_AT_ONCE / works.length),
    turns: new Turns(),
    outOfTime: () => parts.remainingMs() < HAND_ON_BEFORE_END_MS,
    settled: (records) => {
      total.records += records.length;
      total.cu += records.reduce((sum, record) => sum + record.settled_cu, 0n);
      const ends = records.map(({ hour }) => hourEndMs(hour));
      total.oldestHourEndMs = Math.min(total.oldestHourEndMs, ...ends);
    },
    failed: (account, error) => {
      total.failures += 1;
      log('error', 'settlement_account_failed', { account, error: errorField(error) });
    },
  };
  const startedMs = parts.books.clock.now();
  const handedOn = event.Records !== undefined;
  const results = await Promise.allSettled(works.map((work) => settleOne(parts, run, work, handedOn)));
  const endedMs = parts.books.clock.now();
  log('info', 'settlement_run', {
    count: total.records,
    cu: Number(total.cu),
    durationMs: endedMs - startedMs,
  });
  const values = {
    SettlementRecords: total.records,
    SettledComputeUnits: Number(total.cu),
    SettlementFailures: total.failures,
    ...(total.records > 0 && { SettlementLag: (endedMs - total.oldestHourEndMs) / MILLISECONDS_PER_SECOND }),
  };
  emitMetrics({ values }, endedMs);
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(errorField).join('; '));
}

async function settleOne(
  { books, queue }: SettlementParts,
  run: SettlementRun,
  work: HandedOnSlot,
  handedOn: boolean,
): Promise<void> {
  const progress = await settleSlot(books, work, run);
  const failures = work.failures + progress.failures;
  if (progress.rest !== undefined) return handOn(queue, { ...progress.rest, failures }, progress, handedOn);
  if (failures > 0) throw new Error(`${failures} accounts of slot ${work.slot} could not be settled`);
}

/** Work that came from the queue and was not even begun is not sent round again: it would never end. */
async function handOn(
  queue: WorkQueue,
  rest: HandedOnSlot,
  { accounts }: SlotProgress,
  handedOn: boolean,
): Promise<void> {
  if (handedOn && accounts === 0) throw new Error(`slot ${rest.slot} got no time`);
  await queue.send(rest);
  log('info', 'settlement_handed_on', { count: accounts });
}
