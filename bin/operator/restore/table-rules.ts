import { belowTotal } from '../../../lambdas/access/charge/lane.ts';
import { amountOrZero } from '../../../lambdas/access/store/item-values.ts';
import {
  absentOr,
  type Condition,
  holds,
  type Item,
  type Key,
  type Term,
} from '../../../lambdas/access/store/store.ts';
import { TABLES, type Table } from '../../../lambdas/access/store/tables.ts';
import { HEADS_PARTITION } from '../../../lambdas/settlement/heads.ts';
import { newRecord } from '../../../lambdas/settlement/settlement-ledger.ts';

/**
 * What an item of the stage is beside the same item of a backup: `same`; `newer` or `older` by the rule of its table;
 * or `differing`, where no rule says which of the two is true.
 */
type Verdict = 'same' | 'newer' | 'older' | 'differing';

/** How items of a table come back from a backup of it. */
interface RestoreRule {
  /** Holds where the restored item may be put: the stage has none, or an older one. An item is newer where this holds the other way round. */
  readonly when: (restored: Item) => Condition;
  /** Whether an item that stands is newer, whatever it says. @default by `when` */
  readonly stands?: (stored: Item, restored: Item) => boolean;
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
 * The rule of each table: the condition under which the gateway itself writes such an item. None puts an item over a newer
 * truth, whatever is written meanwhile:
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
    when: () => absent('key_id'),
    stands: (stored, restored) => KEY_IDENTITY.every((name) => stored[name] === restored[name]),
  },
  accounts: { when: isBelow },
  lanes: { when: (lane) => belowTotal(amountOrZero(lane, 'total')) },
  unsettled: { when: () => absent('entry'), stands: () => true },
  balances: { when: () => absent('account'), stands: () => true },
  ledger: {
    when: (record) => newRecord(record).when,
    stands: ({ account }) => account === HEADS_PARTITION,
  },
};

/** Holds for an account item that is lower in some of what only rises, and higher in none, and where there is no item. */
function isBelow(restored: Item): Condition {
  const none = { is: 'absent', attribute: 'account' } as const;
  const values = RISING.map((attribute) => ({ attribute, value: restored[attribute] }));
  const lower = values.flatMap(({ attribute, value }) =>
    value === undefined ? [] : absentOr(attribute, '<', value),
  );
  const notHigher = values.map(({ attribute, value }): readonly Term[] =>
    value === undefined ? [{ is: 'absent', attribute }] : absentOr(attribute, '<=', value),
  );
  return [[none, ...lower], ...notHigher];
}

/** Compares the stage's item with the same item of the backup. */
export function verdictOn(table: Table, stored: Item, restored: Item): Verdict {
  if (differingAttributes(stored, restored).length === 0) return 'same';
  const { when, stands } = RESTORE_RULES[table];
  const isOlder = holds(when(restored), stored);
  const isNewer = stands?.(stored, restored) ?? holds(when(stored), restored);
  if (isOlder === isNewer) return 'differing';
  return isOlder ? 'older' : 'newer';
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
