import { damagedAccount } from '../access/accounts/account-id.ts';
import { type AccountItem, readAccountItem } from '../access/accounts/account-item.ts';
import { type HourLanes, readLanes } from '../access/accounts/read-lanes.ts';
import { type Bookkeeping, withRetry } from '../access/bookkeeping.ts';
import { entryOf, mayTakeOff, slotOf, type UnsettledHour } from '../access/charge/unsettled.ts';
import type { Store } from '../access/store/store.ts';
import { log } from '../shared/runtime/log.ts';
import { dueHours, isClosed, type SettlementScope } from './settlement-hours.ts';
import { readLastRecord } from './settlement-ledger.ts';
import type { SettlementRecord } from './settlement-record.ts';
import { knowsRecords, nextStep, type SettlementState, settledCu } from './settlement-step.ts';

/** Refused writes for one hour, because another settlement came between, before the account is left. */
const MAX_REFUSALS = 8;

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
  { store, clock, pause }: Bookkeeping,
  account: string,
  marks: readonly MarkedHour[],
  scope: SettlementScope = {},
): Promise<SettlementRecord[]> {
  const nowMs = clock.now();
  const run: AccountRun = { account, marks, scope, nowMs, records: [], changed: new Set() };
  await withRetry(pause, () => settleDue(store, run));
  for (const { mark, ...hour } of marks) {
    if (run.changed.has(hour.hour) || !isClosed(hour.hour, nowMs) || !mayTakeOff(mark, nowMs)) continue;
    const key = { slot: slotOf(hour), entry: entryOf(hour) };
    const when = [{ is: '=', attribute: 'mark', value: mark }] as const;
    await withRetry(pause, () => store.delete({ table: 'unsettled', key, when }));
  }
  return run.records;
}

interface AccountRun {
  readonly account: string;
  readonly marks: readonly MarkedHour[];
  readonly scope: SettlementScope;
  readonly nowMs: number;
  /** What is written. */
  readonly records: SettlementRecord[];
  /** Hours that had something new. */
  readonly changed: Set<string>;
}

/** A write that was refused, or not tried, and what it was planned on. */
interface Refused {
  readonly hour: string | undefined;
  readonly account: AccountItem;
}

async function settleDue(store: Store, run: AccountRun): Promise<void> {
  let refused: Refused | undefined;
  for (let refusals = 0; refusals <= MAX_REFUSALS; ) {
    const state = await readState(store, run);
    if (refused !== undefined) requireChanged(refused.account, state.account);
    const next = knowsRecords(state)
      ? await writeSteps(store, state, run)
      : { hour: undefined, account: state.account };
    if (next === undefined) return;
    refusals = refused !== undefined && next.hour === refused.hour ? refusals + 1 : 1;
    refused = next;
  }
  throw new Error(`account ${run.account} changed at each of ${MAX_REFUSALS} attempts to settle it`);
}

/** Writes one step after the other; resolves to the one that is refused, if one is. */
async function writeSteps(
  store: Store,
  read: SettlementState,
  { scope, nowMs, records, changed }: AccountRun,
): Promise<Refused | undefined> {
  let state = read;
  for (let step = nextStep(state, scope, nowMs); step; step = nextStep(state, scope, nowMs)) {
    if (step.record !== undefined) changed.add(step.record.hour);
    const result = await store.transact(step.actions);
    if (!result.applied) return { hour: step.record?.hour, account: state.account };
    if (step.record !== undefined) records.push(step.record);
    state = step.after;
  }
  return undefined;
}

/** If the account is as it was, it does not know of a record that is there. */
function requireChanged(before: AccountItem, now: AccountItem): void {
  if (now.settled !== before.settled || now.openFrom !== before.openFrom) return;
  throw damagedAccount(now.account, 'older than its ledger');
}

/**
 * Reads the account, then the last records of those due hours that can have some, then their lanes: so no lane is
 * older than what is known of it to be settled.
 */
async function readState(
  store: Store,
  { account: id, marks, scope, nowMs }: AccountRun,
): Promise<SettlementState> {
  const item = await store.get('accounts', { account: id });
  if (item === undefined) throw damagedAccount(id, 'gone');
  const account = readAccountItem(item);
  const due = dueHours(account.openFrom, nowMs, scope);
  const late = new Set(
    marks.map(({ hour }) => hour).filter((hour) => hour < (due?.from ?? account.openFrom)),
  );
  const ranges = [...[...late].sort().map((hour) => ({ from: hour, to: hour })), ...(due ? [due] : [])];
  const last = new Map<string, SettlementRecord | undefined>();
  for (const hour of [
    ...late,
    ...account.settledOpen.keys(),
    ...(scope.hour === undefined ? [] : [scope.hour]),
  ]) {
    last.set(hour, await readLastRecord(store, id, hour));
  }
  const shards = Math.max(account.shards, ...marks.map(({ shard }) => shard + 1));
  const read: HourLanes[] = [];
  for (const { from, to } of ranges) {
    read.push(...(await readLanes(store, { account: id, shards, fromHour: from, toHour: to })));
  }
  const hours = read.map((hour) => ({ ...hour, last: last.get(hour.hour) }));
  warnOfLostLanes({ account, hours });
  return { account, hours };
}

function warnOfLostLanes({ account, hours }: SettlementState): void {
  for (const hour of hours) {
    const missing = settledCu(account, hour) - hour.cu;
    if (missing <= 0n) continue;
    log('warn', 'lanes_behind_ledger', { account: account.account, hour: hour.hour, cu: Number(missing) });
  }
}
