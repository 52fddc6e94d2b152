import type { Item, Page, Query } from '../../../lambdas/access/store/store.ts';
import { UNSEALED_SLOTS } from '../../../lambdas/settlement/heads.ts';
import { headKey, headLeavesKey } from '../../../lambdas/shared/bill/head.ts';
import { passOn } from '../stores/pass-on.ts';
import type { Mutant } from './mutant.ts';

/** Of `2026-11-20T09`. */
const HOUR_LENGTH = 13;
const HEAD = /^heads\/(\d+)\.json$/;
const LEAVES = new RegExp(`^${headLeavesKey('[0-9a-f]+')}$`);

/** Simplifications of the list of records that no head has, and of the heads. */
export const sealMutants: readonly Mutant[] = [
  {
    name: 'listed-after-record',
    simplification: 'a record goes on the list of what no head has in a write after that of the record',
    store: (store) => ({
      ...passOn(store),
      transact: async (actions) => {
        const listed = actions.flatMap((action) =>
          'put' in action && isUnsealed(action.put.item) ? [action.put] : [],
        );
        const rest = actions.filter((action) => !('put' in action && isUnsealed(action.put.item)));
        const result = await store.transact(rest);
        for (const put of result.applied ? listed : []) await store.put(put);
        return result;
      },
    }),
  },
  {
    name: 'taken-off-before',
    simplification: 'records are taken off the list when they are read, before a head has them',
    store: (store, { role }) =>
      role === 'seal'
        ? {
            ...passOn(store),
            query: async (query) => {
              const page = await store.query(query);
              for (const { slot, entry } of page.items.filter(isUnsealed)) {
                const key = { slot: String(slot), entry: String(entry) };
                await store.delete({ table: 'unsettled', key, when: [] });
              }
              return page;
            },
          }
        : store,
  },
  {
    name: 'head-replaced',
    seed: 46,
    simplification: 'a head is put whether there is one of its number or not',
    heads: (heads) => ({
      get: (key, part) => heads.get(key, part),
      put: (key, body) => heads.put(key, body),
      putNew: async (key, body) => {
        await heads.put(key, body);
        return true;
      },
    }),
  },
  {
    name: 'head-under-next-number',
    simplification: 'a head whose number is taken is put under the next one',
    heads: (heads) => ({
      get: (key, part) => heads.get(key, part),
      put: (key, body) => heads.put(key, body),
      putNew: async (key, body) =>
        (await heads.putNew(key, body)) || (HEAD.test(key) && heads.putNew(nextHead(key), body)),
    }),
  },
  {
    name: 'last-head-unread',
    seed: 2,
    simplification: 'records below the last head are not looked for among those that wait for one',
    heads: (heads) => ({
      get: async (key, part) => (LEAVES.test(key) ? Buffer.from('') : heads.get(key, part)),
      put: (key, body) => heads.put(key, body),
      putNew: (key, body) => heads.putNew(key, body),
    }),
  },
  {
    name: 'head-for-fewer',
    simplification: 'the last of the records below a head is not published with it',
    heads: (heads) => ({
      get: (key, part) => heads.get(key, part),
      put: (key, body) => heads.put(key, LEAVES.test(key) ? String(body).replace(/[0-9a-f]+\n$/, '') : body),
      putNew: (key, body) => heads.putNew(key, body),
    }),
  },
  {
    name: 'revision-lowers-lane',
    simplification: 'settlement states one compute unit of the first lane as one of the second, now and then',
    store: (store, { role }) => {
      let readings = 0;
      const query = async (asked: Query): Promise<Page> => {
        const page = await store.query(asked);
        if (asked.table !== 'lanes') return page;
        readings += 1;
        return readings % 2 === 0 ? page : { ...page, items: moveOneCu(page.items) };
      };
      return role === 'settlement' ? { ...passOn(store), query } : store;
    },
  },
];

function nextHead(key: string): string {
  return headKey(Number(HEAD.exec(key)?.[1]) + 1);
}

function moveOneCu(lanes: readonly Item[]): readonly Item[] {
  const [first, second, ...rest] = lanes;
  if (first === undefined || second === undefined || hourOfLane(first) !== hourOfLane(second)) return lanes;
  const moved = (lane: Item, cu: bigint) => ({ ...lane, total: BigInt(lane.total ?? 0) + cu });
  return [moved(first, -1n), moved(second, 1n), ...rest];
}

function hourOfLane({ hour_lane }: Item): string {
  return String(hour_lane).slice(0, HOUR_LENGTH);
}

function isUnsealed({ slot }: Item): boolean {
  return UNSEALED_SLOTS.includes(String(slot));
}
