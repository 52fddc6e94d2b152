import { METHODS, PREFIXES } from '../../shared/methods/method-table.ts';
import type { PlanLimits, PlanSettings } from '../../shared/runtime/settings.ts';
import type { KeyBounds } from '../contract/key-bounds.ts';
import type { LimitState } from '../contract/metering.ts';

/** Compute units of the dearest call: every bucket has room for one, however slowly it refills. */
const DEAREST_CALL_CU = [...METHODS, ...PREFIXES].reduce((most, { cu = 0 }) => Math.max(most, cu), 0);

/** The limits of one key. */
export interface KeyLimits extends PlanLimits {
  /** Compute units that it may draw in a day of UTC; absent: any number. */
  readonly cuPerDay?: number;
}

/** The plan of an account as it is for one of its keys. */
export type KeyPlan = PlanSettings & KeyLimits;

/** Plans that bounds have lowered, so that a key has one and the same object while neither changes. */
const lowered = new WeakMap<KeyBounds, { readonly from: PlanSettings; readonly to: KeyPlan }>();

/**
 * A plan, lowered to the bounds of a key: with its `cu_per_second` the bucket refills no faster, and holds what flows back
 * in as many seconds as by the plan, but at least the dearest call, and never more than by the plan.
 */
export function planOfKey(plan: PlanSettings, bounds: KeyBounds | undefined): KeyPlan {
  if (bounds?.cu_per_second === undefined && bounds?.cu_per_day === undefined) return plan;
  const known = lowered.get(bounds);
  if (known?.from === plan) return known.to;
  const to = lower(plan, bounds);
  lowered.set(bounds, { from: plan, to });
  return to;
}

function lower(plan: PlanSettings, { cu_per_second: perSecond, cu_per_day: cuPerDay }: KeyBounds): KeyPlan {
  const day = cuPerDay === undefined ? {} : { cuPerDay };
  const { bucketCapacity, refillPerSecond } = plan;
  if (perSecond === undefined || perSecond >= refillPerSecond) return { ...plan, ...day };
  const share = Math.ceil((bucketCapacity * perSecond) / refillPerSecond);
  return {
    ...plan,
    ...day,
    refillPerSecond: perSecond,
    bucketCapacity: Math.min(bucketCapacity, Math.max(share, DEAREST_CALL_CU)),
  };
}

/** `RateLimit-Policy` and `RateLimit` of the IETF draft, such as `"cu";q=5000;w=10` and `"cu";r=4210;t=1`. */
export function rateLimitHeaders(limits: readonly LimitState[]): Record<string, string> {
  if (limits.length === 0) return {};
  return {
    'RateLimit-Policy': limits
      .map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`)
      .join(', '),
    RateLimit: limits
      .map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
  };
}

/** Value of `Retry-After`: whole seconds, at least 1, because clients ignore 0 and fractions. */
export function retryAfterSeconds(retryAfterMs: number): number {
  return Math.max(1, Math.ceil(retryAfterMs / 1_000));
}
