import { type AccountItem, storedRecord } from '../access/accounts/account-item.ts';
import { encodeUsage } from '../access/charge/usage-text.ts';
import type { Action, Update } from '../access/store/store.ts';
import { NO_RECORD } from '../shared/bill/record-statement.ts';
import { HOUR_MS, hourAfter, hourEndMs, hourOf } from '../shared/runtime/clock.ts';
import { unsealedPut } from './heads.ts';
import type { HourLeaves } from './hour-leaves.ts';
import {
  BILLING_UNIT_CU,
  type KeyRange,
  numberPut,
  putRecord,
  type SettlementRecord,
  sealedOf,
} from './settlement-ledger.ts';

/** Time after the end of an hour in which usage of it still arrives as a rule, in milliseconds. */
export const SETTLEMENT_GRACE_MS = 10 * 60_000;
/** Most bytes of what a record says of chains and methods. */
const MAX_RECORD_USAGE_BYTES = 8_192;

/** Which hours a run settles. */
export interface SettlementScope {
  /** Only this hour, such as `2026-11-20T23`. @default every closed hour */
  readonly hour?: string;
  /** Also an hour whose grace is not over; together with `hour` also the running hour. @default false */
  readonly force?: boolean;
}

/** Whether an hour is over, its grace included. */
export function isClosed(hour: string, nowMs: number): boolean {
  return hourEndMs(hour) + SETTLEMENT_GRACE_MS <= nowMs;
}

/**
 * The hours from one on that may be settled now; undefined: none. Usage that comes later still becomes a further
 * revision.
 */
export function dueHours(
  from: string,
  nowMs: number,
  { hour, force }: SettlementScope,
): KeyRange | undefined {
  if (hour !== undefined)
    return force === true || isClosed(hour, nowMs) ? { from: hour, to: hour } : undefined;
  const to = hourOf(nowMs - HOUR_MS - (force === true ? 0 : SETTLEMENT_GRACE_MS));
  return from <= to ? { from, to } : undefined;
}

/** What a settlement knows of an account. */
export interface SettlementState {
  readonly account: AccountItem;
  /** The youngest record of each open hour, and of each late one, by hour: read after the account item. */
  readonly records: ReadonlyMap<string, SettlementRecord>;
  /** The first hour whose lanes were not read, or could not be: it stays open, and those after it. */
  readonly unread: string;
}

/** One write of a settlement: the account item, and the record with it if there is one. */
interface SettlementStep {
  readonly actions: readonly [{ readonly update: Update }, ...Action[]];
  /** What is known once it is written. */
  readonly after: SettlementState;
}

/**
 * The next write that settles an account, with the record of an hour that was read, if it has something new; undefined
 * when nothing is left to do.
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
 * - Stopped between any two writes: each write leaves whole books, and the next settlement continues from them.
 * - A lane that rises after it was read: what it has more is found by the next run, because its hour stays on the work
 *   list until a run finds nothing new in it.
 * - An account item that was restored to an earlier state proposes a record that exists, or a number that is taken:
 *   refused, nothing is billed. One that has another sum of its open hours than their records is not worked at all
 *   ({@link knowsRecords}).
 *
 * With the record, in its transaction, the account item takes the record's number and hash, the ledger keeps the number,
 * and the list of unsealed records takes the hash.
 *
 *   account   17, hash of 17 ------------------> 18, hash of 18
 *   record    18 {previous: hash of 17, root of its lanes, salt}    on condition that it is absent
 *   number    18: hash of 18                                        on condition that it is absent
 *   unsealed  hash of 18 --> until a signed head has it
 *
 * Invariant: each record names the one before it, so that none can be left out, changed or put between two later.
 */
export function nextStep(
  state: SettlementState,
  record: SettlementRecord | undefined,
  scope: SettlementScope,
  nowMs: number,
): SettlementStep | undefined {
  const { account, unread } = state;
  const records = record ? new Map(state.records).set(record.hour, record) : state.records;
  const isOver = (each: string) =>
    scope.hour === undefined && each < unread && each >= account.openFrom && isClosed(each, nowMs);
  const upTo = [...records.keys()].filter(isOver).sort().at(-1);
  if (record === undefined && upTo === undefined) return undefined;
  const openFrom = upTo === undefined ? account.openFrom : hourAfter(upTo);
  const settled = account.settled + (record?.settled_cu ?? 0n);
  const closed = settled - openCu(openFrom, records);
  const lastRecord = record && sealedOf(record);
  const update = {
    table: 'accounts',
    key: { account: account.account },
    when: [
      { is: '=', attribute: 'settled', value: account.settled },
      { is: '=', attribute: 'open_from', value: account.openFrom },
    ],
    set: { settled, open_from: openFrom, closed, ...(lastRecord && storedRecord(lastRecord)) },
  } as const;
  const puts =
    record && lastRecord
      ? [putRecord(record), numberPut(lastRecord), unsealedPut(lastRecord, Date.parse(record.settled_at))]
      : [];
  return {
    actions: [{ update }, ...puts.map((put) => ({ put }))],
    after: {
      ...state,
      account: { ...account, settled, openFrom, closed, ...(lastRecord && { lastRecord }) },
      records,
    },
  };
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

/** The record that settles what the lanes of an hour have come to, after `last`, the hour's youngest record. */
export function nextRecord(
  { account, lastRecord }: Pick<AccountItem, 'account' | 'lastRecord'>,
  sum: HourLeaves,
  last: SettlementRecord | undefined,
  { nowMs, salt }: { readonly nowMs: number; readonly salt: string },
): SettlementRecord {
  const { hour, cu, lanes } = sum;
  const before = last?.total_cu ?? 0n;
  return {
    account,
    number: (lastRecord?.number ?? 0) + 1,
    previous: lastRecord?.hash ?? NO_RECORD,
    hour,
    revision: (last?.revision ?? 0) + 1,
    settled_cu: cu - before,
    total_cu: cu,
    billing_units: cu / BILLING_UNIT_CU - before / BILLING_UNIT_CU,
    remainder_cu: cu % BILLING_UNIT_CU,
    lanes,
    root: sum.root(),
    digest: sum.digest(),
    used: encodeUsage(sum.usage(), MAX_RECORD_USAGE_BYTES),
    settled_at: new Date(nowMs).toISOString(),
    salt,
  };
}
