import { type Clock, isWithin } from '../shared/runtime/clock.ts';
import { errorField } from '../shared/runtime/log.ts';
import type { RandomBytes } from '../shared/runtime/random-bytes.ts';
import type { StageSettings } from '../shared/runtime/settings.ts';
import type { Sleep } from '../shared/runtime/sleep.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import { type AccountView, AccountViews, balanceStateOf, estimateBalance } from './accounts/account-view.ts';
import { AGES, type Asking, askBalance } from './accounts/ask-balance.ts';
import {
  type Bucket,
  decide,
  drawOf,
  type KeyLimits,
  type KeyPlan,
  limitStates,
  planOfKey,
} from './bucket/bucket.ts';
import { BucketMemory, type Refused } from './bucket/draw-bucket.ts';
import { DrawAhead, type DrawnRequest, KeyDraws } from './bucket/key-draws.ts';
import { type ChargeQueue, Charges } from './charge/charge.ts';
import type { Entry } from './contract/key-bounds.ts';
import type {
  Admission,
  Charge,
  KeyHolder,
  Meter,
  MeterRefusal,
  MethodUsage,
  Price,
} from './contract/metering.ts';
import type { RefusalReason, RefusalStore } from './contract/refusals.ts';
import { API_KEY_PATTERN, KeyCache, keyIdOf, refusedEntry } from './keys/api-key.ts';
import { Refusals } from './keys/refusals.ts';
import { isStoreUnavailable, type Store, StoreUnavailableError } from './store/store.ts';

const NO_ENTRY: Entry = { api: undefined, address: undefined };

/** What a meter is made of. */
interface MeterOptions {
  readonly store: Store;
  readonly queue: ChargeQueue;
  readonly settings: Pick<StageSettings, 'plans' | 'defaultPlan' | 'metering'>;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly pause: Sleep;
  readonly telemetry: Telemetry;
  /** Where owners read what the bounds of their keys refused. @default nowhere */
  readonly refusals?: RefusalStore;
  /** Lanes of an account that are read directly. @default NARROW_LANES */
  readonly narrowLanes?: number;
  /** Starts a run of the function that keeps balance views. @default the next one is soon enough */
  readonly startBalances?: () => Promise<void>;
}

/** The meter of one process, which can hand over and store what it has not stored. */
export interface ProcessMeter extends Meter {
  /** Hands all charges that are not stored to the queue, before the process ends. Never rejects. */
  handOver(): Promise<void>;
  /** Stores all charges that were held back for their time. Never rejects. */
  storeAllDue(): Promise<void>;
}

/** The meter of one instance. What it remembers only saves store requests: any number of instances share one store. */
export function createMeter(options: MeterOptions): ProcessMeter {
  const { store, clock, settings, telemetry } = options;
  const buckets = new BucketMemory();
  const charges = new Charges({ ...options, metering: settings.metering });
  const accounts = new AccountViews(options, (account) => charges.heldCu(account));
  const keys = new KeyCache(store, clock, buckets);
  const ahead = new DrawAhead();
  const confirm = keys.confirm.bind(keys);
  const draws = new KeyDraws({ ...options, buckets, ahead, confirm });
  const admitting = { ...options, accounts, buckets, ahead, draws };
  /** Made with the first refusal: most processes have none. */
  let refusals: Refusals | undefined;
  const noteRefusal: Meter['noteRefusal'] = (holder, reason) => {
    refusals ??= new Refusals(options);
    refusals.note(holder, reason, holder.address);
  };
  const parts = { admitting, keys, accounts, charges, noteRefusal, clock, telemetry };
  return {
    authenticate: (presentedKey, entry) => authenticate(parts, presentedKey, entry),
    isActive: (holder) => isActive(parts, holder),
    expectsAdmission: (holder, price) => expectsAdmission(admitting, holder, price),
    usedUpBalance: (holder) => usedUpOrUnknown(parts, holder),
    admit: (holder, price) => admitOrUnavailable(parts, holder, price),
    charge: (holder, cu, usage, hour) => chargeOrLose(parts, holder, { cu, usage, hour }),
    noteRefusal,
    storeDue: async () => {
      await Promise.all([charges.storeDue(), refusals?.storeDue()]);
    },
    storeAllDue: async () => {
      await Promise.all([charges.storeDue(Number.POSITIVE_INFINITY), refusals?.storeDue()]);
    },
    handOver: async () => {
      await Promise.all([charges.handOver(), refusals?.handOver()]);
    },
  };
}

/**
 * A malformed key is looked up like any other, though it cannot be found: the responses to malformed, unknown and disabled
 * keys then take equally long, and those to keys that are bound to something else.
 */
async function authenticate(
  { keys, noteRefusal, clock }: MeterParts,
  presentedKey: string | undefined,
  entry: Entry = NO_ENTRY,
): Promise<KeyHolder | undefined> {
  if (presentedKey === undefined) return undefined;
  let refused: { readonly holder: KeyHolder; readonly reason: RefusalReason } | undefined;
  const mayUse = (of: KeyHolder) => {
    const reason = of.bounds && refusedEntry(of.bounds, entry, clock.now());
    refused = reason && { holder: of, reason };
    return refused === undefined;
  };
  const holder = await keys.lookUp(keyIdOf(presentedKey), mayUse);
  if (!API_KEY_PATTERN.test(presentedKey)) return undefined;
  if (holder === undefined && refused !== undefined)
    noteRefusal({ ...refused.holder, address: entry.address }, refused.reason);
  return holder;
}

/** What a meter has. */
interface MeterParts {
  readonly admitting: Admitting;
  readonly keys: KeyCache;
  readonly accounts: AccountViews;
  readonly charges: Charges;
  readonly noteRefusal: Meter['noteRefusal'];
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** While the store does not say, a key that was active still is. */
async function isActive({ keys, telemetry }: MeterParts, holder: KeyHolder): Promise<boolean> {
  try {
    return (await keys.lookUpAnew(holder.keyId)) !== undefined;
  } catch (error) {
    logFailure(telemetry, 'key_not_confirmed', holder, error);
    return true;
  }
}

/** A store that is away changes no response. */
async function usedUpOrUnknown(
  { admitting, telemetry }: MeterParts,
  holder: KeyHolder,
): Promise<bigint | undefined> {
  try {
    return await usedUpBalance(admitting, holder.account);
  } catch (error) {
    logFailure(telemetry, 'balance_not_read', holder, error);
    return undefined;
  }
}

async function admitOrUnavailable(
  { admitting, keys, noteRefusal, telemetry }: MeterParts,
  holder: KeyHolder,
  price: Price,
): Promise<Admission> {
  try {
    const admission = await admit(admitting, holder, price);
    if (admission.admitted) return admission;
    const { reason } = admission.refusal;
    if (reason === 'key_unknown') keys.markInactive(holder.keyId);
    if (reason === 'key_daily_limit') noteRefusal(holder, 'day');
    return admission;
  } catch (error) {
    logFailure(telemetry, 'admission_failed', holder, error);
    return { admitted: false, refusal: { reason: 'billing_unavailable' } };
  }
}

/** A charge that fails by a defect is lost: its response is on its way. */
function chargeOrLose(
  { accounts, charges, telemetry }: MeterParts,
  holder: KeyHolder,
  {
    cu,
    usage,
    hour,
  }: { readonly cu: number; readonly usage: readonly MethodUsage[]; readonly hour: string | undefined },
): Charge {
  const lost = (error: unknown) => {
    logFailure(telemetry, 'charge_lost', holder, error);
    return 'unstored' as const;
  };
  try {
    accounts.noteCharge(holder.account, cu);
    const { lane, store } = charges.charge(accounts.chargedAccount(holder.account), cu, usage, hour);
    return { lane, store: () => store().catch(lost) };
  } catch (error) {
    const outcome = lost(error);
    return { lane: undefined, store: async () => outcome };
  }
}

/** An unavailable store is expected to happen; anything else is a defect. */
function logFailure({ log }: Telemetry, event: string, holder: KeyHolder, error: unknown): void {
  const level = error instanceof StoreUnavailableError ? 'warn' : 'error';
  log(level, event, { account: holder.account, error: errorField(error) });
}

/** Age of a view from which on it is read again beside an admission, in milliseconds. */
const VIEW_MAX_AGE_MS = 10_000;
/** Age up to which the item of a balance view will do then: it is refreshed every ten seconds, too. In milliseconds. */
const SHARED_ITEM_MAX_AGE_MS = 20_000;
/** Age up to which a plan may refuse, in milliseconds. */
const RECENT_MS = 1_000;

/** What admission works on. */
interface Admitting extends Asking {
  readonly clock: Clock;
  readonly buckets: BucketMemory;
  readonly draws: KeyDraws;
  readonly accounts: AccountViews;
  readonly ahead: DrawAhead;
}

/**
 * Checks balance and limits and deducts the price from the key's bucket. The time is taken once, on arrival.
 *
 * - The account certainly has a balance: only the bucket is asked, or what was drawn from it ahead. The account is read
 *   again beside that when the view has aged.
 * - It may be near its end: it is read, at most once a second.
 * - What the remembered bucket does not fit is refused without the store, by a view of the plan of at most a second.
 *
 * Rejects with `StoreUnavailableError`.
 */
async function admit(parts: Admitting, holder: KeyHolder, price: Price): Promise<Admission> {
  const now = parts.clock.now();
  const known = parts.accounts.recall(holder.account);
  const request = { holder, price, now };
  if (known !== undefined && isCertain(known, now)) return admitCertain(parts, request, known);
  const { view, standing } = await askBalance(parts, holder.account);
  if (standing === 'used_up') return insufficientBalance(view);
  if (standing === 'certain') return admitCertain(parts, request, view);
  // Balance first, so that a refusal for balance drains no bucket.
  const plan = planOfKey(view.plan, holder.bounds);
  const refusal = refuse(plan, price, parts.buckets.recall(holder.keyId), now);
  if (refusal !== undefined) return refused(refusal);
  return conclude(view, plan, await draw(parts, request, plan), now);
}

/**
 * The balance of an account in compute units if it is used up, and undefined otherwise: read as {@link admit} reads it.
 * Rejects with `StoreUnavailableError`.
 */
async function usedUpBalance(parts: Admitting, account: string): Promise<bigint | undefined> {
  const known = parts.accounts.recall(account);
  if (known !== undefined && isCertain(known, parts.clock.now())) return undefined;
  const { view, standing } = await askBalance(parts, account);
  return standing === 'used_up' ? estimateBalance(view) : undefined;
}

/** Whether {@link admit} is expected to admit: nothing that this instance remembers speaks against it. */
function expectsAdmission(parts: Admitting, { keyId, account, bounds }: KeyHolder, price: Price): boolean {
  const now = parts.clock.now();
  const known = parts.accounts.recall(account);
  if (known === undefined || !isCertain(known, now) || !parts.buckets.isTrusted(keyId)) return false;
  const plan = planOfKey(known.plan, bounds);
  return refuse(plan, price, parts.buckets.recall(keyId), now) === undefined;
}

function isCertain(view: AccountView, now: number): boolean {
  return balanceStateOf(view, now, AGES) === 'certain';
}

/** A request that asks to be admitted. */
interface AskedAdmission {
  readonly holder: KeyHolder;
  readonly price: Price;
  /** When it arrived, in milliseconds since the epoch. */
  readonly now: number;
}

async function admitCertain(
  parts: Admitting,
  request: AskedAdmission,
  known: AccountView,
): Promise<Admission> {
  const { price, now } = request;
  const { keyId, account, bounds } = request.holder;
  let view = known;
  let plan = planOfKey(view.plan, bounds);
  if (parts.ahead.take(keyId, plan, price.cu, now)) {
    return admitted(await renewed(parts, view, now), limitStates(plan, parts.buckets.recall(keyId), now));
  }
  if (refuse(plan, price, parts.buckets.recall(keyId), now) !== undefined) {
    if (!isWithin(view.itemSeenAt, now, RECENT_MS)) view = await parts.accounts.readItem(account);
    plan = planOfKey(view.plan, bounds);
    const refusal = refuse(plan, price, parts.buckets.recall(keyId), now);
    if (refusal !== undefined) return refused(refusal);
  }
  const [seen, drawn] = await Promise.all([renewed(parts, view, now), draw(parts, request, plan)]);
  return conclude(seen, plan, drawn, now);
}

/** What has aged is read again; while the store does not answer, a certain view will do. */
async function renewed({ accounts }: Admitting, view: AccountView, now: number): Promise<AccountView> {
  if (isWithin(view.readAt, now, VIEW_MAX_AGE_MS)) return view;
  try {
    const { account } = view.item;
    return await accounts.read(account, { eventual: true, itemMaxAgeMs: SHARED_ITEM_MAX_AGE_MS });
  } catch (error) {
    if (isStoreUnavailable(error)) return view;
    throw error;
  }
}

function draw(
  { draws }: Admitting,
  { holder, price, now }: AskedAdmission,
  plan: KeyPlan,
): Promise<DrawnRequest> {
  return draws.draw(holder.keyId, plan, { cu: price.cu, now });
}

/** Key before balance before limits, as the order of checks demands. `plan`: that was drawn by. */
function conclude(seen: AccountView, plan: KeyPlan, drawn: DrawnRequest, now: number): Admission {
  if (drawn.state === 'inactive') return refused({ reason: 'key_unknown' });
  if (balanceStateOf(seen, now, AGES) === 'used_up') return insufficientBalance(seen);
  if (drawn.state === 'refused') {
    return refused(limited(drawn.decision, plan, drawn.bucket, now));
  }
  return admitted(seen, limitStates(plan, drawn.bucket, now));
}

function admitted(view: AccountView, limits: Extract<Admission, { admitted: true }>['limits']): Admission {
  return { admitted: true, balanceCu: estimateBalance(view), limits };
}

function insufficientBalance(view: AccountView): Admission {
  return refused({ reason: 'insufficient_balance', balanceCu: estimateBalance(view) });
}

function refused(refusal: MeterRefusal): Admission {
  return { admitted: false, refusal };
}

/** Why a price cannot be drawn from a bucket at a time (milliseconds since the epoch); undefined if it can. */
function refuse(plan: KeyLimits, price: Price, bucket: Bucket, nowMs: number): MeterRefusal | undefined {
  if (price.cu > plan.bucketCapacity) {
    return { reason: 'cost_exceeds_burst', cost: price.cu, capacity: plan.bucketCapacity };
  }
  const decision = decide(bucket, drawOf(plan, { cu: price.cu, requests: 1 }, nowMs));
  return decision.fits ? undefined : limited(decision, plan, bucket, nowMs);
}

/** A refusal by a limit, with the limits as they stand. */
function limited(decision: Refused, plan: KeyLimits, bucket: Bucket, nowMs: number): MeterRefusal {
  const limits = limitStates(plan, bucket, nowMs);
  if (decision.limit === 'key-day')
    return { reason: 'key_daily_limit', resetsAtMs: decision.resetsAtMs, limits };
  const { limit, retryAfterMs } = decision;
  return { reason: 'rate_limited', limit, retryAfterMs, limits };
}
