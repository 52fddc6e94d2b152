import type { AccountChange } from './account-change.ts';
import { type ObservedAccount, oldestPendingHour } from './observed-account.ts';

/**
 * Moves an account forward in the pending index to its oldest unsettled hour, or out of the index when it has
 * none. Undefined if it stands right.
 *
 *   when  charged = as read AND pending_hour = as read     set pending_hour = oldest h_*, or remove it
 *
 * Invariant: an account with any h_* has a pending_hour, so that settlement finds it.
 *
 * - Only a charge makes an h_*, and every charge raises `charged`. With `charged` as read no charge came since,
 *   and settlements that came since only took h_* away: what was read as "no hour" still is, and the oldest hour
 *   that was read is at most the oldest that is there.
 * - A charge that comes before the move refuses it. One that comes after it sets pending_hour again if absent.
 * - `pending_hour` as read keeps a second settlement, delayed or repeated, from putting the account back into
 *   the index after the first has taken it out: that it holds the same value again takes a charge.
 * - A late charge of an hour older than pending_hour leaves pending_hour alone. It waits at most until that
 *   hour is settled, because whoever works the account looks at all its h_*.
 */
export function movePendingHour(observed: ObservedAccount): AccountChange | undefined {
  const { charged, pendingHour } = observed;
  const oldest = oldestPendingHour(observed);
  if (pendingHour === undefined || (oldest !== undefined && oldest <= pendingHour)) return undefined;
  return {
    when: [
      { is: '=', attribute: 'charged', value: charged },
      { is: '=', attribute: 'pending_hour', value: pendingHour },
    ],
    ...(oldest === undefined ? { remove: ['pending_hour'] } : { set: { pending_hour: oldest } }),
    after: { ...observed, pendingHour: oldest },
  };
}
