import { type Bucket, decide, drawOf, limitStates } from './bucket/bucket.ts';
import type { Refused } from './bucket/draw-bucket.ts';
import type { KeyLimits } from './bucket/key-limits.ts';
import type { MeterRefusal, Price } from './contract/metering.ts';

/** Why a price cannot be drawn from a bucket at a time (milliseconds since the epoch); undefined if it can. */
export function refuse(
  plan: KeyLimits,
  price: Price,
  bucket: Bucket,
  nowMs: number,
): MeterRefusal | undefined {
  if (price.cu > plan.bucketCapacity) {
    return { reason: 'cost_exceeds_burst', cost: price.cu, capacity: plan.bucketCapacity };
  }
  const decision = decide(bucket, drawOf(plan, { cu: price.cu, requests: 1 }, nowMs));
  return decision.fits ? undefined : limited(decision, plan, bucket, nowMs);
}

/** A refusal by a limit, with the limits as they stand. */
export function limited(decision: Refused, plan: KeyLimits, bucket: Bucket, nowMs: number): MeterRefusal {
  const limits = limitStates(plan, bucket, nowMs);
  if (decision.limit === 'key-day')
    return { reason: 'key_daily_limit', resetsAtMs: decision.resetsAtMs, limits };
  const { limit, retryAfterMs } = decision;
  return { reason: 'rate_limited', limit, retryAfterMs, limits };
}
