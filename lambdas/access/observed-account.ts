import type { Item, Value } from './store.ts';

/** Attributes of an account item that hold one hour's usage that is not settled: `h_2026-11-20T23`. */
export const PENDING_USAGE_PREFIX = 'h_';
/** Attributes of an account item that hold the last sequence number of a charge lane: `w_<lane>`. */
export const LANE_PREFIX = 'w_';

/** An account item as it was read at one moment. All amounts are compute units. */
export interface ObservedAccount {
  readonly account: string;
  readonly granted: bigint;
  readonly charged: bigint;
  readonly settled: bigint;
  /** Usage that is not settled, by hour, oldest hour first. */
  readonly pending: ReadonlyMap<string, bigint>;
  /** Last sequence number by charge lane; its thousandth part is a time in milliseconds. */
  readonly lanes: ReadonlyMap<string, bigint>;
  /** Partition of the pending index. */
  readonly pendingShard: bigint | undefined;
  /** Position in the pending index; undefined: not in it. */
  readonly pendingHour: string | undefined;
  /** Charges of hours up to this one are no longer taken. */
  readonly prunedThrough: string | undefined;
}

/** Reads an account item. Throws a TypeError on an attribute of another type than the ones above. */
export function observeAccount(item: Item): ObservedAccount {
  return {
    account: required(text(item.account)),
    granted: amount(item.granted),
    charged: amount(item.charged),
    settled: amount(item.settled),
    pending: amountsByPrefix(item, PENDING_USAGE_PREFIX),
    lanes: amountsByPrefix(item, LANE_PREFIX),
    pendingShard: item.pending_shard === undefined ? undefined : amount(item.pending_shard),
    pendingHour: text(item.pending_hour),
    prunedThrough: text(item.pruned_through),
  };
}

/** The oldest hour with usage that is not settled. */
export function oldestPendingHour(observed: ObservedAccount): string | undefined {
  return observed.pending.keys().next().value;
}

/** Sum of the usage that is not settled. */
export function pendingCu(observed: ObservedAccount): bigint {
  return [...observed.pending.values()].reduce((sum, cu) => sum + cu, 0n);
}

function amountsByPrefix(item: Item, prefix: string): ReadonlyMap<string, bigint> {
  const names = Object.keys(item).filter((name) => name.startsWith(prefix));
  return new Map(names.sort().map((name) => [name.slice(prefix.length), amount(item[name])]));
}

function amount(value: Value | undefined): bigint {
  if (value === undefined) return 0n;
  if (typeof value !== 'bigint') throw new TypeError('an amount of an account item is not a number');
  return value;
}

function text(value: Value | undefined): string | undefined {
  if (typeof value === 'bigint') throw new TypeError('a text of an account item is a number');
  return value;
}

function required(value: string | undefined): string {
  if (value === undefined) throw new TypeError('an account item has no account');
  return value;
}
