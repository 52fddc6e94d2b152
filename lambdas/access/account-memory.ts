import { log } from '../log.ts';
import type { PlanSettings, StageSettings } from '../settings.ts';
import { LruMap } from './lru-map.ts';
import { type Item, type Store, StoreUnavailableError } from './store.ts';

const REMEMBERED_ACCOUNTS = 10_000;
/** A plan that was raised takes effect on an instance that refuses from memory after at most this time. */
const VIEW_MAX_AGE_MS = 10_000;

/** An account as it was last seen. */
export interface AccountView {
  /** Name that the account item has for its plan, which may be unknown to the stage. */
  readonly planName: string;
  readonly plan: PlanSettings;
  /** Granted minus charged, in compute units. */
  readonly balanceCu: bigint;
  /** Milliseconds since the epoch. */
  readonly seenAt: number;
}

/** Plans and balances as this instance has last seen them: every read and every charge shows both. */
export class AccountMemory {
  readonly #views = new LruMap<AccountView>(REMEMBERED_ACCOUNTS);
  readonly #settings: Pick<StageSettings, 'plans' | 'defaultPlan'>;

  constructor(settings: Pick<StageSettings, 'plans' | 'defaultPlan'>) {
    this.#settings = settings;
  }

  recall(account: string): AccountView | undefined {
    return this.#views.get(account);
  }

  /** Reads an account. Rejects with `StoreUnavailableError`, also for an account that is not stored. */
  async read(store: Store, account: string, now: number): Promise<AccountView> {
    const item = await store.get('accounts', { account });
    if (item === undefined) throw new StoreUnavailableError(`account ${account} is not stored`, false);
    return this.see(account, item, now);
  }

  /** Remembers a whole account item. */
  see(account: string, item: Item, now: number): AccountView {
    const planName = typeof item.plan === 'string' ? item.plan : this.#settings.defaultPlan;
    const view = { planName, plan: this.#plan(account, planName), balanceCu: balanceOf(item), seenAt: now };
    this.#views.set(account, view);
    return view;
  }

  #plan(account: string, planName: string): PlanSettings {
    const { plans, defaultPlan } = this.#settings;
    const plan = Object.hasOwn(plans, planName) ? plans[planName] : undefined;
    if (plan !== undefined) return plan;
    if (this.#views.get(account)?.planName !== planName) log('warn', 'plan_unknown', { account });
    const fallback = plans[defaultPlan];
    if (fallback === undefined) throw new Error(`default plan ${defaultPlan} is not among the plans`);
    return fallback;
  }
}

/** Whether a view is recent enough to refuse a request by its plan without another read. */
export function isRecent(view: AccountView, now: number): boolean {
  const age = now - view.seenAt;
  return age >= 0 && age < VIEW_MAX_AGE_MS;
}

/** Granted minus charged, in compute units. */
export function balanceOf(item: Item): bigint {
  return counter(item, 'granted') - counter(item, 'charged');
}

function counter(item: Item, attribute: 'granted' | 'charged'): bigint {
  const value = item[attribute];
  return typeof value === 'bigint' ? value : 0n;
}
