import { createHash } from 'node:crypto';
import { unknownAccount } from '../access/accounts/account-id.ts';
import { readAccountItem } from '../access/accounts/account-item.ts';
import { shardQuery } from '../access/accounts/read-lanes.ts';
import { hourLane } from '../access/charge/lane.ts';
import { ALL, decodeUsage, usageCu } from '../access/charge/usage-text.ts';
import type { MethodUsage } from '../access/contract/metering.ts';
import { amountOf, textOf } from '../access/store/item-values.ts';
import { queryItems } from '../access/store/query-items.ts';
import type { Item, Store } from '../access/store/store.ts';

const STATE = ['account_shard', 'hour_lane', 'n', 'total'];
/** A sort key with it at its end is the first one behind that. */
const JUST_BEHIND = '\u0000';

/** What one lane has come to. */
interface ListedLane {
  readonly shard: number;
  readonly name: string;
  /** Charges in it. */
  readonly n: number;
  /** Compute units. */
  readonly total: bigint;
}

/** Which lanes of an hour are read. */
interface LaneWindow {
  readonly account: string;
  readonly hour: string;
  readonly fromShard: number;
  /** Lane of that shard behind which the first one is. @default the first one of it */
  readonly after?: string | undefined;
  /** May be of a moment ago. @default true */
  readonly eventual?: boolean;
}

/**
 * The lanes of one hour by shard and name, by reads of `perPage` lanes. Throws {@link InputError} if
 * there is no such account. Rejects with `StoreUnavailableError`.
 */
export async function* hourLanes(
  store: Store,
  { account, hour, fromShard, after, eventual = true }: LaneWindow,
  perPage: number,
): AsyncGenerator<ListedLane> {
  const stored = await store.get('accounts', { account }, { eventual: true });
  if (stored === undefined) throw unknownAccount(account);
  const { shards } = readAccountItem(stored);
  for (let shard = fromShard; shard < shards; shard += 1) {
    const isBehind = after !== undefined && shard === fromShard;
    const fromHour = isBehind ? hourLane(hour, after) + JUST_BEHIND : hour;
    const query = shardQuery({ account, fromHour, toHour: hour, eventual }, shard);
    for await (const item of queryItems({ store }, { ...query, attributes: STATE, limit: perPage })) {
      const name = textOf(item, 'hour_lane').slice(hourLane(hour, '').length);
      yield { shard, name, n: Number(amountOf(item, 'n')), total: amountOf(item, 'total') };
    }
  }
}

/** SHA-256, in hex, over what each lane has come to: the same lanes with the same totals have the same digest. */
export function laneDigest(lanes: readonly Item[]): string {
  const lines = lanes.map((lane) =>
    digestLine(String(lane.account_shard), String(lane.hour_lane), amountOf(lane, 'total')),
  );
  return digestOf(lines);
}

/** The digest of some lines. */
export function digestOf(lines: readonly string[]): string {
  return createHash('sha256')
    .update([...lines].sort().join(''))
    .digest('hex');
}

/** What the digest says of one lane; the lines are in the order of their texts. */
export function digestLine(shard: string, hourLaneKey: string, total: bigint | number): string {
  return `${shard} ${hourLaneKey} ${total}\n`;
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
