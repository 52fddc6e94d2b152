import { hourOf } from '../../lambdas/access/hour.ts';
import { LANE_PREFIX, PENDING_USAGE_PREFIX } from '../../lambdas/access/observed-account.ts';
import { BILLING_UNIT_CU, recordKey } from '../../lambdas/settlement/settlement-record.ts';
import type { Item, Put, Store, Term, TransactionResult, Update } from '../../lambdas/access/store.ts';
import type { Table } from '../../lambdas/access/tables.ts';
import type { Mutant } from './mutant.ts';
import { changePuts, changeUpdates, passOn, withoutAttributes, withoutTests } from './mutate-store.ts';
import type { ProcessRole, SimulatedProcess } from './simulated-process.ts';

/** The pruning of used lanes is held up, so that lanes are used meanwhile, and charges come again after it. */
const PRUNING_HELD_MS = 180_000;
const CHARGE_REPEATED_MS = 210_000;

/** Simplifications of settlement, pruning, the pending index, credits and usage. */
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
    name: 'settle-without-reading',
    simplification: 'the counter of an hour is removed whatever it is by now',
    store: onUpdates((update) => dropTests(update, isPendingUsage)),
  },
  {
    name: 'record-replaced',
    simplification: 'a record is put whether there is one or not',
    store: (store) => changePuts(store, (put) => (isRecord(put) ? { ...put, when: [] } : put)),
  },
  {
    name: 'new-revision-on-refusal',
    simplification: 'a settlement whose record is there already takes the next free revision',
    store: (store) => ({
      ...passOn(store),
      transact: async (actions) => {
        const result = await store.transact(actions);
        const put = actions.flatMap((action) => ('put' in action ? [action.put] : []))[0];
        if (result.applied || put === undefined || !isRecord(put)) return result;
        const hour = String(put.item.hour);
        const revision = BigInt(put.item.revision ?? 0) + 1n;
        const item = { ...put.item, revision, record: recordKey(hour, Number(revision)) };
        const free = actions.map((action) => ('put' in action ? { put: { ...put, item } } : action));
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
    simplification: 'the hour is moved first and the record put after it, in two writes',
    store: splitTransactions('settlement', 'accounts'),
  },
  {
    name: 'index-left-unconditionally',
    simplification: 'an account leaves the pending index whether it was charged meanwhile or not',
    store: onUpdates((update) =>
      movesIndex(update)
        ? dropTests(update, ({ attribute }) => ['charged', 'pending_hour'].includes(attribute))
        : update,
    ),
  },
  {
    name: 'index-moved-unconditionally',
    simplification: 'an account moves in the pending index without a look at where it stands',
    store: onUpdates((update) =>
      movesIndex(update) ? dropTests(update, ({ attribute }) => attribute === 'charged') : update,
    ),
  },
  {
    name: 'prune-without-closing',
    simplification: 'idle lanes are removed and the account stays open for charges of their hours',
    store: onUpdates((update) =>
      prunes(update)
        ? {
            ...dropTests(update, ({ attribute }) => attribute === 'pruned_through'),
            set: withoutAttributes(update.set, (name) => name === 'pruned_through'),
          }
        : update,
    ),
  },
  {
    name: 'closing-unread',
    simplification: 'a charge of a closed hour is applied if its lane is free',
    store: onUpdates((update) =>
      update.add?.charged === undefined
        ? update
        : dropTests(update, ({ attribute }) => attribute === 'pruned_through'),
    ),
  },
  {
    name: 'prune-used-lanes',
    simplification: 'lanes are removed whether they are idle or not',
    store: pruneUsedLanes,
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
    name: 'usage-counted-as-delivered',
    simplification: 'usage is added as often as the stream delivers it',
    store: (store) =>
      changeUpdates(store, (update) => (update.table === 'usage' ? { ...update, when: [] } : update)),
  },
  {
    name: 'usage-line-by-line',
    simplification: 'usage lines and progress are written one after the other',
    store: splitTransactions('usage', 'usage'),
  },
];

function onUpdates(change: (update: Update) => Update): NonNullable<Mutant['store']> {
  return (store) => changeUpdates(store, (update) => (update.table === 'accounts' ? change(update) : update));
}

function onRecords(change: (record: Item) => Item): NonNullable<Mutant['store']> {
  return (store) => changePuts(store, (put) => (isRecord(put) ? { ...put, item: change(put.item) } : put));
}

function isRecord({ table, item }: Put): boolean {
  return table === 'ledger' && item.settled_cu !== undefined;
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

function isPendingUsage({ attribute }: Term): boolean {
  return attribute.startsWith(PENDING_USAGE_PREFIX);
}

function movesIndex({ set, remove }: Update): boolean {
  return set?.pending_hour !== undefined || remove?.includes('pending_hour') === true;
}

function prunes({ set }: Update): boolean {
  return set?.pruned_through !== undefined;
}

/** What the real code bears as well is made frequent: a slow settlement, and charges that come twice. */
function pruneUsedLanes(store: Store, process: SimulatedProcess): Store {
  const isLane = ({ attribute }: Term) => attribute.startsWith(LANE_PREFIX);
  const changed = changeUpdates(store, (update) => (prunes(update) ? dropTests(update, isLane) : update));
  return {
    ...changed,
    update: async (update) => {
      if (prunes(update)) await process.pause(PRUNING_HELD_MS);
      if (update.add?.charged !== undefined) {
        process
          .pause(CHARGE_REPEATED_MS)
          .then(() => store.update(update))
          .catch(() => {});
      }
      return changed.update(update);
    },
    transact: async (actions) => {
      const held = actions.some((action) => 'update' in action && prunes(action.update));
      if (held) await process.pause(PRUNING_HELD_MS);
      return changed.transact(actions);
    },
  };
}

function dropTests(update: Update, dropped: (term: Term) => boolean): Update {
  return { ...update, when: withoutTests(update.when, dropped) };
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
    'put' in action ? action.put.table : 'update' in action ? action.update.table : action.check.table;
  const rank = (action: (typeof actions)[number]) => Number(tableOf(action) !== first);
  for (const action of actions.toSorted((one, other) => rank(one) - rank(other))) {
    if ('check' in action) continue;
    const result = 'put' in action ? await store.put(action.put) : await store.update(action.update);
    if (result.applied) continue;
    const refused = actions.map((each) => (each === action ? { item: result.item } : undefined));
    return { applied: false, refused };
  }
  return { applied: true };
}
