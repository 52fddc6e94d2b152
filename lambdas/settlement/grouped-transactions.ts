import type { Action, RefusedAction, Store, TransactionResult } from '../access/store/store.ts';

/** Actions of one transaction: DynamoDB takes no more. */
const MAX_ACTIONS = 100;
/** Transactions under way at once. What is asked for meanwhile goes together into the next. */
const MAX_UNDER_WAY = 4;

interface Waiting {
  readonly actions: readonly Action[];
  readonly resolve: (result: TransactionResult | Promise<TransactionResult>) => void;
}

/**
 * A store that sends transactions together: most of what a small one costs is its request. No two that are asked for at one
 * time may name the same item.
 *
 *   asked for   a   b   c   d   e f g h
 *   sent       (a) (b) (c) (d) (e f g h)        g is refused: (e) (f) (h)
 *
 * Invariant: each has the outcome that it could have had alone. A group is applied whole or not at all, and one that is
 * refused tells whose conditions failed.
 *
 * - The others of that group were not applied: each is sent alone.
 * - A group that fails, because it was throttled, met another transaction, or its response was lost: each is sent alone. One that
 *   was applied after all is then refused by its own condition, as any transaction is that is repeated.
 */
export function groupTransactions(store: Store): Store {
  const waiting: Waiting[] = [];
  let underWay = 0;

  const work = async (): Promise<void> => {
    underWay += 1;
    while (waiting.length > 0) await sendGroup(store, takeGroup(waiting));
    underWay -= 1;
  };

  return {
    get: (...request) => store.get(...request),
    query: (query) => store.query(query),
    put: (put) => store.put(put),
    update: (update) => store.update(update),
    delete: (target) => store.delete(target),
    transact: (actions) =>
      new Promise((resolve) => {
        waiting.push({ actions, resolve });
        if (underWay < MAX_UNDER_WAY) void work();
      }),
  };
}

/** Resolves when the request of a group has ended. Never rejects: each transaction has its own outcome. */
async function sendGroup(store: Store, group: readonly Waiting[]): Promise<void> {
  const sent = store.transact(group.flatMap(({ actions }) => actions));
  const result = await sent.catch(() => undefined);
  let from = 0;
  for (const { actions, resolve } of group) {
    const refused = result?.applied === false ? result.refused.slice(from, from + actions.length) : [];
    from += actions.length;
    if (result?.applied === true || group.length === 1) resolve(sent);
    else resolve(refused.some(isRefused) ? { applied: false, refused } : store.transact(actions));
  }
}

function isRefused(action: RefusedAction | undefined): boolean {
  return action !== undefined;
}

/** The transactions that go together next: at least one. */
function takeGroup(waiting: Waiting[]): Waiting[] {
  let count = 0;
  const tooMany = waiting.findIndex(({ actions }, place) => {
    count += actions.length;
    return place > 0 && count > MAX_ACTIONS;
  });
  return waiting.splice(0, tooMany === -1 ? waiting.length : tooMany);
}
