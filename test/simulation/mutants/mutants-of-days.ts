import type { Update } from '../../../lambdas/access/store/store.ts';
import type { SimulatedProcess } from '../actors/simulated-process.ts';
import { passOn } from '../stores/pass-on.ts';
import type { Mutant } from './mutant.ts';
import { changeUpdates, withoutTests } from './mutate-store.ts';

/** Simplifications of the count of a key's day. */
export const dayMutants: readonly Mutant[] = [
  {
    name: 'day-never-over',
    seed: 8,
    simplification: 'a new day goes on with the count of the day before',
    store: onDays(({ set: { day_cu: cu, ...set } = {}, add, ...update }) =>
      typeof cu === 'bigint'
        ? { ...update, set, add: { ...add, day_cu: cu } }
        : { ...update, set, ...(add && { add }) },
    ),
  },
  {
    name: 'day-begins-again',
    seed: 8,
    simplification:
      'an instance that has not seen the day yet begins it without looking whether it has begun',
    store: onDays((update) =>
      update.set?.day === undefined
        ? update
        : { ...update, when: withoutTests(update.when, ({ attribute }) => attribute === 'day') },
    ),
  },
  {
    name: 'day-without-limit',
    seed: 5,
    simplification: 'whether the day has enough left is decided from memory alone',
    store: onDays((update) => ({
      ...update,
      when: withoutTests(update.when, ({ attribute }) => attribute === 'day_cu'),
    })),
  },
  {
    name: 'day-counted-twice',
    seed: 2,
    simplification: 'a draw is counted when it is made and when it is answered',
    store: onDays((update) => {
      const counted = update.add?.day_cu;
      return counted === undefined ? update : { ...update, add: { ...update.add, day_cu: 2n * counted } };
    }),
  },
  {
    name: 'day-by-last-draw',
    seed: 4,
    simplification: 'the count is set to what the instance computed instead of being added to',
    store: (store) => {
      const seen = new Map<string | undefined, bigint>();
      return {
        ...passOn(store),
        update: async (update) => {
          const { day_cu: counted, ...add } = update.add ?? {};
          const known = seen.get(update.key.key_id);
          const changed =
            counted === undefined || known === undefined
              ? update
              : { ...update, add, set: { ...update.set, day_cu: known + counted } };
          const result = await store.update(changed);
          if (typeof result.item?.day_cu === 'bigint') seen.set(update.key.key_id, result.item.day_cu);
          return result;
        },
      };
    },
  },
  {
    name: 'day-without-ahead',
    seed: 4,
    simplification: 'of what is drawn ahead, only the request that draws it counts',
    meter: (meter, process) => ({
      ...meter,
      admit: (holder, price) => {
        pricesOf(process).set(holder.keyId, BigInt(price.cu));
        return meter.admit(holder, price);
      },
    }),
    store: (store, process) =>
      changeUpdates(store, (update) => {
        const price = pricesOf(process).get(update.key.key_id ?? '');
        const counted = update.add?.day_cu;
        if (counted === undefined || price === undefined || counted <= price) return update;
        return { ...update, add: { ...update.add, day_cu: price } };
      }),
  },
  {
    name: 'day-unlimited-from-cache',
    seed: 2,
    simplification: 'a key that was looked up without its bounds is served without them',
    meter: (meter) => ({
      ...meter,
      admit: ({ bounds: _, ...holder }, price) => meter.admit(holder, price),
    }),
  },
];

const prices = new WeakMap<SimulatedProcess, Map<string, bigint>>();

function pricesOf(process: SimulatedProcess): Map<string, bigint> {
  const known = prices.get(process) ?? new Map<string, bigint>();
  prices.set(process, known);
  return known;
}

function onDays(change: (update: Update) => Update): NonNullable<Mutant['store']> {
  return (store) => changeUpdates(store, (update) => (countsDay(update) ? change(update) : update));
}

function countsDay({ table, set, add }: Update): boolean {
  return table === 'keys' && (set?.day_cu ?? add?.day_cu) !== undefined;
}
