import type { Item, Store } from '../../../lambdas/access/store/store.ts';
import { passOn } from '../stores/pass-on.ts';
import type { Mutant } from './mutant.ts';

/** Simplifications of balance views. */
export const viewMutants: readonly Mutant[] = [
  {
    name: 'view-without-running-hour',
    seed: 168,
    simplification: 'a balance view has the item and the lanes of hours that ended',
    store: onViews((view, nowMs) => ({
      ...view,
      seen_at: nowMs,
      hours: String(view.hours).replace(/(^| )[^ ]+$/, '$10.0'),
    })),
  },
];

/** A store from which the gateway gets other balance views than there are. */
function onViews(change: (view: Item, nowMs: bigint) => Item): NonNullable<Mutant['store']> {
  return (store: Store, { role, clock }) =>
    role === 'gateway'
      ? {
          ...passOn(store),
          get: async (table, key, options) => {
            const item = await store.get(table, key, options);
            const isView = table === 'balances' && item !== undefined;
            return isView ? change(item, BigInt(clock.now())) : item;
          },
        }
      : store;
}
