import { hourStartMs } from '../../shared/runtime/hour.ts';
import type { PlanSettings } from '../../shared/runtime/settings.ts';
import type { AccountItem } from './account-item.ts';

const MILLISECONDS_PER_SECOND = 1_000;
/** Age that an eventually consistent reading may have already, in milliseconds. */
const EVENTUAL_LAG_MS = 1_000;
/** Lanes that are read for each admission near the end of a balance; more are read once a second. */
export const NARROW_LANES = 100;

/** The lanes of an account's open hours as they were last read. */
export interface SeenLanes {
  /** Compute units, and number of lanes, of each hour. */
  readonly sums: ReadonlyMap<string, { readonly cu: bigint; readonly lanes: number }>;
  /** When the read began, in milliseconds since the epoch. */
  readonly seenAt: number;
}

/** An account as an instance last saw it. */
export interface AccountView {
  readonly item: AccountItem;
  /** Its plan, or the default plan if the stage no longer has its own. */
  readonly plan: PlanSettings;
  /** When the read of the item began, in milliseconds since the epoch. */
  readonly seenAt: number;
  /** Undefined: they were never read. */
  readonly lanes: SeenLanes | undefined;
  /** Compute units that this instance charged since it read the lanes, or held back then. */
  readonly ownCu: bigint;
}

/** The balance as far as the instance knows, in compute units: an estimate. */
export function estimateBalance(view: AccountView): bigint {
  return balanceSeen(view) - view.ownCu;
}

/**
 * What the account has at the least, in compute units: what it had when its lanes were read, less all that its keys can
 * have been admitted since. Lanes that were never read were empty when the account's oldest open hour began.
 */
export function certainBalance(view: AccountView, nowMs: number): bigint {
  const since = view.lanes?.seenAt ?? hourStartMs(view.item.openFrom);
  return balanceSeen(view) - spendable(view, nowMs - since + EVENTUAL_LAG_MS);
}

/** What the closed hours leave: no account has more. */
export function mostBalance({ item }: Pick<AccountView, 'item'>): bigint {
  return item.granted - item.closed;
}

/** Whether reading an account's lanes for each admission would be too much for their partitions. */
export function isWide({ lanes }: AccountView): boolean {
  if (lanes === undefined) return false;
  let count = 0;
  for (const sum of lanes.sums.values()) count += sum.lanes;
  return count > NARROW_LANES;
}

function balanceSeen(view: AccountView): bigint {
  const { item, lanes } = view;
  let charged = 0n;
  for (const [hour, { cu }] of lanes?.sums ?? []) if (hour >= item.openFrom) charged += cu;
  return mostBalance(view) - charged;
}

/** Most compute units that an account's keys can be admitted within a time: each a full bucket and its refill. */
function spendable({ item, plan }: AccountView, durationMs: number): bigint {
  const perKey =
    plan.bucketCapacity + (plan.refillPerSecond * Math.max(0, durationMs)) / MILLISECONDS_PER_SECOND;
  return BigInt(Math.ceil(item.keys * perKey));
}
