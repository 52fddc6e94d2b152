import type { ObservedAccount } from './observed-account.ts';
import type { Condition, Update, Value } from './store.ts';

/**
 * A conditional change of an account item. Changes of different attributes can travel in one update or one
 * after the other; each keeps its own invariant under its own condition.
 */
export interface AccountChange {
  readonly when: Condition;
  readonly set?: Readonly<Record<string, Value>>;
  readonly add?: Readonly<Record<string, bigint>>;
  readonly remove?: readonly string[];
  /** What is known of the account once the change is applied; all else is as it was observed. */
  readonly after: ObservedAccount;
}

/** Several changes, each planned on what the one before leaves, as one update. */
export function updateAccount(account: string, changes: readonly AccountChange[]): Update {
  return {
    table: 'accounts',
    key: { account },
    when: [{ is: 'present', attribute: 'account' }, ...changes.flatMap((change) => change.when)],
    set: Object.assign({}, ...changes.map((change) => change.set)),
    add: Object.assign({}, ...changes.map((change) => change.add)),
    remove: changes.flatMap((change) => change.remove ?? []),
  };
}
