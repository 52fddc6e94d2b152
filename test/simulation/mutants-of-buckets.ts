import type { Admission } from '../../lambdas/access/metering.ts';
import type { Store, Term, Update, WriteResult } from '../../lambdas/access/store.ts';
import type { Mutant } from './mutant.ts';
import { changeUpdates, passOn, withoutTests } from './mutate-store.ts';

/** Simplifications of admission: bucket, calls per second, key status, balance. */
export const bucketMutants: readonly Mutant[] = [
  {
    name: 'refill-unconditional',
    simplification: 'a bucket that is believed to be full is set without looking whether it still is',
    store: onBuckets((update) => dropTests(update, ({ attribute }) => attribute === 'tat', isFullForm)),
  },
  {
    name: 'calls-refill-unconditional',
    simplification: 'the same for the bucket of calls per second',
    store: onBuckets((update) => dropTests(update, ({ attribute }) => attribute === 'rt', setsCalls)),
  },
  {
    name: 'draining-without-now',
    simplification:
      'there is one form of the update: a bucket that is full for long is drawn from where it stood',
    store: (store) => ({
      ...passOn(store),
      update: async (update) => {
        if (!isDraw(update) || !isFullForm(update)) return store.update(update);
        const result = await store.update(drawFromWhereItStood(update));
        return result.item?.tat === undefined ? store.update(update) : result;
      },
    }),
  },
  {
    name: 'draining-without-limit',
    simplification: 'whether a draining bucket still holds enough is decided from memory alone',
    store: onBuckets((update) => dropTests(update, isTestOf('tat', '<='), (one) => !isFullForm(one))),
  },
  {
    name: 'last-draw-counts',
    simplification: 'a draining bucket is set to what the instance computed instead of being added to',
    store: (store) => {
      const seen = new Map<string | undefined, bigint>();
      return {
        ...passOn(store),
        update: async (update) => {
          const result = await store.update(setInsteadOfAdd(update, seen.get(update.key.key_id)));
          if (typeof result.item?.tat === 'bigint') seen.set(update.key.key_id, result.item.tat);
          return result;
        },
      };
    },
  },
  {
    name: 'status-from-cache',
    simplification: 'a key that was active when it was looked up is not tested again',
    store: (store) => ({
      ...passOn(store),
      update: async (update) => {
        if (!isDraw(update)) return store.update(update);
        return withActiveKey(
          await store.update(dropTests(update, ({ attribute }) => attribute === 'status')),
        );
      },
    }),
  },
  {
    name: 'fail-open',
    simplification: 'a request is admitted when the store does not say whether it fits',
    meter: (meter) => {
      const last = new Map<string, Admission>();
      return {
        ...meter,
        admit: async (holder, price) => {
          const admission = await meter.admit(holder, price);
          if (admission.admitted) last.set(holder.keyId, admission);
          const unavailable = !admission.admitted && admission.refusal.reason === 'billing_unavailable';
          return unavailable ? (last.get(holder.keyId) ?? admission) : admission;
        },
      };
    },
  },
  {
    name: 'balance-unread',
    simplification: 'the balance is not read again once it was positive',
    store: (store, { role }) => {
      if (role !== 'gateway') return store;
      const seen = new Map<string | undefined, Awaited<ReturnType<Store['get']>>>();
      return {
        ...passOn(store),
        get: async (table, key) => {
          const known = table === 'accounts' ? seen.get(key.account) : undefined;
          if (known !== undefined) return known;
          const item = await store.get(table, key);
          if (table === 'accounts') seen.set(key.account, item);
          return item;
        },
      };
    },
  },
];

function onBuckets(change: (update: Update) => Update): NonNullable<Mutant['store']> {
  return (store) => changeUpdates(store, (update) => (isDraw(update) ? change(update) : update));
}

function isDraw({ table, set, add }: Update): boolean {
  return table === 'keys' && (set?.tat ?? add?.tat) !== undefined;
}

function isFullForm({ set }: Update): boolean {
  return set?.tat !== undefined;
}

function setsCalls({ set }: Update): boolean {
  return set?.rt !== undefined;
}

function isTestOf(attribute: string, is: Term['is']): (term: Term) => boolean {
  return (term) => term.attribute === attribute && term.is === is;
}

function dropTests(update: Update, dropped: (term: Term) => boolean, applies = (_: Update) => true): Update {
  return applies(update) ? { ...update, when: withoutTests(update.when, dropped) } : update;
}

/** `set` of the form for a full bucket is now and increment; the test against now tells them apart. */
function drawFromWhereItStood(update: Update): Update {
  const test = update.when.flat().find(({ attribute, is }) => attribute === 'tat' && is === '<=');
  if (test === undefined || !('value' in test)) throw new Error('a full bucket is set without a test');
  const { tat, ...set } = update.set ?? {};
  const when = withoutTests(update.when, ({ attribute }) => attribute === 'tat');
  const increment = BigInt(tat ?? 0) - BigInt(test.value);
  return { ...update, when: [...when, test], set, add: { ...update.add, tat: increment } };
}

function setInsteadOfAdd(update: Update, seen: bigint | undefined): Update {
  const increment = update.add?.tat;
  if (increment === undefined || seen === undefined) return update;
  const { tat: _, ...add } = update.add ?? {};
  return { ...update, add, set: { ...update.set, tat: seen + increment } };
}

function withActiveKey(result: WriteResult): WriteResult {
  return result.applied ? { ...result, item: { ...result.item, status: 'active' } } : result;
}
