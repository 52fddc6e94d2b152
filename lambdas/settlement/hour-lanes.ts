import { createHash } from 'node:crypto';
import { ALL, decodeUsage, usageCu } from '../access/charge/usage-text.ts';
import type { MethodUsage } from '../access/contract/metering.ts';
import { amountOf } from '../access/store/item-values.ts';
import type { Item } from '../access/store/store.ts';

/** SHA-256, in hex, over what each lane has come to: the same lanes with the same totals have the same digest. */
export function laneDigest(lanes: readonly Item[]): string {
  const lines = lanes.map((lane) => `${lane.account_shard} ${lane.hour_lane} ${amountOf(lane, 'total')}\n`);
  return createHash('sha256').update(lines.sort().join('')).digest('hex');
}

/** What the lanes were charged for; it adds up to their totals. */
export function laneUsage(lanes: readonly Item[]): MethodUsage[] {
  return lanes.flatMap((lane) => {
    const cu = Number(amountOf(lane, 'total'));
    const usage = decodeUsage(String(lane.used ?? ''));
    if (usage !== undefined && usageCu(usage) === cu) return usage;
    return [{ chain: ALL, method: ALL, calls: 0, cu, cached: 0, errors: 0 }];
  });
}
