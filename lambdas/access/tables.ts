/**
 * Shapes of the metering tables, shared with the stack. Every hot item has a partition key of its own: items
 * that share one also share its write limit.
 *
 * keys      one item per API key: identity, status and its rate-limit bucket (`tat`, `rt`)
 * accounts  one item per account: `granted`, `charged`, hours not yet settled (`h_<hour>`), charge lanes
 * ledger    immutable records: `credit#<reference>`, `settlement#<hour>#<revision>`
 * usage     one item per account, hour, chain and method: what charges paid for, counted from the stream of accounts
 */
export type Table = 'keys' | 'accounts' | 'ledger' | 'usage';

export interface TableShape {
  readonly partitionKey: string;
  readonly sortKey?: string;
}

export const TABLES: Readonly<Record<Table, TableShape>> = {
  keys: { partitionKey: 'key_id' },
  accounts: { partitionKey: 'account' },
  ledger: { partitionKey: 'account', sortKey: 'record' },
  usage: { partitionKey: 'account', sortKey: 'line' },
};

/** Keys of one account: (`account`, `key_id`). Holds nothing that a metered request changes. */
export const KEYS_BY_ACCOUNT_INDEX = {
  name: 'by-account',
  partitionKey: 'account',
  sortKey: 'key_id',
  attributes: ['label', 'last4', 'status', 'created_at'],
} as const;

/**
 * Accounts with usage that is not settled: (`pending_shard`, `pending_hour`). Sparse: an account without
 * `pending_hour` is not in it. Keys only, so that a charge in a running hour does not write to it.
 */
export const PENDING_ACCOUNTS_INDEX = {
  name: 'pending',
  partitionKey: 'pending_shard',
  sortKey: 'pending_hour',
} as const;

/** Partitions of the pending index; settlement works them in parallel. */
export const PENDING_SHARDS = 16;

/**
 * The table of shared answers, which is none of the metering tables: losing it costs time, never money. Items:
 * `cache_key`, `body` (compressed JSON of a result) and `expires_at` (seconds since the epoch, its time to live).
 */
export const CACHE_TABLE_SHAPE = { partitionKey: 'cache_key', expiry: 'expires_at' } as const;
