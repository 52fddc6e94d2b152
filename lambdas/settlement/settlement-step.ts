import type { AccountItem } from '../access/accounts/account-item.ts';
import type { HourLanes } from '../access/accounts/read-lanes.ts';
import type { Action } from '../access/store/store.ts';
import { hourAfter } from '../shared/runtime/hour.ts';
import { isClosed, type SettlementScope } from './settlement-hours.ts';
import { nextRecord, putRecord, type SettlementRecord } from './settlement-record.ts';

/** An hour as it was read: its lanes after the account item, and its youngest record between them. */
export interface ReadHour extends HourLanes {
  readonly last: SettlementRecord | undefined;
}

/** What a settlement knows of an account. */
export interface SettlementState {
  readonly account: AccountItem;
  /** Hours that are due, and open ones that have records, the oldest first. */
  readonly hours: readonly ReadHour[];
}

/** One write of a settlement: the account item, and the record with it if there is one. */
export interface SettlementStep {
  readonly record: SettlementRecord | undefined;
  readonly actions: readonly Action[];
  /** What is known once it is written. */
  readonly after: SettlementState;
}

/**
 * The next write that settles an account, oldest hour first; undefined when nothing is left to do.
 *
 *   lanes of hour H       20 -- 65                      70 (late)
 *   settlement                      record 1: 65 of 65       record 2: 5 of 70
 *   account: settled              0 --> 65 ---------------> 70
 *            open_from            H --> H+1
 *            closed               0 --> 65 ---------------> 70
 *
 * Invariant: settled is the sum of all records, closed that of the hours before `open_from`, and the records of an hour
 * add up to what its lanes came to when they were last read. The balance has closed, and the lanes from `open_from` on:
 * it is the same before and after each write, also of a running hour, whose record leaves `open_from` where it is.
 *
 * - Two settlements at once, or one that is repeated because its answer was lost: each write is on condition that
 *   `settled` and `open_from` are as read, and each moves one of them up. The second is refused, and reads again.
 * - Stopped between any two writes: each write leaves whole books, and the next settlement goes on from them.
 * - A lane that rises after it was read: what it has more is found by the next run, because its hour stays on the work
 *   list until a run finds nothing new in it.
 * - An account item that was restored to an earlier state proposes a record that exists: refused, nothing is billed. One
 *   that has another sum of its open hours than their records is not worked at all ({@link knowsRecords}).
 */
export function nextStep(
  { account, hours }: SettlementState,
  scope: SettlementScope,
  nowMs: number,
): SettlementStep | undefined {
  const isOver = (hour: string) => scope.hour === undefined && isClosed(hour, nowMs);
  const risen = hours.find((hour) => hour.cu > recordedCu(hour));
  const record = risen && nextRecord(account.account, risen, risen.last, nowMs);
  const upTo = risen ?? hours.findLast(({ hour }) => isOver(hour));
  const closes = upTo !== undefined && isOver(upTo.hour) && upTo.hour >= account.openFrom;
  if (record === undefined && !closes) return undefined;
  const known = hours.map((hour) => (hour === risen ? { ...hour, last: record } : hour));
  const openFrom = closes ? hourAfter(upTo.hour) : account.openFrom;
  const settled = account.settled + (record?.settled_cu ?? 0n);
  const closed = settled - openCu(openFrom, known);
  const update = {
    table: 'accounts',
    key: { account: account.account },
    when: [
      { is: '=', attribute: 'settled', value: account.settled },
      { is: '=', attribute: 'open_from', value: account.openFrom },
    ],
    set: { settled, open_from: openFrom, closed },
  } as const;
  return {
    record,
    actions: [{ update }, ...(record ? [{ put: putRecord(record) }] : [])],
    after: { account: { ...account, settled, openFrom, closed }, hours: known },
  };
}

/** What is settled of an hour, in compute units. */
export function recordedCu({ last }: Pick<ReadHour, 'last'>): bigint {
  return last?.total_cu ?? 0n;
}

/** Whether the account item knows of the records of its open hours: one that is older than its ledger does not. */
export function knowsRecords({ account, hours }: SettlementState): boolean {
  return account.settled - account.closed === openCu(account.openFrom, hours);
}

function openCu(openFrom: string, hours: readonly ReadHour[]): bigint {
  return hours.reduce((sum, hour) => (hour.hour < openFrom ? sum : sum + recordedCu(hour)), 0n);
}
