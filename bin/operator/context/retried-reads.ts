import type { Store } from '../../../lambdas/access/store/store.ts';
import { withStoreRetries } from '../../../lambdas/access/store/store-retries.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';

/** Times that a read is begun again, within a second: an operator waits for the list, or for the failure. */
const MAX_RETRIES = 4;

/** The store, with each read begun again when it fails: a list of many pages should not end with one time-out. */
export function retriedReads(store: Store): Store {
  return {
    get: (table, key, options) => read(() => store.get(table, key, options)),
    query: (query) => read(() => store.query(query)),
    put: (put) => store.put(put),
    update: (update) => store.update(update),
    delete: (target) => store.delete(target),
    transact: (actions) => store.transact(actions),
  };
}

function read<Result>(work: () => Promise<Result>): Promise<Result> {
  let failures = 0;
  const giveUp = () => {
    failures += 1;
    return failures > MAX_RETRIES;
  };
  return withStoreRetries({ pause: sleep, giveUp }, work);
}
