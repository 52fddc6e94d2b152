import { DEFAULT_WEIGHT, WEIGHTS } from '../lambdas/rpc/method-table.ts';
import type { PlanSettings } from '../lambdas/settings.ts';

/** Write units that DynamoDB gives one item in a second, whatever the table has. */
const ITEM_WRITE_UNITS_PER_SECOND = 1_000;
/**
 * Write units of a charge to the busiest account: an item of 3 KB, with 118 lanes. At 120 ms a request, 300 requests/s
 * keep 36 instances busy; if each lives for an hour, settlement leaves 115 lanes on the item at the most.
 */
const CHARGE_WRITE_UNITS = 3;
/** Of every ten charges that an item can take, one is left for retries, the queue and settlement. */
const SHARE_SOLD = 0.9;
/**
 * Most requests per second that a plan can sell and an account keep up with: each is a charge to one account item, and a draw from one key item,
 * which takes three times as many.
 */
export const MAX_SOLD_REQUESTS_PER_SECOND = (ITEM_WRITE_UNITS_PER_SECOND / CHARGE_WRITE_UNITS) * SHARE_SOLD;

const CHEAPEST_CALL_CU = Math.min(DEFAULT_WEIGHT, ...WEIGHTS.map(([, cu]) => cu));

/** What to say of plans that let an account send more, for as long as it likes, than its item can be charged for. */
export function planWarnings(plans: Readonly<Record<string, PlanSettings>>): string[] {
  return Object.entries(plans).flatMap(([name, plan]) => {
    const sold = soldRequestsPerSecond(plan);
    if (sold <= MAX_SOLD_REQUESTS_PER_SECOND) return [];
    return [
      `plan ${name} sells ${sold} requests/s of the cheapest call, and one account can be charged for ` +
        `${MAX_SOLD_REQUESTS_PER_SECOND}: what is beyond is answered late or with 503 (docs/metering.md)`,
    ];
  });
}

/** Requests per second that a plan lets one key send for as long as it likes, each of one call of the cheapest kind. */
function soldRequestsPerSecond({ refillPerSecond, requestsPerSecond }: PlanSettings): number {
  const refilled = refillPerSecond / CHEAPEST_CALL_CU;
  return requestsPerSecond === undefined ? refilled : Math.min(refilled, requestsPerSecond);
}
