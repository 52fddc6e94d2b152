import { createHash } from 'node:crypto';
import type { HourLanes } from '../../lambdas/access/accounts/read-lanes.ts';
import type { Item } from '../../lambdas/access/store/store.ts';
import { type HourLeaves, laneUsage } from '../../lambdas/settlement/hour-leaves.ts';

/** What lanes of an hour come to, as settlement sums them up, for tests that make no leaves. */
export function hourSum({ hour, cu, lanes }: HourLanes): HourLeaves {
  return {
    hour,
    cu,
    lanes: lanes.length,
    digest: () => laneDigest(lanes),
    usage: () => laneUsage(lanes),
    root: () => '',
    bytes: () => [],
  };
}

/** The digest of lanes as they are stored. */
export function laneDigest(lanes: readonly Item[]): string {
  const lines = lanes.map(
    ({ account_shard, hour_lane, total }) => `${account_shard} ${hour_lane} ${total}\n`,
  );
  return createHash('sha256').update(lines.sort().join('')).digest('hex');
}
