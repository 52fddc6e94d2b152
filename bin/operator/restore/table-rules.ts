import type { Condition, Item, Key, Value } from '../../../lambdas/access/store/store.ts';
import { TABLES, type Table } from '../../../lambdas/access/store/tables.ts';
import { HEADS_PARTITION } from '../../../lambdas/settlement/follow-heads.ts';

/**
 * What an item of the stage is beside the same item of a backup: `same`; `newer` or `older` by the rule of its table;
 * or `differing`, where no rule says which of the two is true.
 */
type Verdict = 'same' | 'newer' | 'older' | 'differing';

/** How items of a table come back from a backup of it. */
interface RestoreRule {
  /** Compares two items that are not the same. */
  readonly compare: (stored: Item, restored: Item) => Exclude<Verdict, 'same'>;
  /** Holds where the restored item may be put: the stage has none, or an older one. */
  readonly when: (restored: Item) => Condition;
}

/** Attributes that are set when a key is made, and never change. */
const KEY_IDENTITY = ['account', 'label', 'last4', 'created_at'];
/** Attributes of an account item that only rise: each credit, plan, key and settlement raises some, and nothing lowers any. */
const RISING = [
  'granted',
  'debited',
  'settled',
  'closed',
  'open_from',
  'plan_revision',
  'shards',
  'keys',
  'disabled_at_ms',
];

/**
 * The rule of each table. None puts an item over a newer truth, whatever the gateway writes meanwhile:
 *
 * keys       what stands is younger than any backup of it: status and bucket stay. Another identity is a difference
 * accounts   amounts and counts only rise: lower in some and higher in none is older
 * lanes      the highest total wins, as for every write of a lane
 * unsettled  any mark puts an hour on the work list: what stands is enough
 * balances   what stands is younger; it is written anew all the time
 * ledger     a record is written once: only where there is none. The last head that it knows only rises
 */
export const RESTORE_RULES: Readonly<Record<Table, RestoreRule>> = {
  keys: {
    compare: (stored, restored) =>
      KEY_IDENTITY.every((name) => stored[name] === restored[name]) ? 'newer' : 'differing',
    when: () => absent('key_id'),
  },
  accounts: {
    compare: (stored, restored) => {
      const orders = new Set(RISING.map((name) => order(stored[name], restored[name])));
      if (orders.has(1)) return orders.has(-1) ? 'differing' : 'newer';
      return orders.has(-1) ? 'older' : 'differing';
    },
    when: (restored) =>
      RISING.flatMap((attribute) => {
        const value = restored[attribute];
        return value === undefined
          ? []
          : [[{ is: 'absent', attribute } as const, { is: '<=', attribute, value } as const]];
      }),
  },
  lanes: {
    compare: (stored, restored) => {
      const higher = order(stored.total, restored.total);
      return higher === 0 ? 'differing' : higher > 0 ? 'newer' : 'older';
    },
    when: ({ total }) =>
      total === undefined
        ? absent('total')
        : [
            [
              { is: 'absent', attribute: 'total' },
              { is: '<', attribute: 'total', value: total },
            ],
          ],
  },
  unsettled: { compare: () => 'newer', when: () => absent('entry') },
  balances: { compare: () => 'newer', when: () => absent('account') },
  ledger: {
    compare: ({ account }) => (account === HEADS_PARTITION ? 'newer' : 'differing'),
    when: () => absent('record'),
  },
};

/** Compares the stage's item with the same item of the backup. */
export function verdictOn(table: Table, stored: Item, restored: Item): Verdict {
  const differing = differingAttributes(stored, restored);
  return differing.length === 0 ? 'same' : RESTORE_RULES[table].compare(stored, restored);
}

/** Names of the attributes that two items have differently, or one of them alone, in alphabetical order. */
export function differingAttributes(left: Item, right: Item): string[] {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].filter((name) => left[name] !== right[name]).sort();
}

/** The primary key of an item. Throws a TypeError if it has none of this table. */
export function keyOf(table: Table, item: Item): Key {
  const key = Object.fromEntries(keyAttributes(table).map((name) => [name, item[name]]));
  for (const [name, value] of Object.entries(key)) {
    if (typeof value !== 'string') throw new TypeError(`an item has no ${name}, which is part of its key`);
  }
  return key as Key;
}

/** Attributes of a table's primary key. */
export function keyAttributes(table: Table): string[] {
  const { partitionKey, sortKey } = TABLES[table];
  return sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
}

/** Whether DynamoDB may delete an item at a time: it would go again at once. */
export function hasExpired(table: Table, item: Item, nowMs: number): boolean {
  const { expiry } = TABLES[table];
  const second = expiry === undefined ? undefined : item[expiry];
  return typeof second === 'bigint' && Number(second) * 1_000 <= nowMs;
}

function absent(attribute: string): Condition {
  return [{ is: 'absent', attribute }];
}

/** 1 if the first is higher, -1 if it is lower; what is missing is lower than everything. */
function order(left: Value | undefined, right: Value | undefined): -1 | 0 | 1 {
  if (left === right) return 0;
  if (left === undefined) return -1;
  if (right === undefined) return 1;
  return left > right ? 1 : -1;
}
