import type { Item } from '../../../lambdas/access/store/store.ts';
import { packPart, unpackPart } from '../../../lambdas/settlement/frozen-leaves.ts';
import { UNSEALED_SLOTS } from '../../../lambdas/settlement/unsealed.ts';
import { headLeavesKey } from '../../../lambdas/shared/bill/head.ts';
import { type LaneLeaf, laneLeafText } from '../../../lambdas/shared/bill/lane-leaf.ts';
import { parseStatement } from '../../../lambdas/shared/bill/record-statement.ts';
import type { Mutant } from './mutant.ts';
import { passOn } from './mutate-store.ts';

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
    name: 'last-head-unread',
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
    simplification: 'a further revision states one compute unit of the first lane as one of the last',
    leaves: (leaves) => ({
      freeze: (part) => {
        const kept = unpackPart(part);
        const moved = moveOneCu(kept.leaves, kept.statement);
        return leaves.freeze(
          packPart(kept, [{ packed: [], waiting: moved.map((leaf) => `${laneLeafText(leaf)}\n`).join('') }]),
        );
      },
    }),
  },
];

function moveOneCu(leaves: readonly LaneLeaf[], statement: string): readonly LaneLeaf[] {
  const [first, ...rest] = leaves;
  const last = rest.pop();
  if (first === undefined || last === undefined || parseStatement(statement)?.revision === 0) return leaves;
  return [{ ...first, total: first.total - 1 }, ...rest, { ...last, total: last.total + 1 }];
}

function isUnsealed({ slot }: Item): boolean {
  return UNSEALED_SLOTS.includes(String(slot));
}
