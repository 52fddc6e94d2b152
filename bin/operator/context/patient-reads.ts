import { setTimeout as sleep } from 'node:timers/promises';
import { withStoreRetry } from '../../../lambdas/access/bookkeeping.ts';
import type { Store } from '../../../lambdas/access/store/store.ts';

/** The store, with each read begun again when it fails: a list of many pages should not end with one time-out. */
export function patientReads(store: Store): Store {
  const pause = (durationMs: number) => sleep(durationMs);
  return {
    get: (table, key, options) => withStoreRetry(pause, () => store.get(table, key, options)),
    query: (query) => withStoreRetry(pause, () => store.query(query)),
    put: (put) => store.put(put),
    update: (update) => store.update(update),
    delete: (target) => store.delete(target),
    transact: (actions) => store.transact(actions),
  };
}
