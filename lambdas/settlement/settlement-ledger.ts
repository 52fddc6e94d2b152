import type { NumberedRecord } from '../access/accounts/account-item.ts';
import { amountOf, textOf } from '../access/store/item-values.ts';
import { queryItems, type Reading } from '../access/store/query-items.ts';
import type { Item, Put } from '../access/store/store.ts';
import { AFTER_ALL } from '../access/store/tables.ts';
import { usageHash } from '../shared/bill/lane-leaf.ts';
import { type RecordStatement, statementText } from '../shared/bill/record-statement.ts';

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
const REVISION_DIGITS = 6;
/** Sort key of the item that takes a number: its first part, and the digits behind it. */
const NUMBER_PREFIX = 'number#';
const NUMBER_DIGITS = 12;
/** Members of a record that are amounts. */
const AMOUNTS = ['settled_cu', 'total_cu', 'billing_units', 'remainder_cu'] as const;
type Amount = (typeof AMOUNTS)[number];

/** Where the leaves of a record are kept. */
export interface FrozenPlace {
  /** Key of the object. */
  readonly object: string;
  /** First byte, and number of bytes. */
  readonly from: number;
  readonly bytes: number;
}

/**
 * What one settlement moved: immutable. The revisions of an hour count from 1; over all of them the units add
 * up to floor(total_cu / 1000) of the last one.
 */
export interface SettlementRecord {
  readonly account: string;
  readonly hour: string;
  readonly revision: number;
  /** Compute units that this revision moved; more than 0. */
  readonly settled_cu: bigint;
  /** Compute units of the hour, this revision included. */
  readonly total_cu: bigint;
  /** Billing units that this revision added. */
  readonly billing_units: bigint;
  /** What is left of the hour's total below a whole billing unit. It is not carried into another hour. */
  readonly remainder_cu: bigint;
  /** Lanes that add up to the total, and the digest of what each had. */
  readonly lanes: number;
  readonly digest: string;
  /** What the whole hour was charged for, as a usage text that adds up to the total. */
  readonly used: string;
  /** ISO 8601. */
  readonly settled_at: string;
  /** What its customer can hold it to. */
  readonly stated: StatedRecord;
}

/** A record before it states anything to its customer. */
export type UnstatedRecord = Omit<SettlementRecord, 'stated'>;

/** What a record states beside its amounts. */
interface StatedRecord extends Pick<RecordStatement, 'number' | 'previous' | 'root' | 'salt'> {
  /** Where its leaves are. Absent: they could not be kept. */
  readonly frozen?: FrozenPlace;
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

/** Puts a settlement record, once. What it states may be added before. */
export function putRecord(record: UnstatedRecord & Partial<SettlementRecord>): Put {
  const { stated, ...plain } = record;
  const { hour, revision, lanes } = plain;
  const key = { record: recordKey(hour, revision), revision: BigInt(revision), lanes: BigInt(lanes) };
  return newRecord({ ...plain, ...key, ...(stated && storedStatement(stated)) });
}

/** The amounts of a record, in compute units and billing units, as its customer is told them. */
export function amountsOf(record: UnstatedRecord): Record<Amount, number> {
  return valuesOf(AMOUNTS, (name) => Number(record[name]));
}

/** What a record states to its customer, as text. */
export function statementOf({ stated, ...record }: SettlementRecord): string {
  return statementText({ ...record, ...stated, ...amountsOf(record), usage: usageHash(record.used) });
}

/** The record that a statement is of. */
export function statedRecord(
  statement: RecordStatement,
  {
    digest,
    used,
    frozen,
  }: Pick<SettlementRecord, 'digest' | 'used'> & Required<Pick<StatedRecord, 'frozen'>>,
): SettlementRecord {
  const { usage: _hash, number, previous, root, salt, ...plain } = statement;
  const amounts = valuesOf(AMOUNTS, (name) => BigInt(statement[name]));
  return { ...plain, ...amounts, digest, used, stated: { number, previous, root, salt, frozen } };
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
export function numberPut(account: string, { number, hash }: NumberedRecord): Put {
  return newRecord({ account, record: numberKey(number), hash });
}

/** Reads a stored record. Throws a TypeError if it is none. */
export function toRecord(item: Item): SettlementRecord {
  const texts = valuesOf(['account', 'hour', 'digest', 'used', 'settled_at'], (name) => textOf(item, name));
  const counts = valuesOf(['revision', 'lanes'], (name) => Number(amountOf(item, name)));
  const stated = valuesOf(['previous', 'root', 'salt'], (name) => textOf(item, name));
  return {
    ...texts,
    ...counts,
    ...valuesOf(AMOUNTS, (name) => amountOf(item, name)),
    stated: { ...stated, number: Number(amountOf(item, 'number')), ...placeOf(item) },
  };
}

function storedStatement({ number, frozen, ...texts }: StatedRecord): Item {
  return { ...texts, number: BigInt(number), ...(frozen && storedPlace(frozen)) };
}

/** The attributes of an item that say where leaves are kept. */
export function storedPlace({ object, from, bytes }: FrozenPlace): Item {
  return { frozen_object: object, frozen_from: BigInt(from), frozen_bytes: BigInt(bytes) };
}

/** What they say, if the item has them. */
export function placeOf(item: Item): { readonly frozen?: FrozenPlace } {
  if (!('frozen_object' in item)) return {};
  const [from, bytes] = [amountOf(item, 'frozen_from'), amountOf(item, 'frozen_bytes')];
  return { frozen: { object: textOf(item, 'frozen_object'), from: Number(from), bytes: Number(bytes) } };
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
