import type { Clock } from '../shared/runtime/clock.ts';
import { isWithin } from '../shared/runtime/clock.ts';
import { type AccountView, balanceStateOf, estimateBalance } from './accounts/account-view.ts';
import type { AccountViews } from './accounts/account-views.ts';
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
import type { BucketMemory, Refused } from './bucket/draw-bucket.ts';
import type { Admission, KeyHolder, MeterRefusal, Price } from './contract/metering.ts';
import type { DrawAhead, DrawnRequest, KeyDraws } from './key-draws.ts';
import { isStoreUnavailable } from './store/store.ts';

/** Age of a view from which on it is read again beside an admission, in milliseconds. */
const VIEW_MAX_AGE_MS = 10_000;
/** Age up to which the item of a balance view will do then: it is refreshed every ten seconds, too. In milliseconds. */
const SHARED_ITEM_MAX_AGE_MS = 20_000;
/** Age up to which a plan may refuse, in milliseconds. */
const RECENT_MS = 1_000;

/** What admission works on. */
export interface Admitting extends Asking {
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
export async function admit(parts: Admitting, holder: KeyHolder, price: Price): Promise<Admission> {
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
export async function usedUpBalance(parts: Admitting, account: string): Promise<bigint | undefined> {
  const known = parts.accounts.recall(account);
  if (known !== undefined && isCertain(known, parts.clock.now())) return undefined;
  const { view, standing } = await askBalance(parts, account);
  return standing === 'used_up' ? estimateBalance(view) : undefined;
}

/** Whether {@link admit} is expected to admit: nothing that this instance remembers speaks against it. */
export function expectsAdmission(
  parts: Admitting,
  { keyId, account, bounds }: KeyHolder,
  price: Price,
): boolean {
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
