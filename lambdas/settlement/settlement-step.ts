import { type AccountItem, SETTLED_HOUR_PREFIX } from '../access/accounts/account-item.ts';
import type { HourLanes } from '../access/accounts/read-lanes.ts';
import type { Action, Update } from '../access/store/store.ts';
import { hourAfter } from '../shared/runtime/hour.ts';
import { isClosed, type SettlementScope } from './settlement-hours.ts';
import { nextRecord, putRecord, type SettlementRecord } from './settlement-record.ts';

/** A due hour as it was read: its lanes after the account item, and its youngest record before, where it can have one. */
export interface DueHour extends HourLanes {
  readonly last: SettlementRecord | undefined;
}

/** What a settlement knows of an account. */
export interface SettlementState {
  readonly account: AccountItem;
  /** Hours that are due, the oldest first. */
  readonly hours: readonly DueHour[];
}

/** One write of a settlement: the account item, and the record with it if there is one. */
export interface SettlementStep {
  readonly record?: SettlementRecord;
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
 *
 * Invariant: settled is the sum of all records, and the records of an hour add up to what its lanes came to when they
 * were last read. Hours before `open_from` are out of the balance's lanes and in `settled`; of an hour from there on,
 * `s_<hour>` says how much of it is in `settled` already. So the balance is the same before and after each write.
 *
 * - Two settlements at once, or one that is repeated because its answer was lost: each write is on condition that
 *   `settled` and `open_from` are as read, and each moves one of them up. The second is refused, and reads again.
 * - Stopped between any two writes: each write leaves whole books, and the next settlement goes on from them.
 * - A lane that rises after it was read: what it has more is found by the next run, because its hour stays on the work
 *   list until a run finds nothing new in it.
 * - An account item that was restored to an earlier state proposes a record that exists: refused, nothing is billed.
 *   An item that says less of an open hour than its last record is not worked at all ({@link knowsRecords}).
 */
export function nextStep(
  state: SettlementState,
  scope: SettlementScope,
  nowMs: number,
): SettlementStep | undefined {
  const { account, hours } = state;
  const next = hours.findIndex((hour) => hour.cu > settledCu(account, hour));
  const due = hours[next];
  if (due === undefined) return closeStep(state, scope, nowMs);
  const { hour, cu, last } = due;
  const record = nextRecord(account.account, due, last, nowMs);
  const settled = { ...account, settled: account.settled + record.settled_cu };
  const closes = scope.hour === undefined && isClosed(hour, nowMs);
  const after =
    hour < account.openFrom ? settled : closes ? closed(settled, hour) : withSettled(settled, hour, cu);
  return {
    record,
    actions: [{ update: changeAccount(account, after) }, { put: putRecord(record) }],
    after: { account: after, hours: hours.slice(next + 1) },
  };
}

/** What is settled of an hour, in compute units. */
export function settledCu(account: AccountItem, { hour, last }: Pick<DueHour, 'hour' | 'last'>): bigint {
  return hour < account.openFrom ? (last?.total_cu ?? 0n) : (account.settledOpen.get(hour) ?? 0n);
}

/** Whether the account item says of its open hours what their last records say. */
export function knowsRecords({ account, hours }: SettlementState): boolean {
  return hours.every((hour) => hour.last === undefined || settledCu(account, hour) === hour.last.total_cu);
}

/** Hours that were settled while they ran, and have nothing new now that they are closed: their lanes will expire. */
function closeStep(
  { account, hours }: SettlementState,
  scope: SettlementScope,
  nowMs: number,
): SettlementStep | undefined {
  const last = [...account.settledOpen.keys()]
    .filter((hour) => isClosed(hour, nowMs))
    .sort()
    .at(-1);
  if (last === undefined || scope.hour !== undefined) return undefined;
  const after = closed(account, last);
  return { actions: [{ update: changeAccount(account, after) }], after: { account: after, hours } };
}

function closed(account: AccountItem, hour: string): AccountItem {
  const settledOpen = new Map([...account.settledOpen].filter(([open]) => open > hour));
  return { ...account, openFrom: hourAfter(hour), settledOpen };
}

function withSettled(account: AccountItem, hour: string, cu: bigint): AccountItem {
  return { ...account, settledOpen: new Map([...account.settledOpen, [hour, cu]]) };
}

function changeAccount(before: AccountItem, after: AccountItem): Update {
  const added = [...after.settledOpen].filter(([hour, cu]) => before.settledOpen.get(hour) !== cu);
  const gone = [...before.settledOpen.keys()].filter((hour) => !after.settledOpen.has(hour));
  return {
    table: 'accounts',
    key: { account: before.account },
    when: [
      { is: '=', attribute: 'settled', value: before.settled },
      { is: '=', attribute: 'open_from', value: before.openFrom },
    ],
    set: {
      settled: after.settled,
      open_from: after.openFrom,
      ...Object.fromEntries(added.map(([hour, cu]) => [SETTLED_HOUR_PREFIX + hour, cu])),
    },
    remove: gone.map((hour) => SETTLED_HOUR_PREFIX + hour),
  };
}
