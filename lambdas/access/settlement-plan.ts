import { type AccountChange, updateAccount } from './account-change.ts';
import { movePendingHour } from './move-pending-hour.ts';
import type { ObservedAccount } from './observed-account.ts';
import { pruneLanes } from './prune-lanes.ts';
import { settleHour } from './settle-hour.ts';
import { isSettleable, type SettlementScope } from './settlement-hours.ts';
import { nextRecord, putRecord, type SettlementRecord } from './settlement-record.ts';
import type { Action } from './store.ts';

/** What a settlement step is planned on. */
export interface SettlementState {
  readonly observed: ObservedAccount;
  /** Youngest record of the oldest settleable hour, where it was read; without it the hour's first is tried. */
  readonly last?: SettlementRecord;
  /** One change a step: a step of several was refused, and a busy account would refuse it again. */
  readonly single: boolean;
}

/** One write of a settlement: a transaction if it has a record, else an update of the account item alone. */
export interface SettlementStep {
  readonly record: SettlementRecord | undefined;
  readonly actions: readonly [Action, ...Action[]];
  /** What is known of the account once the step is applied. */
  readonly after: ObservedAccount;
}

/** Places of a step's actions. */
export const ACCOUNT_ACTION = 0;
export const RECORD_ACTION = 1;

/**
 * The next write that settles an account, oldest hour first; undefined when nothing is left to do. With the last
 * hour travel, if nothing refuses them, the pruning of lanes and the move in the index. The move comes last:
 * on an account that is charged all the time it may be refused again and again, which harms nothing.
 */
export function nextStep(
  state: SettlementState,
  nowMs: number,
  scope: SettlementScope,
): SettlementStep | undefined {
  const { observed, last, single } = state;
  const due = [...observed.pending].filter(([hour]) => isSettleable(hour, nowMs, scope));
  const oldest = due[0];
  const changes: AccountChange[] = [];
  const left = () => changes.at(-1)?.after ?? observed;
  const add = (change: AccountChange | undefined) => {
    if (change !== undefined && !(single && changes.length > 0)) changes.push(change);
  };

  let record: SettlementRecord | undefined;
  if (oldest !== undefined) {
    const [hour, cu] = oldest;
    record = nextRecord({ account: observed.account, hour, cu }, last, nowMs);
    add(settleHour(observed, record));
  }
  if (due.length <= 1) {
    add(pruneLanes(left(), nowMs));
    add(movePendingHour(left()));
  }
  if (changes.length === 0) return undefined;
  const update: Action = { update: updateAccount(observed.account, changes) };
  const actions: SettlementStep['actions'] =
    record === undefined ? [update] : [update, { put: putRecord(record) }];
  return { record, actions, after: left() };
}
