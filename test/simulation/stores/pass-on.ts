import type { Store } from '../../../lambdas/access/store/store.ts';

/**
 * A store that passes everything on, with methods of its own: to change one of.
 * @param around what each call goes through. @default nothing
 */
export function passOn(
  store: Store,
  around: <T>(call: () => Promise<T>) => Promise<T> = (call) => call(),
): Store {
  return {
    get: (table, key, options) => around(() => store.get(table, key, options)),
    query: (query) => around(() => store.query(query)),
    put: (put) => around(() => store.put(put)),
    update: (update) => around(() => store.update(update)),
    delete: (target) => around(() => store.delete(target)),
    transact: (actions) => around(() => store.transact(actions)),
  };
}
