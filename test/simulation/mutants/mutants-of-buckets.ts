import type { Admission } from '../../../lambdas/access/contract/metering.ts';
import type { Page, Term, Update, WriteResult } from '../../../lambdas/access/store/store.ts';
import { passOn } from '../stores/pass-on.ts';
import type { Mutant } from './mutant.ts';
import { changeUpdates, withoutTests } from './mutate-store.ts';

/** Time for which a mutant lets a key through that was admitted. */
const AHEAD_MS = 5_000;

/** Simplifications of admission: bucket, requests per second, key status, balance. */
export const bucketMutants: readonly Mutant[] = [
  {
    name: 'refill-unconditional',
    simplification: 'a bucket that is believed to be full is set without looking whether it still is',
    store: onBuckets((update) => dropTests(update, ({ attribute }) => attribute === 'tat', isFullForm)),
  },
  {
    name: 'requests-refill-unconditional',
    seed: 16,
    simplification: 'the same for the bucket of requests per second',
    store: onBuckets((update) => dropTests(update, ({ attribute }) => attribute === 'rt', setsRequests)),
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
    seed: 5,
    simplification: 'a key that was active when it was looked up is not tested again',
    store: (store) => ({
      ...passOn(store),
      update: async (update) => {
        const result = await store.update(update);
        return isDraw(update) ? withActiveKey(result) : result;
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
    seed: 21,
    simplification: 'the balance is not read again once it was positive',
    store: (store, { role }) => {
      if (role !== 'gateway') return store;
      const seen = new Map<string, Promise<Page>>();
      return {
        ...passOn(store),
        query: (query) => {
          if (query.table !== 'lanes') return store.query(query);
          const name = String(query.partition.value);
          const page = seen.get(name) ?? store.query(query);
          seen.set(name, page);
          page.catch(() => seen.delete(name));
          return page;
        },
      };
    },
  },
  {
    name: 'ahead-without-bound',
    simplification: 'whoever was admitted in the last seconds is admitted without a draw',
    meter: (meter, { clock }) => {
      const last = new Map<string, { readonly admission: Admission; readonly atMs: number }>();
      return {
        ...meter,
        admit: async (holder, price) => {
          const known = last.get(holder.keyId);
          if (known !== undefined && clock.now() - known.atMs < AHEAD_MS) return known.admission;
          const admission = await meter.admit(holder, price);
          if (admission.admitted) last.set(holder.keyId, { admission, atMs: clock.now() });
          return admission;
        },
      };
    },
  },
  {
    name: 'ahead-outlives-key',
    seed: 5,
    simplification: 'what was drawn ahead is used after its key was disabled',
    meter: (meter) => {
      const last = new Map<string, Admission>();
      return {
        ...meter,
        admit: async (holder, price) => {
          const admission = await meter.admit(holder, price);
          if (admission.admitted) last.set(holder.keyId, admission);
          const isDisabled = !admission.admitted && admission.refusal.reason === 'key_unknown';
          return isDisabled ? (last.get(holder.keyId) ?? admission) : admission;
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

function setsRequests({ set }: Update): boolean {
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
