import { damagedAccount } from '../access/accounts/account-id.ts';
import { type AccountItem, readAccountItem } from '../access/accounts/account-item.ts';
import { readLanes } from '../access/accounts/read-lanes.ts';
import { type Bookkeeping, withStoreRetry } from '../access/bookkeeping.ts';
import { entryOf, mayTakeOff, slotOf, type UnsettledHour } from '../access/charge/unsettled.ts';
import type { Store } from '../access/store/store.ts';
import { AFTER_ALL } from '../access/store/tables.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import { dueHours, isClosed, type SettlementScope } from './settlement-hours.ts';
import { lastRecords } from './settlement-ledger.ts';
import type { SettlementRecord } from './settlement-record.ts';
import {
  knowsRecords,
  nextStep,
  type ReadHour,
  recordedCu,
  type SettlementState,
} from './settlement-step.ts';

/** Times in a row that another settlement comes between and closes no hour, before the account is left. */
const MAX_REFUSALS = 64;

/** An entry of the work list, as it was read. */
export interface MarkedHour extends UnsettledHour {
  readonly mark: string;
}

/**
 * Settles the due hours of one account, and takes those of its marked hours off the work list that are closed and have
 * nothing new, once no lane of them can be on its way. It may be repeated, run at once with itself, or stopped between
 * any two writes. Returns the records that it is sure to have written: one whose write was not acknowledged is written
 * once all the same, but not returned.
 *
 * Rejects with `StoreUnavailableError`, or with an Error if the account item is gone or older than its ledger, or
 * changed at every attempt.
 */
export async function settleAccount(
  { store, clock, pause, telemetry }: Bookkeeping,
  account: string,
  marks: readonly MarkedHour[],
  scope: SettlementScope = {},
): Promise<SettlementRecord[]> {
  const nowMs = clock.now();
  const run: AccountRun = { account, marks, scope, nowMs, records: [], changed: new Set(), telemetry };
  await withStoreRetry(pause, () => settleDue(store, run));
  for (const { mark, ...hour } of marks) {
    if (run.changed.has(hour.hour) || !isClosed(hour.hour, nowMs) || !mayTakeOff(mark, nowMs)) continue;
    const key = { slot: slotOf(hour), entry: entryOf(hour) };
    const when = [{ is: '=', attribute: 'mark', value: mark }] as const;
    await withStoreRetry(pause, () => store.delete({ table: 'unsettled', key, when }));
  }
  return run.records;
}

interface AccountRun {
  readonly account: string;
  readonly marks: readonly MarkedHour[];
  readonly scope: SettlementScope;
  readonly nowMs: number;
  readonly telemetry: Telemetry;
  /** What is written. */
  readonly records: SettlementRecord[];
  /** Hours that had something new. */
  readonly changed: Set<string>;
}

async function settleDue(store: Store, run: AccountRun): Promise<void> {
  let before: AccountItem | undefined;
  for (let refusals = 0; refusals < MAX_REFUSALS; refusals += 1) {
    const state = await readState(store, run);
    const { account } = state;
    // If it is as it was, no other settlement came between: there is a record that it does not know of.
    if (account.settled === before?.settled && account.openFrom === before.openFrom) {
      throw damagedAccount(account.account, 'older than its ledger');
    }
    if (knowsRecords(state) && (await writeSteps(store, state, run))) return;
    if (account.openFrom !== before?.openFrom) refusals = 0;
    before = account;
  }
  throw new Error(`account ${run.account} changed at each of ${MAX_REFUSALS} attempts to settle it`);
}

/** Writes one step after the other; resolves to whether all were applied. */
async function writeSteps(
  store: Store,
  read: SettlementState,
  { scope, nowMs, records, changed }: AccountRun,
): Promise<boolean> {
  let state = read;
  for (let step = nextStep(state, scope, nowMs); step; step = nextStep(state, scope, nowMs)) {
    if (step.record !== undefined) changed.add(step.record.hour);
    const result = await store.transact(step.actions);
    if (!result.applied) return false;
    if (step.record !== undefined) records.push(step.record);
    state = step.after;
  }
  return true;
}

/**
 * Reads the account, then the last records of late hours, and of open ones if it knows of some, then the lanes of what is
 * due: so no lane is older than what is known of it to be settled.
 */
async function readState(
  store: Store,
  { account: id, marks, scope, nowMs, telemetry }: AccountRun,
): Promise<SettlementState> {
  const item = await store.get('accounts', { account: id });
  if (item === undefined) throw damagedAccount(id, 'gone');
  const account = readAccountItem(item);
  const { openFrom, settled, closed } = account;
  const due = dueHours(openFrom, nowMs, scope);
  const late = new Set(marks.map(({ hour }) => hour).filter((hour) => hour < (due?.from ?? openFrom)));
  const shards = Math.max(account.shards, ...marks.map(({ shard }) => shard + 1));
  const hours = new Map<string, ReadHour>();
  const lateHours = [...late].map((hour) => ({ from: hour, to: hour }));
  const open = settled === closed ? [] : [{ from: openFrom, to: AFTER_ALL }];
  for (const { from, to } of [...lateHours, ...open]) {
    for await (const last of lastRecords(store, id, { fromHour: from, toHour: to })) {
      hours.set(last.hour, { hour: last.hour, lanes: [], cu: last.total_cu, last });
    }
  }
  for (const { from, to } of [...lateHours, ...(due ? [due] : [])]) {
    for (const hour of await readLanes(store, { account: id, shards, fromHour: from, toHour: to })) {
      const last = hours.get(hour.hour)?.last;
      hours.set(hour.hour, { ...hour, last });
      const missing = recordedCu({ last }) - hour.cu;
      if (missing > 0n)
        telemetry.log('warn', 'lanes_behind_ledger', { account: id, hour: hour.hour, cu: Number(missing) });
    }
  }
  return { account, hours: [...hours.values()].sort((one, other) => (one.hour < other.hour ? -1 : 1)) };
}
