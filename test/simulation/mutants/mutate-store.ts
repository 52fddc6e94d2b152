import type { Action, Condition, Put, Store, Term, Update } from '../../../lambdas/access/store/store.ts';

/** A store to which every update goes changed, alone or in a transaction. */
export function changeUpdates(store: Store, change: (update: Update) => Update): Store {
  const changeAction = (action: Action) => ('update' in action ? { update: change(action.update) } : action);
  return {
    ...passOn(store),
    update: (update) => store.update(change(update)),
    transact: (actions) => store.transact(actions.map(changeAction)),
  };
}

/** A store to which every put of a transaction goes changed. */
export function changePuts(store: Store, change: (put: Put) => Put): Store {
  const changeAction = (action: Action) => ('put' in action ? { put: change(action.put) } : action);
  return { ...passOn(store), transact: (actions) => store.transact(actions.map(changeAction)) };
}

/** A store with methods of its own, all of which pass on. */
export function passOn(store: Store): Store {
  return {
    get: (table, key, options) => store.get(table, key, options),
    query: (query) => store.query(query),
    put: (put) => store.put(put),
    update: (update) => store.update(update),
    delete: (target) => store.delete(target),
    transact: (actions) => store.transact(actions),
  };
}

/** A condition without its tests of some attributes. */
export function withoutTests(when: Condition, dropped: (term: Term) => boolean): Condition {
  return when.filter((clause) => !('is' in clause ? dropped(clause) : clause.some(dropped)));
}
