import { type Bookkeeping, retried } from './bookkeeping.ts';
import { type ObservedAccount, observeAccount } from './observed-account.ts';
import type { SettlementScope } from './settlement-hours.ts';
import { readLastRecord } from './settlement-ledger.ts';
import {
  ACCOUNT_ACTION,
  nextStep,
  RECORD_ACTION,
  type SettlementState,
  type SettlementStep,
} from './settlement-plan.ts';
import type { SettlementRecord } from './settlement-record.ts';
import type { Item, Store, TransactionResult } from './store.ts';

/** Refused writes for one hour, because a charge or another settlement came between, before it is left. */
const MAX_REFUSALS = 8;

/**
 * Settles the due hours of one account, prunes its idle lanes and moves it in the pending index. It may be
 * repeated, run at once with itself, or stopped between any two writes. Returns the records that it is sure to
 * have written: one whose write was not acknowledged is written once all the same, but not returned.
 *
 * Rejects with `StoreUnavailableError`, or with an Error if an hour changed at every attempt.
 */
export async function settleAccount(
  books: Bookkeeping,
  account: string,
  scope: SettlementScope = {},
  known?: Item,
): Promise<SettlementRecord[]> {
  const records: SettlementRecord[] = [];
  let first = known;
  await retried(books.pause, async () => {
    const item = first ?? (await books.store.get('accounts', { account }));
    first = undefined;
    if (item !== undefined) await settleObserved(books, observeAccount(item), scope, records);
  });
  return records;
}

async function settleObserved(
  { store, clock }: Bookkeeping,
  observed: ObservedAccount,
  scope: SettlementScope,
  records: SettlementRecord[],
): Promise<void> {
  const nowMs = clock.now();
  let state: SettlementState | undefined = { observed, single: false };
  let refused = { hour: undefined as string | undefined, times: 0 };
  while (state !== undefined) {
    const step = nextStep(state, nowMs, scope);
    if (step === undefined) return;
    const result = await carryOut(store, step);
    if (result.applied) {
      if (step.record !== undefined) records.push(step.record);
      state = { observed: step.after, single: state.single };
      continue;
    }
    const hour = step.record?.hour;
    refused = { hour, times: hour === refused.hour ? refused.times + 1 : 1 };
    if (refused.times > MAX_REFUSALS) return leave(observed.account, step);
    state = await afterRefusal(store, state.observed, step, result.refused);
  }
}

async function carryOut(store: Store, { record, actions }: SettlementStep): Promise<TransactionResult> {
  const [first] = actions;
  if (record !== undefined || !('update' in first)) return store.transact(actions);
  const result = await store.update(first.update);
  return result.applied ? result : { applied: false, refused: [{ item: result.item }] };
}

/** A refusal carries the items as they are; only an hour that has records already needs a further read. */
async function afterRefusal(
  store: Store,
  observed: ObservedAccount,
  { record }: SettlementStep,
  refused: Extract<TransactionResult, { applied: false }>['refused'],
): Promise<SettlementState | undefined> {
  const account = refused[ACCOUNT_ACTION];
  if (account !== undefined) {
    return account.item && { observed: observeAccount(account.item), single: true };
  }
  if (record === undefined || refused[RECORD_ACTION] === undefined) {
    throw new Error('the store refused a settlement step without saying why');
  }
  const last = await readLastRecord(store, record.account, record.hour);
  return { observed, single: true, ...(last && { last }) };
}

/** An account that is never quiet keeps its place in the index; an hour that cannot be settled is a failure. */
function leave(account: string, { record }: SettlementStep): void {
  if (record === undefined) return;
  throw new Error(`account ${account} changed at each of ${MAX_REFUSALS} attempts to settle ${record.hour}`);
}
