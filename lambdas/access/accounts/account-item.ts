import type { Item, Value } from '../store.ts';
import { MAX_SHARDS } from '../tables.ts';

/** Attributes of an account item that hold what is settled of one open hour: `s_2026-11-20T23`. */
export const SETTLED_HOUR_PREFIX = 's_';

/** An account item as it was read at one moment. All amounts are compute units. */
export interface AccountItem {
  readonly account: string;
  /** Name of the plan, which may be unknown to the stage. */
  readonly plan: string;
  /** Number of its last plan record in the ledger. */
  readonly planRevision: bigint;
  /** Partitions of its lanes. Never falls. */
  readonly shards: number;
  /** Keys that were ever made for it. */
  readonly keys: number;
  readonly granted: bigint;
  /** Sum of all its settlement records. */
  readonly settled: bigint;
  /** Every hour before this one is settled, apart from what comes late. */
  readonly openFrom: string;
  /** What is settled already of hours that are still open, by hour. */
  readonly settledOpen: ReadonlyMap<string, bigint>;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Reads a stored account item. Throws a TypeError if an attribute is missing or of another type. */
export function readAccountItem(item: Item): AccountItem {
  const settledHours = Object.keys(item).filter((name) => name.startsWith(SETTLED_HOUR_PREFIX));
  return {
    account: text(item, 'account'),
    plan: text(item, 'plan'),
    planRevision: amount(item, 'plan_revision'),
    shards: Math.min(Number(amount(item, 'shards')), MAX_SHARDS),
    keys: Number(amount(item, 'keys')),
    granted: amount(item, 'granted'),
    settled: amount(item, 'settled'),
    openFrom: text(item, 'open_from'),
    settledOpen: new Map(
      settledHours.sort().map((name) => [name.slice(SETTLED_HOUR_PREFIX.length), amount(item, name)]),
    ),
    createdAt: text(item, 'created_at'),
  };
}

/** An account as it is stored. */
export function toStoredAccount(account: AccountItem): Item {
  const settledHours = [...account.settledOpen].map(([hour, cu]) => [SETTLED_HOUR_PREFIX + hour, cu]);
  return {
    account: account.account,
    plan: account.plan,
    plan_revision: account.planRevision,
    shards: BigInt(account.shards),
    keys: BigInt(account.keys),
    granted: account.granted,
    settled: account.settled,
    open_from: account.openFrom,
    ...Object.fromEntries(settledHours),
    created_at: account.createdAt,
  };
}

/** Sum of what is settled already of open hours. */
export function settledOpenCu({ settledOpen }: Pick<AccountItem, 'settledOpen'>): bigint {
  return [...settledOpen.values()].reduce((sum, cu) => sum + cu, 0n);
}

function amount(item: Item, attribute: string): bigint {
  const value: Value | undefined = item[attribute];
  if (typeof value !== 'bigint') throw new TypeError(`an account item has no amount ${attribute}`);
  return value;
}

function text(item: Item, attribute: string): string {
  const value: Value | undefined = item[attribute];
  if (typeof value !== 'string') throw new TypeError(`an account item has no text ${attribute}`);
  return value;
}
