import { InputError } from '../contract/input-error.ts';
import { amountOf, amountOrZero, textOf } from '../store/item-values.ts';
import type { Item } from '../store/store.ts';
import { MAX_SHARDS } from '../store/tables.ts';

/** An account item as it was read at one moment. All amounts are compute units. */
export interface AccountItem {
  readonly account: string;
  /** Name of the plan, which may be unknown to the stage. */
  readonly plan: string;
  /** Number of its last plan record in the ledger. */
  readonly planRevision: bigint;
  /** Partitions of its lanes. Never falls. */
  readonly shards: number;
  /** Keys that were ever made for it, and those of them that are enabled. */
  readonly keys: number;
  readonly enabledKeys: number;
  /** When a key was last disabled, in milliseconds since the epoch; 0: never. */
  readonly disabledAtMs: number;
  readonly granted: bigint;
  /** What was taken back of that. Only rises, as all amounts here do. */
  readonly debited: bigint;
  /** Sum of all its settlement records. */
  readonly settled: bigint;
  /** Every hour before this one is settled, apart from what comes late. */
  readonly openFrom: string;
  /** Of what is settled, that of the hours before `openFrom`: the lanes of later ones are still in the balance. */
  readonly closed: bigint;
  /** Its last settlement record. Absent: it has none. */
  readonly lastRecord?: NumberedRecord;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Place of a settlement record among those of its account. */
export interface NumberedRecord {
  /** From 1 on. */
  readonly number: number;
  /** Hash of what it states, in hex. */
  readonly hash: string;
}

/** Reads a stored account item. Throws a TypeError if an attribute is missing or of another type. */
export function readAccountItem(item: Item): AccountItem {
  return {
    account: textOf(item, 'account'),
    plan: textOf(item, 'plan'),
    planRevision: amountOf(item, 'plan_revision'),
    shards: Math.min(Number(amountOf(item, 'shards')), MAX_SHARDS),
    keys: Number(amountOf(item, 'keys')),
    enabledKeys: Number(amountOf(item, 'enabled_keys')),
    disabledAtMs: Number(amountOf(item, 'disabled_at_ms')),
    granted: amountOf(item, 'granted'),
    debited: amountOrZero(item, 'debited'),
    settled: amountOf(item, 'settled'),
    openFrom: textOf(item, 'open_from'),
    closed: amountOf(item, 'closed'),
    ...('record_number' in item && {
      lastRecord: { number: Number(amountOf(item, 'record_number')), hash: textOf(item, 'record_hash') },
    }),
    createdAt: textOf(item, 'created_at'),
  };
}

/** An account as it is stored. */
export function toStoredAccount(account: AccountItem): Item {
  return {
    account: account.account,
    plan: account.plan,
    plan_revision: account.planRevision,
    shards: BigInt(account.shards),
    keys: BigInt(account.keys),
    enabled_keys: BigInt(account.enabledKeys),
    disabled_at_ms: BigInt(account.disabledAtMs),
    granted: account.granted,
    ...(account.debited > 0n && { debited: account.debited }),
    settled: account.settled,
    open_from: account.openFrom,
    closed: account.closed,
    ...(account.lastRecord && storedRecord(account.lastRecord)),
    created_at: account.createdAt,
  };
}

/** The attributes of an account item that name its last record. */
export function storedRecord({ number, hash }: NumberedRecord) {
  return { record_number: BigInt(number), record_hash: hash };
}

const ACCOUNT_PATTERN = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Throws {@link InputError} unless the text can be the id of an account. */
export function requireAccountId(account: string): void {
  if (!ACCOUNT_PATTERN.test(account)) {
    throw new InputError('an account id has 1 to 63 of a-z, 0-9, _ and -, and starts with a letter or digit');
  }
}

/** The error for an account that is not there. */
export function unknownAccount(account: string): InputError {
  return new InputError(`unknown account ${account}`);
}

/** The error for an account item that contradicts the ledger. `is`: its state, such as `gone`. */
export function damagedAccount(account: string, is: string): Error {
  return new Error(`the item of account ${account} is ${is}: run operator account rebuild ${account}`);
}
