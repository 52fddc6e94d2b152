import type { PlanLimits } from '../shared/runtime/settings.ts';
import { type Bucket, decide, drawOf, limitStates } from './bucket/bucket.ts';
import type { Price, Refusal } from './contract/metering.ts';

/** Why a price cannot be drawn from a bucket at a time (milliseconds since the epoch); undefined if it can. */
export function refuse(plan: PlanLimits, price: Price, bucket: Bucket, nowMs: number): Refusal | undefined {
  if (price.cu > plan.bucketCapacity) {
    return { reason: 'cost_exceeds_burst', cost: price.cu, capacity: plan.bucketCapacity };
  }
  const decision = decide(bucket, drawOf(plan, { cu: price.cu, requests: 1 }, nowMs));
  return decision.fits ? undefined : rateLimited(decision, plan, bucket, nowMs);
}

/** A refusal by a limit, with the limits as they stand. */
export function rateLimited(
  { limit, retryAfterMs }: { readonly limit: 'cu' | 'rps'; readonly retryAfterMs: number },
  plan: PlanLimits,
  bucket: Bucket,
  nowMs: number,
): Refusal {
  return { reason: 'rate_limited', limit, retryAfterMs, limits: limitStates(plan, bucket, nowMs) };
}
