import { amountOf, textOf } from '../access/store/item-values.ts';
import { queryItems, queryPages, type Reading } from '../access/store/query-items.ts';
import type { Item, Put } from '../access/store/store.ts';
import { AFTER_ALL } from '../access/store/tables.ts';
import { usageHash } from '../shared/bill/lane-leaf.ts';
import { type RecordStatement, statementHash, statementText } from '../shared/bill/record-statement.ts';

/** Partition of the ledger that names every account (as `record`): the store has no scan. */
export const ACCOUNT_REGISTRY = '#accounts';
/** First part of the sort keys of credits, of what is taken back, and of plan changes. No other sorts between the first two. */
export const CREDIT_PREFIX = 'credit#';
export const DEBIT_PREFIX = 'debit#';
export const PLAN_PREFIX = 'plan#';

/** Sort keys of all credits and debits. */
export const CREDITS_AND_DEBITS = { from: CREDIT_PREFIX, to: DEBIT_PREFIX + AFTER_ALL };

/** First part of a settlement record's sort key. */
export const SETTLEMENT_PREFIX = 'settlement#';
/** Compute units of one billing unit. */
export const BILLING_UNIT_CU = 1_000n;
const RECORDS_PER_PAGE = 250;
const ACCOUNTS_PER_PAGE = 100;
const REVISION_DIGITS = 6;
/** Sort key of the item that takes a number: its first part, and the digits behind it. */
const NUMBER_PREFIX = 'number#';
const NUMBER_DIGITS = 12;
/** Members of a record by how they are stored: amounts, of CU and billing units, counts and texts. */
const AMOUNTS = ['settled_cu', 'total_cu', 'billing_units', 'remainder_cu'] as const;
const COUNTS = ['number', 'revision', 'lanes'] as const;
const TEXTS = ['account', 'hour', 'previous', 'root', 'digest', 'used', 'settled_at', 'salt'] as const;
type Amount = (typeof AMOUNTS)[number];

/**
 * What one settlement moved: immutable. It states to its customer all that it has but `digest` and `frozen`.
 *
 * Invariant: the revisions of an hour count from 1, and each moved more than 0. Over all of them the units add up to
 * floor(total_cu / 1000) of the last one; what is left below a whole unit is not carried into another hour.
 */
export interface SettlementRecord
  extends Omit<RecordStatement, Amount | 'usage'>,
    Readonly<Record<Amount, bigint>> {
  /** Digest of what each lane had. */
  readonly digest: string;
  /** What the whole hour was charged for, as a usage text that adds up to the total. */
  readonly used: string;
  /** Where its leaves are kept, as `readFrozen` takes it. Absent: they could not be. */
  readonly frozen?: string;
}

/** A record that a head names by its hash, or that waits for one: what finds it again. */
export interface SealedRecord extends Pick<SettlementRecord, 'account' | 'number' | 'frozen'> {
  /** Hash of its statement, in hex. */
  readonly hash: string;
}

/** Sort keys, or hours, from one to another, both included. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

/** Puts a record into the ledger, once: one that exists is never written again. */
export function newRecord(item: Item): Put {
  return { table: 'ledger', item, when: [{ is: 'absent', attribute: 'record' }] };
}

/** Puts a settlement record, once. */
export function putRecord(record: SettlementRecord): Put {
  const counts = valuesOf(COUNTS, (name) => BigInt(record[name]));
  return newRecord({ ...record, ...counts, record: recordKey(record.hour, record.revision) });
}

/** The amounts of a record, in compute units and billing units, as its customer sees them. */
export function amountsOf(record: Readonly<Record<Amount, bigint>>): Record<Amount, number> {
  return valuesOf(AMOUNTS, (name) => Number(record[name]));
}

/** What a record states to its customer, as text. */
export function statementOf(record: SettlementRecord): string {
  return statementText({ ...record, ...amountsOf(record), usage: usageHash(record.used) });
}

/** The record that a statement is of. */
export function statedRecord(
  { usage: _hash, ...stated }: RecordStatement,
  unstated: Pick<SettlementRecord, 'digest' | 'used' | 'frozen'>,
): SettlementRecord {
  return { ...stated, ...valuesOf(AMOUNTS, (name) => BigInt(stated[name])), ...unstated };
}

/** What a head names a record by. */
export function sealedOf(record: SettlementRecord): SealedRecord {
  const { account, number } = record;
  return { account, number, hash: statementHash(statementOf(record)), ...frozenOf(record) };
}

/** Sort key of a record. */
export function recordKey(hour: string, revision: number): string {
  return `${SETTLEMENT_PREFIX}${hour}#${String(revision).padStart(REVISION_DIGITS, '0')}`;
}

/** Sort key range of the records of some hours, both included. */
export function recordRange(fromHour: string, toHour: string): KeyRange {
  return { from: recordKey(fromHour, 0), to: recordKey(toHour, 10 ** REVISION_DIGITS - 1) };
}

/** Sort key of the item of the ledger that takes a number. */
export function numberKey(number: number): string {
  return NUMBER_PREFIX + String(number).padStart(NUMBER_DIGITS, '0');
}

/** Takes a number among the records of an account, once. */
export function numberPut({ account, number, hash }: SealedRecord): Put {
  return newRecord({ account, record: numberKey(number), hash });
}

/** Reads a stored record. Throws a TypeError if invalid. */
export function toRecord(item: Item): SettlementRecord {
  return {
    ...valuesOf(TEXTS, (name) => textOf(item, name)),
    ...valuesOf(COUNTS, (name) => Number(amountOf(item, name))),
    ...valuesOf(AMOUNTS, (name) => amountOf(item, name)),
    ...frozenOf(item),
  };
}

/** Where leaves are kept, if a record or an item says so. */
export function frozenOf({ frozen }: Pick<SettlementRecord, 'frozen'> | Item): { readonly frozen?: string } {
  return frozen === undefined ? {} : { frozen: String(frozen) };
}

/** One value for each name. */
function valuesOf<Name extends string, Value>(
  names: readonly Name[],
  read: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, Value>;
}

/** All settlement records of an account, oldest hour first, page by page. */
export async function* settlementRecords(
  reading: Reading,
  account: string,
): AsyncGenerator<SettlementRecord> {
  for await (const item of ledgerRecords(reading, account, SETTLEMENT_PREFIX)) yield toRecord(item);
}

/** The records of a ledger partition whose sort key starts with a prefix, in order, page by page. */
export function ledgerRecords(reading: Reading, account: string, prefix: string): AsyncGenerator<Item> {
  return ledgerRange(reading, account, { from: prefix, to: prefix + AFTER_ALL });
}

/**
 * Ids of all accounts in their order, page by page.
 * @param after account behind which the first one is
 */
export async function* registeredAccounts(
  reading: Reading,
  after?: string,
): AsyncGenerator<readonly string[]> {
  const pages = queryPages(reading, {
    table: 'ledger',
    partition: { attribute: 'account', value: ACCOUNT_REGISTRY },
    // No account has a name between the two.
    ...(after !== undefined && { sort: { attribute: 'record', from: `${after}\0`, to: AFTER_ALL } }),
    limit: ACCOUNTS_PER_PAGE,
  });
  for await (const page of pages) yield page.map(({ record }) => String(record));
}

/** Whether a record takes something back. */
export function isDebit({ record }: Item): boolean {
  return String(record).startsWith(DEBIT_PREFIX);
}

/** How records of some hours are read. */
export interface RecordReading {
  /** Hours, both included. */
  readonly fromHour: string;
  readonly toHour: string;
  /** The youngest hour first. @default false */
  readonly descending?: boolean;
  /** Records that one query brings. @default 250 */
  readonly perPage?: number;
}

/** The last record of each of some hours, in their order, page by page. */
export async function* lastRecords(
  reading: Reading,
  account: string,
  { fromHour, toHour, ...order }: RecordReading,
): AsyncGenerator<SettlementRecord> {
  const { descending = false } = order;
  let before: SettlementRecord | undefined;
  for await (const item of ledgerRange(reading, account, recordRange(fromHour, toHour), order)) {
    const record = toRecord(item);
    const isOtherHour = before?.hour !== record.hour;
    if (isOtherHour && descending) yield record;
    else if (isOtherHour && before !== undefined) yield before;
    before = record;
  }
  if (!descending && before !== undefined) yield before;
}

/** The records of a range of sort keys, in its order, page by page. */
export function ledgerRange(
  reading: Reading,
  account: string,
  range: KeyRange,
  { descending = false, perPage = RECORDS_PER_PAGE }: Pick<RecordReading, 'descending' | 'perPage'> = {},
): AsyncGenerator<Item> {
  return queryItems(reading, {
    table: 'ledger',
    partition: { attribute: 'account', value: account },
    sort: { attribute: 'record', ...range },
    descending,
    limit: perPage,
  });
}
