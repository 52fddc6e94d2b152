import { amountOf } from '../access/store/item-values.ts';
import type { Store } from '../access/store/store.ts';

/** Another change of the account's keys can come between a read and its write. */
const ATTEMPTS = 4;

/**
 * Begins the count of an account's enabled keys, if an earlier release made the account and has none: with all keys that
 * were ever made, which is never too few. A rebuild counts the keys themselves.
 * Resolves to whether the account had no count.
 */
export async function beginEnabledKeys(store: Store, account: string): Promise<boolean> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const item = await store.get('accounts', { account });
    if (item === undefined || item.enabled_keys !== undefined) return attempt > 1;
    const keys = amountOf(item, 'keys');
    const { applied } = await store.update({
      table: 'accounts',
      key: { account },
      when: [
        { is: '=', attribute: 'keys', value: keys },
        { is: 'absent', attribute: 'enabled_keys' },
      ],
      set: { enabled_keys: keys, disabled_at_ms: 0n },
    });
    if (applied) return true;
  }
  return false;
}
