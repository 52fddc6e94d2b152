import type {
  Action,
  Item,
  Put,
  Store,
  TransactionResult,
  Update,
} from '../../../lambdas/access/store/store.ts';
import type { Table } from '../../../lambdas/access/store/tables.ts';
import { packPart, unpackPart } from '../../../lambdas/settlement/hour-leaves.ts';
import { BILLING_UNIT_CU, recordKey } from '../../../lambdas/settlement/settlement-ledger.ts';
import { type LaneLeaf, laneLeafText } from '../../../lambdas/shared/bill/lane-leaf.ts';
import { NO_RECORD } from '../../../lambdas/shared/bill/record-statement.ts';
import { hourOf } from '../../../lambdas/shared/runtime/clock.ts';
import type { ProcessRole } from '../actors/simulated-process.ts';
import { passOn } from '../stores/pass-on.ts';
import type { Mutant } from './mutant.ts';
import { changePuts, changeUpdates } from './mutate-store.ts';

/** How far back a mutant of settlement looks. */
const LOOKS_BACK_MS = 2 * 3_600_000;

/** Simplifications of settlement, the work list, credits and restores. */
export const ledgerMutants: readonly Mutant[] = [
  {
    name: 'rounding',
    simplification: 'billing units are rounded instead of rounded down',
    store: onRecords((record) => recount(record, (cu) => (cu + BILLING_UNIT_CU / 2n) / BILLING_UNIT_CU)),
  },
  {
    name: 'floor-per-revision',
    simplification: 'each revision of an hour is rounded down by itself',
    store: onRecords((record) => {
      const cu = BigInt(record.settled_cu ?? 0);
      return { ...record, billing_units: cu / BILLING_UNIT_CU, remainder_cu: cu % BILLING_UNIT_CU };
    }),
  },
  {
    name: 'hour-of-settlement',
    simplification: 'a record is of the hour before the one in which it is written, by the clock',
    store: (store, process) =>
      changePuts(store, (put) => {
        if (!isRecord(put)) return put;
        const hour = hourOf(process.clock.now() - 3_600_000);
        return { ...put, item: { ...put.item, hour, record: recordKey(hour, Number(put.item.revision)) } };
      }),
  },
  {
    name: 'settled-again-in-whole',
    simplification: 'a further revision settles all that the hour has, instead of what is new',
    store: (store) => ({
      ...passOn(store),
      transact: (actions) => {
        const totals = new Map(recordsOf(actions).map((record) => [record.account, record]));
        return store.transact(
          actions.map((action) => {
            if ('put' in action)
              return isRecord(action.put)
                ? {
                    put: {
                      ...action.put,
                      item: { ...action.put.item, settled_cu: action.put.item.total_cu ?? 0n },
                    },
                  }
                : action;
            const { total_cu = 0, settled_cu = 0 } = totals.get(String(action.update.key.account)) ?? {};
            const more = BigInt(total_cu) - BigInt(settled_cu);
            const set = { ...action.update.set, settled: BigInt(action.update.set?.settled ?? 0) + more };
            return { update: { ...action.update, set } };
          }),
        );
      },
    }),
  },
  {
    name: 'open-from-unread',
    seed: 2,
    simplification:
      'settlement moves `settled` and `open_from` whatever they are by now, also by a write that comes late',
    store: (store, { role }) => {
      if (role !== 'settlement' && role !== 'operator') return store;
      const unread = changeUpdates(store, (update) =>
        update.set?.open_from === undefined ? update : { ...update, when: [] },
      );
      /** What was last written of each account. */
      const before = new Map<unknown, Update>();
      return {
        ...passOn(unread),
        transact: async (actions) => {
          const result = await unread.transact(actions);
          for (const action of actions) {
            if (!('update' in action) || action.update.set?.open_from === undefined) continue;
            const { account } = action.update.key;
            const late = before.get(account);
            before.set(account, action.update);
            if (late !== undefined) await unread.update(late);
          }
          return result;
        },
      };
    },
  },
  {
    name: 'late-lane-ignored',
    simplification: 'settlement looks at the hour before, and not at older ones',
    store: (store, { role, clock }) =>
      role === 'settlement'
        ? {
            ...passOn(store),
            query: async (query) => {
              const page = await store.query(query);
              if (query.table !== 'unsettled') return page;
              const oldest = hourOf(clock.now() - LOOKS_BACK_MS);
              return { ...page, items: page.items.filter(({ entry }) => String(entry) >= oldest) };
            },
          }
        : store,
  },
  {
    name: 'balance-without-lanes',
    seed: 24,
    simplification: 'the balance is what is granted less what is settled, without the lanes of open hours',
    store: (store, { role }) =>
      role === 'gateway'
        ? {
            ...passOn(store),
            query: (query) => (query.table === 'lanes' ? Promise.resolve({ items: [] }) : store.query(query)),
          }
        : store,
  },
  {
    name: 'record-replaced',
    seed: 6,
    simplification: 'a record and its number are put whether they are there or not',
    store: (store) => changePuts(store, (put) => (isSettled(put) ? { ...put, when: [] } : put)),
  },
  {
    name: 'new-revision-on-refusal',
    seed: 6,
    simplification: 'a settlement whose record is there already takes the next free revision',
    store: (store) => ({
      ...passOn(store),
      transact: async (actions) => {
        const result = await store.transact(actions);
        if (result.applied || recordsOf(actions).length === 0) return result;
        const refused = actions.filter((_, place) => result.refused[place] !== undefined);
        const accounts = refused.map((action) => ('put' in action ? action.put.item.account : ''));
        const free = actions.map((action): Action => {
          if ('update' in action || !accounts.includes(String(action.put.item.account))) return action;
          // Nor does it mind that its number is taken.
          if (!isRecord(action.put)) return { put: { ...action.put, when: [] } };
          const { item } = action.put;
          const revision = BigInt(item.revision ?? 0) + 1n;
          const record = recordKey(String(item.hour), Number(revision));
          return { put: { ...action.put, item: { ...item, revision, record } } };
        });
        return store.transact(free);
      },
    }),
  },
  {
    name: 'record-then-move',
    simplification: 'the record is put first and the hour moved after it, in two writes',
    store: splitTransactions('settlement', 'ledger'),
  },
  {
    name: 'move-then-record',
    seed: 2,
    simplification: 'the hour is moved first and the record put after it, in two writes',
    store: splitTransactions('settlement', 'accounts'),
  },
  {
    name: 'credit-without-reference',
    simplification: 'a credit is granted whether its reference was used or not',
    store: (store) =>
      changePuts(store, (put) =>
        String(put.item.record).startsWith('credit#') ? { ...put, when: [] } : put,
      ),
  },
  {
    name: 'leaf-left-out',
    simplification: 'the last lane of a record is not kept',
    leaves: (leaves) => ({
      freeze: (part) => leaves.freeze(withLastLeaf(part, () => [])),
    }),
  },
  {
    name: 'leaf-before-last-charge',
    simplification: 'the last lane of a record is kept as it was before its last charge',
    leaves: (leaves) => ({
      freeze: (part) =>
        leaves.freeze(withLastLeaf(part, (leaf) => [{ ...leaf, n: leaf.n - 1, total: leaf.total - 1 }])),
    }),
  },
  {
    name: 'leaf-of-one-shard',
    simplification: 'the lanes of the first shard of a record are kept',
    leaves: (leaves) => ({
      freeze: (part) => {
        const kept = unpackPart(part);
        return leaves.freeze(
          packedLeaves(
            kept,
            kept.leaves.filter(({ shard }) => shard === 0),
          ),
        );
      },
    }),
  },
  {
    name: 'record-without-previous',
    simplification: 'a record names no record before it',
    store: onRecords((record) => ({ ...record, previous: NO_RECORD })),
  },
  {
    name: 'number-stays',
    simplification: 'the account item does not take the number of its last record',
    store: (store) =>
      changeUpdates(store, (update) => {
        const { record_number: _, record_hash: __, ...set } = update.set ?? {};
        return update.table === 'accounts' && update.set !== undefined ? { ...update, set } : update;
      }),
  },
];

/** What is kept of a record, with something else in the place of its last lane. */
function withLastLeaf(part: Uint8Array, change: (last: LaneLeaf) => readonly LaneLeaf[]): Buffer {
  const kept = unpackPart(part);
  return packedLeaves(kept, [...kept.leaves.slice(0, -1), ...kept.leaves.slice(-1).flatMap(change)]);
}

function packedLeaves(kept: ReturnType<typeof unpackPart>, leaves: readonly LaneLeaf[]): Buffer {
  const waiting = leaves.map((leaf) => `${laneLeafText(leaf)}\n`);
  return packPart(kept, [{ packed: [], waiting: waiting.join('') }]);
}

function onRecords(change: (record: Item) => Item): NonNullable<Mutant['store']> {
  return (store) => changePuts(store, (put) => (isRecord(put) ? { ...put, item: change(put.item) } : put));
}

/** The records that a transaction writes: one for each account in it. */
function recordsOf(actions: readonly Action[]): Item[] {
  return actions.flatMap((action) => ('put' in action && isRecord(action.put) ? [action.put.item] : []));
}

function isRecord({ table, item }: Put): boolean {
  return table === 'ledger' && item.settled_cu !== undefined;
}

/** A record, or the item that takes its number. */
function isSettled(put: Put): boolean {
  return isRecord(put) || String(put.item.record).startsWith('number#');
}

/** A record whose units are counted in another way, and whose remainder agrees with them. */
function recount(record: Item, units: (cu: bigint) => bigint): Item {
  const total = BigInt(record.total_cu ?? 0);
  const before = total - BigInt(record.settled_cu ?? 0);
  return {
    ...record,
    billing_units: units(total) - units(before),
    remainder_cu: total - units(total) * BILLING_UNIT_CU,
  };
}

/** Transactions of some processes as single writes, those to one table first. */
function splitTransactions(role: ProcessRole, first: Table): NonNullable<Mutant['store']> {
  return (store, process) =>
    process.role === role
      ? { ...passOn(store), transact: (actions) => oneByOne(store, actions, first) }
      : store;
}

/** A transaction as single writes, those to one table first; it ends at the first that is refused. */
async function oneByOne(
  store: Store,
  actions: Parameters<Store['transact']>[0],
  first: Table,
): Promise<TransactionResult> {
  const tableOf = (action: (typeof actions)[number]) =>
    'put' in action ? action.put.table : action.update.table;
  const rank = (action: (typeof actions)[number]) => Number(tableOf(action) !== first);
  for (const action of actions.toSorted((one, other) => rank(one) - rank(other))) {
    const result = 'put' in action ? await store.put(action.put) : await store.update(action.update);
    if (result.applied) continue;
    const refused = actions.map((each) => (each === action ? { item: result.item } : undefined));
    return { applied: false, refused };
  }
  return { applied: true };
}
