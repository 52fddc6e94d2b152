import { USED_ATTRIBUTE } from './charge-update.ts';
import type { MethodUsage } from './metering.ts';
import { PENDING_USAGE_PREFIX } from './observed-account.ts';
import type { Item, Value } from './store.ts';
import { ALL, decodeUsage, usageCu } from './usage-text.ts';

/** A charge, as the account item before and after it shows. `charged` only rises, so charges of an account tile it. */
export interface AccountCharge {
  /** UTC hour that was charged, such as `2026-11-20T23`. */
  readonly hour: string;
  /** `charged` of the account before and after, in compute units. */
  readonly from: bigint;
  readonly to: bigint;
  /** What it paid for; adds up to `to - from`. */
  readonly usage: readonly MethodUsage[];
}

/**
 * The charge that made one item out of the other; undefined if the change was none. The hour is the one whose counter
 * grew with `charged`. A text that does not add up to the charge is not believed: it may be an earlier charge's, left
 * by a writer that sets none.
 */
export function readCharge(before: Item | undefined, after: Item | undefined): AccountCharge | undefined {
  if (before === undefined || after === undefined) return undefined;
  const [from, to] = [amount(before.charged), amount(after.charged)];
  if (to <= from) return undefined;
  const counter = Object.keys(after).find(
    (name) =>
      name.startsWith(PENDING_USAGE_PREFIX) && amount(after[name]) - amount(before[name]) === to - from,
  );
  if (counter === undefined) return undefined;
  const used = after[USED_ATTRIBUTE];
  const usage = typeof used === 'string' ? decodeUsage(used) : undefined;
  return {
    hour: counter.slice(PENDING_USAGE_PREFIX.length),
    from,
    to,
    usage: usage !== undefined && BigInt(usageCu(usage)) === to - from ? usage : [unattributed(to - from)],
  };
}

/** Compute units of which only the account and the hour are known. */
export function unattributed(cu: bigint): MethodUsage {
  return { chain: ALL, method: ALL, calls: 0, cu: Number(cu), cached: 0, errors: 0 };
}

function amount(value: Value | undefined): bigint {
  return typeof value === 'bigint' ? value : 0n;
}
