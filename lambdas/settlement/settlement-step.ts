import type { AccountItem } from '../access/accounts/account-item.ts';
import type { Action } from '../access/store/store.ts';
import { hourAfter } from '../shared/runtime/hour.ts';
import type { HourSum } from './hour-sum.ts';
import { isClosed, type SettlementScope } from './settlement-hours.ts';
import { nextRecord, putRecord, type UnstatedRecord } from './settlement-record.ts';

/** What a settlement knows of an account. */
export interface SettlementState {
  readonly account: AccountItem;
  /** The youngest record of each open hour, and of each late one, by hour: read after the account item. */
  readonly records: ReadonlyMap<string, UnstatedRecord>;
  /** The hour that was read last, after the account item. Undefined: none has lanes. */
  readonly hour: HourSum | undefined;
  /** The first hour whose lanes were not read, or could not be: it stays open, and those after it. */
  readonly unread: string;
}

/** One write of a settlement: the account item, and the record with it if there is one. */
export interface SettlementStep<Settled = UnstatedRecord> {
  readonly record: Settled | undefined;
  readonly actions: readonly Action[];
  /** What is known once it is written. */
  readonly after: SettlementState;
}

/**
 * The next write that settles an account, after an hour of it was read; undefined when nothing is left to do.
 *
 *   lanes of hour H       20 -- 65                      70 (late)
 *   settlement                      record 1: 65 of 65       record 2: 5 of 70
 *   account: settled              0 --> 65 ---------------> 70
 *            open_from            H --> H+1
 *            closed               0 --> 65 ---------------> 70
 *
 * Invariant: settled is the sum of all records, closed that of the hours before `open_from`, and the records of an hour
 * add up to what its lanes came to when they were last read. The balance has closed, and the lanes from `open_from` on:
 * it is the same before and after each write, also of a running hour, whose record leaves `open_from` where it is, and of
 * one after an hour that could not be read.
 *
 * - Two settlements at once, or one that is repeated because its response was lost: each write is on condition that
 *   `settled` and `open_from` are as read, and each moves one of them up. The second is refused, and reads again.
 * - Stopped between any two writes: each write leaves whole books, and the next settlement goes on from them.
 * - A lane that rises after it was read: what it has more is found by the next run, because its hour stays on the work
 *   list until a run finds nothing new in it.
 * - An account item that was restored to an earlier state proposes a record that exists: refused, nothing is billed. One
 *   that has another sum of its open hours than their records is not worked at all ({@link knowsRecords}).
 */
export function nextStep(
  state: SettlementState,
  scope: SettlementScope,
  nowMs: number,
): SettlementStep | undefined {
  const { account, hour, unread } = state;
  const record =
    hour !== undefined && isRisen(state)
      ? nextRecord(account.account, hour, state.records.get(hour.hour), nowMs)
      : undefined;
  const records = record ? new Map(state.records).set(record.hour, record) : state.records;
  const isOver = (each: string) =>
    scope.hour === undefined && each < unread && each >= account.openFrom && isClosed(each, nowMs);
  const upTo = [...records.keys()].filter(isOver).sort().at(-1);
  if (record === undefined && upTo === undefined) return undefined;
  const openFrom = upTo === undefined ? account.openFrom : hourAfter(upTo);
  const settled = account.settled + (record?.settled_cu ?? 0n);
  const closed = settled - openCu(openFrom, records);
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
    after: { ...state, account: { ...account, settled, openFrom, closed }, records },
  };
}

/** Whether the hour that was read has more than its records. */
export function isRisen({ hour, records }: Pick<SettlementState, 'hour' | 'records'>): boolean {
  return hour !== undefined && hour.cu > (records.get(hour.hour)?.total_cu ?? 0n);
}

/** Whether the account item knows of the records of its open hours: one that is older than its ledger does not. */
export function knowsRecords({ account, records }: Pick<SettlementState, 'account' | 'records'>): boolean {
  return account.settled - account.closed === openCu(account.openFrom, records);
}

function openCu(openFrom: string, records: SettlementState['records']): bigint {
  let sum = 0n;
  for (const [hour, { total_cu }] of records) if (hour >= openFrom) sum += total_cu;
  return sum;
}
