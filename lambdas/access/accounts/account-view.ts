import { type Clock, hourStartMs, isWithin } from '../../shared/runtime/clock.ts';
import { LruMap } from '../../shared/runtime/expiring-memory.ts';
import { errorField } from '../../shared/runtime/log.ts';
import { type PlanSettings, planNamed, type StageSettings } from '../../shared/runtime/settings.ts';
import type { Telemetry } from '../../shared/runtime/telemetry.ts';
import { isStoreUnavailable, type ReadOptions, type Store, StoreUnavailableError } from '../store/store.ts';
import { type AccountItem, readAccountItem } from './account-item.ts';
import { type BalanceView, readBalanceView } from './balance-view.ts';
import { NARROW_LANES, readFewLanes, wantBalanceView } from './read-lanes.ts';
import { type SeenLanes, sumSeenLanes } from './seen-lanes.ts';

const MILLISECONDS_PER_SECOND = 1_000;
/** Age that a reading may have already: of one that is eventually consistent, or by another clock. In milliseconds. */
const READING_LAG_MS = 1_000;
const CLOCK_SPREAD_MS = 5_000;
/** Time for which a disabled key counts on: clocks, and what was drawn ahead for it. In milliseconds. */
const DISABLED_COUNTS_MS = CLOCK_SPREAD_MS + 2_000;

/** An account as an instance last saw it. */
export interface AccountView {
  readonly item: AccountItem;
  /** Its plan, or the default plan if the stage no longer has its own. */
  readonly plan: PlanSettings;
  /** When the read of the item began, in milliseconds since the epoch. */
  readonly itemSeenAt: number;
  /** Undefined: they were never read. */
  readonly lanes: SeenLanes | undefined;
  /** Compute units of the lanes from the item's open hour on, and since when it is unknown what has been added. */
  readonly charged: { readonly cu: bigint; readonly seenAt: number };
  /** Whether the account has too many lanes for every instance to read them: its balance view is read instead. */
  readonly isWide: boolean;
  /** When this instance last read of it, by its own clock. */
  readonly readAt: number;
  /** Compute units that this instance charged since then, and those that it held back then. No decision rests on them. */
  readonly ownCu: bigint;
  readonly heldCu: bigint;
}

/** Readings of one account, of one moment or of several. */
type Readings = Omit<AccountView, 'charged'>;

/** A view of these readings. An hour that is open by the item and was not read of counts as unseen. */
export function viewOf(readings: Readings, nowMs: number): AccountView {
  const { item, lanes } = readings;
  const charged =
    lanes === undefined
      ? { cu: 0n, seenAt: hourStartMs(item.openFrom) }
      : sumSeenLanes(lanes, item.openFrom, nowMs);
  return { ...readings, charged };
}

/** The balance as far as the instance knows, in compute units: an estimate, for its clients. */
export function estimateBalance(view: AccountView): bigint {
  return seenBalance(view) - view.ownCu - view.heldCu;
}

/** The most that the account can have, in compute units: lanes only rise. Of the time at which its item was read. */
export function seenBalance({ item, charged }: Pick<AccountView, 'item' | 'charged'>): bigint {
  return item.granted - item.debited - item.closed - charged.cu;
}

/** How old readings may be that decide, in milliseconds. */
export interface ReadingAges {
  /** The item's, where the balance is certain. */
  readonly certain: number;
  /** The lanes', where the account may be at its end and is admitted. */
  readonly admit: number;
  /** The item's, where it is refused: lanes of any age say that as much is used up. */
  readonly refuse: number;
}

/**
 * What readings say of a balance.
 *
 * - `certain`: it has one, whatever was charged since the lanes were read.
 * - `positive`: it had one when they were read, which is recent enough.
 * - `used_up`: it has none, unless it was credited since the item was read, which is recent enough.
 * - `unknown`: they are too old.
 */
export type BalanceState = 'certain' | 'positive' | 'used_up' | 'unknown';

/** Decides on a balance by the sums of its readings and their times, whatever they were read from. */
export function balanceStateOf(view: AccountView, nowMs: number, ages: ReadingAges): BalanceState {
  const isCertain = isYoung(view.itemSeenAt, nowMs, ages.certain) && certainBalance(view, nowMs) > 0n;
  if (isCertain) return 'certain';
  if (seenBalance(view) <= 0n) return isYoung(view.itemSeenAt, nowMs, ages.refuse) ? 'used_up' : 'unknown';
  return isYoung(view.charged.seenAt, nowMs, ages.admit) ? 'positive' : 'unknown';
}

/**
 * What the account has at the least, in compute units: what it had when its lanes were read, less all that its keys can
 * have been admitted since. Lanes that were never read were empty when the account's oldest open hour began.
 */
function certainBalance(view: AccountView, nowMs: number): bigint {
  const { seenAt } = view.charged;
  const lagMs = READING_LAG_MS + (view.isWide ? CLOCK_SPREAD_MS : 0);
  return seenBalance(view) - spendable(view, seenAt, Math.max(0, nowMs - seenAt) + lagMs);
}

/** Most compute units that an account's keys can be admitted within a time: each a full bucket and its refill. */
export function spendable(
  { item, plan }: Pick<AccountView, 'item' | 'plan'>,
  sinceMs: number,
  durationMs: number,
): bigint {
  const keys = sinceMs < item.disabledAtMs + DISABLED_COUNTS_MS ? item.keys : item.enabledKeys;
  const perKey = plan.bucketCapacity + (plan.refillPerSecond * durationMs) / MILLISECONDS_PER_SECOND;
  return BigInt(Math.ceil(keys * perKey));
}

/** A time of another clock may be ahead of this one's. */
function isYoung(seenAt: number, nowMs: number, maxAgeMs: number): boolean {
  return nowMs - seenAt < maxAgeMs;
}

const REMEMBERED_ACCOUNTS = 10_000;
/** Time for which the lanes of an account are not tried again that were too many, and in which a view is asked for once. */
const TOO_MANY_FOR_MS = 10_000;
/** Age from which on a balance view is asked for again, in milliseconds: nothing seems to refresh it. */
const OLD_VIEW_MS = 30_000;

/** What the views of accounts are read with. */
interface AccountReading {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: Pick<StageSettings, 'plans' | 'defaultPlan'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
  /** Lanes that are read directly. @default NARROW_LANES */
  readonly narrowLanes?: number;
  /** Starts a run of the function that keeps balance views; rejects if it may not have begun. @default the next one is soon enough */
  readonly startBalances?: () => Promise<void>;
}

/** How an account is read. */
interface AccountReadOptions extends ReadOptions {
  /** Age up to which the item of a balance view will do, in milliseconds. */
  readonly itemMaxAgeMs: number;
}

/** The accounts of one instance's requests, as it last saw them. */
export class AccountViews {
  readonly #views = new LruMap<AccountView>(REMEMBERED_ACCOUNTS);
  /** When the lanes of an account were last too many. */
  readonly #tooManyAt = new LruMap<number>(REMEMBERED_ACCOUNTS);
  /** When its balance view was last asked for. */
  readonly #wantedAt = new LruMap<number>(REMEMBERED_ACCOUNTS);
  readonly #reads = new Map<string, Promise<AccountView>>();
  readonly #parts: AccountReading;
  readonly #heldCu: (account: string) => bigint;

  /** `heldCu`: what this instance has charged to an account and not tried to store. */
  constructor(parts: AccountReading, heldCu: (account: string) => bigint) {
    this.#parts = parts;
    this.#heldCu = heldCu;
  }

  recall(account: string): AccountView | undefined {
    return this.#views.get(account);
  }

  /**
   * Reads an account: its balance view if it is wide, else its item and then its lanes. Concurrent reads are one.
   * Rejects with `StoreUnavailableError`, also for an account that is not stored.
   */
  read(account: string, options: AccountReadOptions): Promise<AccountView> {
    const known = this.#reads.get(account);
    if (known !== undefined) return known;
    const read = this.#read(account, options).finally(() => this.#reads.delete(account));
    this.#reads.set(account, read);
    return read;
  }

  /** Reads an account's item alone. Rejects as {@link read} does. */
  async readItem(account: string): Promise<AccountView> {
    const known = this.#views.get(account);
    const itemSeenAt = this.#parts.clock.now();
    const item = await this.#item(account, { eventual: known?.isWide === true });
    return this.#see({ ...(this.#views.get(account) ?? NEVER_READ), item, itemSeenAt });
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
      isMarked: (hour: string) => shards === 1 && (view?.lanes?.hours.get(hour)?.cu ?? 0n) > 0n,
    };
  }

  async #read(account: string, { itemMaxAgeMs, eventual = false }: AccountReadOptions): Promise<AccountView> {
    const { store, clock } = this.#parts;
    const known = this.#views.get(account);
    const readAt = clock.now();
    const shared = known?.isWide === false ? undefined : await this.#balanceView(account, known);
    const isShared = shared?.isWide === true;
    if (isShared && readAt - shared.seenAt < itemMaxAgeMs) {
      return this.#seeLanes({ ...shared, itemSeenAt: shared.seenAt, isWide: true, readAt });
    }
    const item = await this.#item(account, { eventual: eventual || known?.isWide === true });
    const own = { item, itemSeenAt: readAt, readAt };
    if (isShared) {
      if (readAt - shared.seenAt >= OLD_VIEW_MS) await this.#want(account, readAt);
      return this.#seeLanes({ ...own, lanes: shared.lanes, isWide: true });
    }
    if (isWithin(this.#tooManyAt.get(account), readAt, TOO_MANY_FOR_MS)) {
      return this.#seeLanes({ ...own, lanes: known?.lanes, isWide: true });
    }
    const { narrowLanes = NARROW_LANES } = this.#parts;
    const { shards, openFrom: fromHour } = item;
    const range = { account, shards, fromHour, eventual };
    const lanes = await readFewLanes(store, range, { most: narrowLanes, seenAt: clock.now() });
    if (lanes !== undefined) return this.#seeLanes({ ...own, lanes, isWide: false });
    await this.#want(account, readAt);
    this.#tooManyAt.set(account, readAt);
    return this.#seeLanes({ ...own, lanes: known?.lanes, isWide: true });
  }

  /** Asks for the balance view; one of all that ask is enough, and the first starts the function that keeps it. */
  async #want(account: string, nowMs: number): Promise<void> {
    if (isWithin(this.#wantedAt.get(account), nowMs, TOO_MANY_FOR_MS)) return;
    const { store, startBalances, telemetry } = this.#parts;
    try {
      const isFirst = await wantBalanceView(store, account);
      this.#wantedAt.set(account, nowMs);
      if (!isFirst) return;
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error;
      return;
    }
    // The run of the next minute finds it as well.
    await startBalances?.().catch((error: unknown) =>
      telemetry.log('warn', 'balances_not_started', { account, error: errorField(error) }),
    );
  }

  /** An instance that knows nothing of an account continues without the table of balance views. */
  async #balanceView(account: string, known: AccountView | undefined): Promise<BalanceView | undefined> {
    try {
      return await readBalanceView(this.#parts.store, account, { eventual: true });
    } catch (error) {
      if (known === undefined && isStoreUnavailable(error)) return undefined;
      throw error;
    }
  }

  async #item(account: string, options: ReadOptions): Promise<AccountItem> {
    const stored = await this.#parts.store.get('accounts', { account }, options);
    if (stored === undefined) throw new StoreUnavailableError(`account ${account} is not stored`, false);
    return readAccountItem(stored);
  }

  #seeLanes(readings: Omit<Readings, 'plan' | 'ownCu' | 'heldCu'>): AccountView {
    return this.#see({ ...readings, ownCu: 0n, heldCu: this.#heldCu(readings.item.account) });
  }

  #see(readings: Omit<Readings, 'plan'>): AccountView {
    const { account } = readings.item;
    const plan = this.#planOf(readings.item, this.#views.get(account));
    const view = viewOf({ ...readings, plan }, this.#parts.clock.now());
    this.#views.set(account, view);
    return view;
  }

  #planOf({ account, plan }: AccountItem, known: AccountView | undefined): PlanSettings {
    const { settings, telemetry } = this.#parts;
    if (!Object.hasOwn(settings.plans, plan) && known?.item.plan !== plan) {
      telemetry.log('warn', 'plan_unknown', { account });
    }
    return planNamed(settings, plan);
  }
}

const NEVER_READ = {
  lanes: undefined,
  isWide: false,
  readAt: Number.NEGATIVE_INFINITY,
  ownCu: 0n,
  heldCu: 0n,
};
