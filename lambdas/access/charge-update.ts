import { LANE_PREFIX, PENDING_USAGE_PREFIX } from './observed-account.ts';
import type { Item, Store, Update } from './store.ts';

/** Attribute of an account item that says what its last charge paid for. */
export const USED_ATTRIBUTE = 'used';

/** One charge, complete when it is built: every attempt, from whatever place, carries the same. */
export interface Charge {
  readonly account: string;
  /** Compute units, at least 1. */
  readonly cu: bigint;
  /** UTC hour that the usage belongs to, such as `2026-11-20T23`. */
  readonly hour: string;
  readonly lane: string;
  /** Rises within the lane; its time is not before `hour`. */
  readonly seq: bigint;
  /** What it pays for, as the usage function reads it from the stream of the accounts table. */
  readonly used: string;
}

/** What is certain about a charge. */
export type ChargeVerdict =
  /** Applied, by this attempt or an earlier one; with the account item after it. */
  | { readonly state: 'applied'; readonly item: Item }
  /** Its hour is pruned: it can no longer be told from its own duplicate, so it is never applied from now on. */
  | { readonly state: 'too_late' }
  | { readonly state: 'account_gone' };

/**
 * The update that charges an account.
 *
 *   lane w_<lane>          ---- applied: w >= seq ----          pruned, or not begun: w absent, or w < seq
 *   hour of the charge     ---- at most pruned_through: refused ----|---- later: may be applied ----
 *
 * Invariant: a charge raises `charged` and the counter of its hour together, and at most once. While the lane is
 * there it has the seq of its last charge, so a repeated charge fails the first test. When settlement prunes the
 * lane, it moves `pruned_through` to the hour of that seq or later in the same step; the hour of a charge is never
 * later than that of its seq, so a repeated charge fails the second.
 *
 * `used` is what this charge alone pays for: the next one replaces it, and the stream of the table has both.
 */
function chargeUpdate(charge: Charge): Update {
  const lane = laneAttribute(charge);
  return {
    table: 'accounts',
    key: { account: charge.account },
    when: [
      { is: 'present', attribute: 'account' },
      [
        { is: 'absent', attribute: lane },
        { is: '<', attribute: lane, value: charge.seq },
      ],
      [
        { is: 'absent', attribute: 'pruned_through' },
        { is: '<', attribute: 'pruned_through', value: charge.hour },
      ],
    ],
    set: { [lane]: charge.seq, [USED_ATTRIBUTE]: charge.used },
    setIfAbsent: { pending_hour: charge.hour },
    add: { charged: charge.cu, [PENDING_USAGE_PREFIX + charge.hour]: charge.cu },
  };
}

/** Attempts a charge once. Rejects with `StoreUnavailableError`; repeating it is then safe at any time. */
export async function applyCharge(store: Store, charge: Charge): Promise<ChargeVerdict> {
  const result = await store.update(chargeUpdate(charge));
  if (result.applied) return { state: 'applied', item: result.item };
  const { item } = result;
  if (item === undefined) return { state: 'account_gone' };
  const last = item[laneAttribute(charge)];
  if (typeof last === 'bigint' && last >= charge.seq) return { state: 'applied', item };
  return { state: 'too_late' };
}

function laneAttribute(charge: Charge): string {
  return LANE_PREFIX + charge.lane;
}
