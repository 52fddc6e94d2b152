import type { AccountChange } from './account-change.ts';
import { type ObservedAccount, PENDING_USAGE_PREFIX } from './observed-account.ts';
import type { SettlementRecord } from './settlement-record.ts';

/**
 * Moves one hour's usage out of the account item, in one transaction with the record of it.
 *
 *   when  no record (hour, revision)        put the record
 *   when  h_<hour> = the usage as read      remove h_<hour>, settled += the usage
 *
 * Invariants: charged = settled + sum of h_*;  settled = sum of settled_cu;  revisions are 1, 2, 3, ...
 *
 * - A charge that comes between the read and the transaction changes h_<hour>: refused, nothing moved.
 * - A charge that comes after it finds h_<hour> absent and starts it again from 0: the next revision.
 * - Two settlements at once, or one that is repeated because its answer was lost: both would put the same
 *   revision, and one record exists at most. A second settlement that read h_<hour> = 5 before the first, and
 *   applies after a late charge of 5 has put the same value back, fails by its record as well.
 * - The record builds on the hour's last one. Records never change and a revision follows only on the one
 *   before, so a stale reading of "last" proposes a revision that exists, and is refused.
 */
export function settleHour(observed: ObservedAccount, record: SettlementRecord): AccountChange {
  const attribute = PENDING_USAGE_PREFIX + record.hour;
  const pending = new Map(observed.pending);
  pending.delete(record.hour);
  return {
    when: [{ is: '=', attribute, value: record.settled_cu }],
    add: { settled: record.settled_cu },
    remove: [attribute],
    after: { ...observed, pending, settled: observed.settled + record.settled_cu },
  };
}
