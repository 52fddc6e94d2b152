import type { HourLanes } from '../../lambdas/access/accounts/read-lanes.ts';
import { laneDigest, laneUsage } from '../../lambdas/settlement/hour-lanes.ts';
import type { HourSum } from '../../lambdas/settlement/hour-sum.ts';

/** What lanes of an hour come to, as settlement sums them up, for tests that make no leaves. */
export function hourSum({ hour, cu, lanes }: HourLanes): HourSum {
  return { hour, cu, lanes: lanes.length, digest: () => laneDigest(lanes), usage: () => laneUsage(lanes) };
}
