import type { Action, Condition, Put, Store, Term, Update } from '../../../lambdas/access/store/store.ts';
import { passOn } from '../stores/pass-on.ts';

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

/** A condition without its tests of some attributes. */
export function withoutTests(when: Condition, dropped: (term: Term) => boolean): Condition {
  return when.filter((clause) => !('is' in clause ? dropped(clause) : clause.some(dropped)));
}
