/**
 * Shapes of the metering tables, shared with the stack. Every hot item has a partition key of its own: items
 * that share one also share its write limit.
 *
 * keys       one item per API key: identity, status and its rate-limit bucket (`tat`, `rt`)
 * accounts   one item per account: plan, `granted`, `settled`; no request writes to it
 * lanes      one item per process life, account and hour: the compute units charged on it so far, a total that rises
 * unsettled  one item per hour and account shard that has lanes to settle: the work list of settlement
 * balances   one item per account with many lanes: what its instances read instead of the lanes
 * ledger     immutable records: `credit#<reference>`, `plan#<revision>`, `settlement#<hour>#<revision>`, and
 *            `number#<number>`, which takes the number of a settlement record once
 */
export type Table = 'keys' | 'accounts' | 'lanes' | 'unsettled' | 'balances' | 'ledger';

export interface TableShape {
  readonly partitionKey: string;
  readonly sortKey?: string;
  /** Attribute with the second, since the epoch, after which DynamoDB may delete an item. */
  readonly expiry?: string;
}

export const TABLES: Readonly<Record<Table, TableShape>> = {
  keys: { partitionKey: 'key_id' },
  accounts: { partitionKey: 'account' },
  lanes: { partitionKey: 'account_shard', sortKey: 'hour_lane', expiry: 'expires_at' },
  unsettled: { partitionKey: 'slot', sortKey: 'entry' },
  balances: { partitionKey: 'account' },
  ledger: { partitionKey: 'account', sortKey: 'record' },
};

/** Keys of one account: (`account`, `key_id`). Holds nothing that a metered request changes. */
export const KEYS_BY_ACCOUNT_INDEX = {
  name: 'by-account',
  partitionKey: 'account',
  sortKey: 'key_id',
  attributes: ['label', 'last4', 'status', 'created_at'],
} as const;

/** Sorts after every character of a sort key. */
export const AFTER_ALL = '\uffff';

/** Partitions of the work list, so that the first requests of an hour do not all write to one. */
export const UNSETTLED_SLOTS = 64;

/** Most shards of one account: 64,000 charges a second. */
export const MAX_SHARDS = 64;
