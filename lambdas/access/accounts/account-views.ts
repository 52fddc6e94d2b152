import { LruMap } from '../../shared/runtime/lru-map.ts';
import type { PlanSettings, StageSettings } from '../../shared/runtime/settings.ts';
import type { Telemetry } from '../../shared/runtime/telemetry.ts';
import { type ReadOptions, type Store, StoreUnavailableError } from '../store/store.ts';
import { type AccountItem, readAccountItem } from './account-item.ts';
import type { AccountView } from './account-view.ts';
import { readLanes } from './read-lanes.ts';

const REMEMBERED_ACCOUNTS = 10_000;

/** The accounts of one instance's requests, as it last saw them. */
export class AccountViews {
  readonly #views = new LruMap<AccountView>(REMEMBERED_ACCOUNTS);
  readonly #store: Store;
  readonly #settings: Pick<StageSettings, 'plans' | 'defaultPlan'>;
  readonly #telemetry: Pick<Telemetry, 'log'>;
  readonly #heldCu: (account: string) => bigint;

  /** `heldCu`: what this instance has charged to an account and not tried to store. */
  constructor(
    store: Store,
    settings: Pick<StageSettings, 'plans' | 'defaultPlan'>,
    telemetry: Pick<Telemetry, 'log'>,
    heldCu: (account: string) => bigint,
  ) {
    this.#store = store;
    this.#settings = settings;
    this.#telemetry = telemetry;
    this.#heldCu = heldCu;
  }

  recall(account: string): AccountView | undefined {
    return this.#views.get(account);
  }

  /** Reads an account's item. Rejects with `StoreUnavailableError`, also for an account that is not stored. */
  async readItem(account: string, now: number, options: ReadOptions = {}): Promise<AccountView> {
    const stored = await this.#store.get('accounts', { account }, options);
    if (stored === undefined) throw new StoreUnavailableError(`account ${account} is not stored`, false);
    const item = readAccountItem(stored);
    const known = this.#views.get(account);
    const view = {
      item,
      plan: this.#planOf(item, known),
      seenAt: now,
      lanes: known?.lanes,
      ownCu: known?.ownCu ?? 0n,
    };
    this.#views.set(account, view);
    return view;
  }

  /** Reads the lanes of an account's open hours. Rejects with `StoreUnavailableError`. */
  async readLanes(view: AccountView, now: number, options: ReadOptions = {}): Promise<AccountView> {
    const { account, shards, openFrom } = view.item;
    const range = { account, shards, fromHour: openFrom, totals: true, ...options };
    const hours = await readLanes(this.#store, range);
    const sums = new Map(hours.map(({ hour, cu, lanes }) => [hour, { cu, lanes: lanes.length }]));
    const lanesSeen = { sums, seenAt: now };
    const seen = { ...(this.#views.get(account) ?? view), lanes: lanesSeen, ownCu: this.#heldCu(account) };
    this.#views.set(account, seen);
    return seen;
  }

  /** Notes what this instance charges. */
  noteCharge(account: string, cu: number): void {
    const view = this.#views.get(account);
    if (view !== undefined) this.#views.set(account, { ...view, ownCu: view.ownCu + BigInt(cu) });
  }

  /** Where charges of an account go. One that was never seen has one shard, as every account. */
  chargedAccount(account: string) {
    const view = this.#views.get(account);
    const shards = view?.item.shards ?? 1;
    return {
      account,
      shards,
      // A lane is stored only behind a mark of its hour and shard, so where there is one shard, any lane shows it.
      isMarked: (hour: string) => shards === 1 && view?.lanes?.sums.has(hour) === true,
    };
  }

  #planOf({ account, plan: planName }: AccountItem, known: AccountView | undefined): PlanSettings {
    const { plans, defaultPlan } = this.#settings;
    const plan = Object.hasOwn(plans, planName) ? plans[planName] : undefined;
    if (plan !== undefined) return plan;
    if (known?.item.plan !== planName) this.#telemetry.log('warn', 'plan_unknown', { account });
    const fallback = plans[defaultPlan];
    if (fallback === undefined) throw new Error(`default plan ${defaultPlan} is not among the plans`);
    return fallback;
  }
}
