import type { Clock } from '../../shared/runtime/clock.ts';
import { isWithin } from '../../shared/runtime/clock.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import { isStoreUnavailable, StoreUnavailableError } from '../store/store.ts';
import type { AccountViews } from './account-view.ts';
import {
  type AccountView,
  type BalanceState,
  balanceStateOf,
  type ReadingAges,
  seenBalance,
} from './account-view.ts';

/** An account near its end is read once in this time by each instance, in milliseconds. */
const READ_EVERY_MS = 1_000;
/** Readings that decide, by their age in milliseconds. */
export const AGES: ReadingAges = { certain: 60_000, admit: 3_000, refuse: 3_000 };
/** Those that do while the store does not answer. */
const FAILING_AGES: ReadingAges = { ...AGES, admit: 10_000 };
/** Those that do while nothing refreshes the balance views. */
const AWAY_AGES: ReadingAges = { ...AGES, admit: 60_000 };
/** Looks for a younger balance view, and for the first one of an account that has just become wide. */
const LOOKS = 2;
const FIRST_LOOKS = 10;
const LOOK_PAUSE_MS = 150;

/** What a balance is asked with. */
export interface Asking {
  readonly accounts: AccountViews;
  readonly clock: Clock;
  readonly pause: Sleep;
}

/** An account by readings that decide. */
interface AskedBalance {
  readonly view: AccountView;
  readonly standing: Exclude<BalanceState, 'unknown'>;
}

/**
 * What is to be said of a balance that may be at its end: by what was read in the last second, else by reading it. Own
 * charges decide nothing: they are a reason to read again.
 * Where its view is too old, it is looked for twice more, and then an old one will do for a minute: nothing refreshes it.
 * Rejects with `StoreUnavailableError` if nothing decides.
 */
export async function askBalance({ accounts, clock, pause }: Asking, account: string): Promise<AskedBalance> {
  const known = accounts.recall(account);
  // An instance that has waited in vain for a younger view does not wait again, until there is one.
  const wasOld = known !== undefined && decide(known, clock, AGES, known.readAt) === undefined;
  if (known !== undefined && isWithin(known.readAt, clock.now(), READ_EVERY_MS) && !hasUsedUp(known)) {
    const decided = decide(known, clock, wasOld ? AWAY_AGES : AGES);
    if (decided !== undefined) return decided;
  }
  for (let look = 0; ; look += 1) {
    if (look > 0) await pause(LOOK_PAUSE_MS);
    const view = await readOrUse(accounts, clock, account);
    if ('standing' in view) return view;
    const decided = decide(view, clock, AGES);
    if (decided !== undefined) return decided;
    const old = decide(view, clock, AWAY_AGES);
    const looks = old === undefined ? FIRST_LOOKS : wasOld ? 0 : LOOKS;
    if (look < looks && view.isWide) continue;
    if (old !== undefined) return old;
    throw new StoreUnavailableError(`the lanes of account ${account} were not read for long`, false);
  }
}

/** Whether what was seen of a balance may be gone by this instance's own charges, which its lanes then say. */
function hasUsedUp(view: AccountView): boolean {
  return !view.isWide && seenBalance(view) > 0n && seenBalance(view) <= view.ownCu;
}

/** While the store does not answer, what was read before decides a little longer. */
async function readOrUse(
  accounts: AccountViews,
  clock: Clock,
  account: string,
): Promise<AccountView | AskedBalance> {
  try {
    return await accounts.read(account, { itemMaxAgeMs: AGES.refuse });
  } catch (error) {
    const known = accounts.recall(account);
    const decided = known && decide(known, clock, FAILING_AGES);
    if (isStoreUnavailable(error) && decided !== undefined) return decided;
    throw error;
  }
}

function decide(
  view: AccountView,
  clock: Clock,
  ages: ReadingAges,
  nowMs = clock.now(),
): AskedBalance | undefined {
  const standing = balanceStateOf(view, nowMs, ages);
  return standing === 'unknown' ? undefined : { view, standing };
}
