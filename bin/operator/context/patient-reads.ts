import { withStoreRetry } from '../../../lambdas/access/bookkeeping.ts';
import type { Store } from '../../../lambdas/access/store/store.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';

/** The store, with each read begun again when it fails: a list of many pages should not end with one time-out. */
export function patientReads(store: Store): Store {
  return {
    get: (table, key, options) => withStoreRetry(sleep, () => store.get(table, key, options)),
    query: (query) => withStoreRetry(sleep, () => store.query(query)),
    put: (put) => store.put(put),
    update: (update) => store.update(update),
    delete: (target) => store.delete(target),
    transact: (actions) => store.transact(actions),
  };
}
