import { MAX_SHARDS } from '../../lambdas/access/store/tables.ts';
import { WEIGHTS } from '../../lambdas/shared/methods/method-facts.ts';
import { DEFAULT_WEIGHT } from '../../lambdas/shared/methods/method-table.ts';
import type { PlanSettings } from '../../lambdas/shared/runtime/settings.ts';

/** Writes of up to a kibibyte that DynamoDB takes for one partition key in a second, whatever the table has. */
const WRITES_PER_SECOND = 1_000;
/** Writes that a new on-demand table takes in a second, over all its items. */
export const TABLE_START_WRITES_PER_SECOND = 4_000;
/** Share of writes that plans may sell: two of ten are left for retries, and for requests that come in bursts. */
const SHARE_SOLD = 0.8;
/** Requests per second that one key can be sold without drawing ahead: each is a draw, a write to the key's item. */
const MAX_REQUESTS_PER_KEY = WRITES_PER_SECOND * SHARE_SOLD;
/** Requests per second that can be sold for each shard of an account: each is a charge, a write to one of its lanes. */
const MAX_REQUESTS_PER_SHARD = WRITES_PER_SECOND * SHARE_SOLD;
/** Requests per second for which a plan that names no number of shards gets one: half of what a shard takes. */
const REQUESTS_PER_DEFAULT_SHARD = 500;

const CHEAPEST_CALL_CU = Math.min(DEFAULT_WEIGHT, ...WEIGHTS.map(([, cu]) => cu));

/** Rates that a plan allows a key. */
type SoldRates = Pick<PlanSettings, 'refillPerSecond' | 'requestsPerSecond'>;

/** The same, and how it is written. A plan that does not say does not draw ahead. */
type SoldPlan = SoldRates & { readonly shards: number; readonly drawAhead?: boolean | undefined };

/** Shards of the accounts of a plan that names no number: enough for one key that uses all that the plan sells. */
export function defaultShards(plan: SoldRates): number {
  const shards = Math.ceil(soldRequestsPerSecond(plan) / REQUESTS_PER_DEFAULT_SHARD);
  return Math.min(Math.max(shards, 1), MAX_SHARDS);
}

/** Warnings about plans that let one key send more, continuously, than its items can be written. */
export function planWarnings(plans: Readonly<Record<string, SoldPlan>>): string[] {
  return Object.entries(plans).flatMap(([name, plan]) => {
    const sold = soldRequestsPerSecond(plan);
    const sells = `plan ${name} sells ${sold} requests/s of the cheapest call`;
    const charged = plan.shards * MAX_REQUESTS_PER_SHARD;
    return [
      ...(sold > MAX_REQUESTS_PER_KEY && plan.drawAhead !== true
        ? [
            `${sells}, but one key's bucket takes ${MAX_REQUESTS_PER_KEY} draws/s: requests beyond that are answered ` +
              'late or with 503; drawAhead lifts the limit (docs/metering.md)',
          ]
        : []),
      ...(sold > charged
        ? [
            `${sells}, but its ${plan.shards} shards store ${charged} charges/s: charges beyond that are stored late, by ` +
              'the charge queue; give the plan more shards (docs/metering.md)',
          ]
        : []),
    ];
  });
}

/**
 * Warnings about plans that let one key send more at once than the tables of keys and lanes take, which have a write of
 * each request. Unlike the limits of an item, a table's grow with its traffic, in minutes.
 */
export function tableWarnings(
  plans: Readonly<Record<string, SoldRates>>,
  writesPerSecond = TABLE_START_WRITES_PER_SECOND,
): string[] {
  return Object.entries(plans).flatMap(([name, plan]) => {
    const sold = soldRequestsPerSecond(plan);
    if (sold <= writesPerSecond) return [];
    return [
      `plan ${name} sells ${sold} requests/s of the cheapest call, but the tables of keys and lanes begin with ` +
        `${writesPerSecond} writes/s: a sudden load beyond that is answered with 503 or charged late; ` +
        'set tables.warmWritesPerSecond (docs/deploy.md)',
    ];
  });
}

/** Requests per second that a plan lets one key send for as long as it likes, each of one call of the cheapest kind. */
function soldRequestsPerSecond({ refillPerSecond, requestsPerSecond }: SoldRates): number {
  const refilled = refillPerSecond / CHEAPEST_CALL_CU;
  return requestsPerSecond === undefined ? refilled : Math.min(refilled, requestsPerSecond);
}
