import { encodeUsage } from '../access/charge/usage-text.ts';
import { amountOf, textOf } from '../access/store/item-values.ts';
import type { Item, Put } from '../access/store/store.ts';
import { usageHash } from '../shared/bill/lane-leaf.ts';
import { type RecordStatement, statementText } from '../shared/bill/record-statement.ts';
import type { FrozenPlace } from './frozen-leaves.ts';
import type { HourSum } from './hour-sum.ts';
import { placeOf, storedPlace } from './sealed-records.ts';

/** First part of a record's sort key. */
export const SETTLEMENT_PREFIX = 'settlement#';
/** Compute units of one billing unit. */
export const BILLING_UNIT_CU = 1_000n;
/** Most bytes of what a record says of chains and methods. */
const MAX_RECORD_USAGE_BYTES = 8_192;
const REVISION_DIGITS = 6;

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

/** The record that settles what the lanes of an hour have come to, after `last`, the hour's youngest record. */
export function nextRecord(
  account: string,
  sum: HourSum,
  last: UnstatedRecord | undefined,
  nowMs: number,
): UnstatedRecord {
  const { hour, cu, lanes } = sum;
  const before = last?.total_cu ?? 0n;
  return {
    account,
    hour,
    revision: (last?.revision ?? 0) + 1,
    settled_cu: cu - before,
    total_cu: cu,
    billing_units: cu / BILLING_UNIT_CU - before / BILLING_UNIT_CU,
    remainder_cu: cu % BILLING_UNIT_CU,
    lanes,
    digest: sum.digest(),
    used: encodeUsage(sum.usage(), MAX_RECORD_USAGE_BYTES),
    settled_at: new Date(nowMs).toISOString(),
  };
}

/** Puts a record, once: a record that exists is never written again. What it states may be added before. */
export function putRecord(record: UnstatedRecord & Partial<SettlementRecord>): Put {
  const { stated, ...plain } = record;
  const { hour, revision, lanes } = plain;
  const key = { record: recordKey(hour, revision), revision: BigInt(revision), lanes: BigInt(lanes) };
  return {
    table: 'ledger',
    item: { ...plain, ...key, ...(stated && storedStatement(stated)) },
    when: [{ is: 'absent', attribute: 'record' }],
  };
}

/** The amounts of a record, in compute units and billing units, as its customer is told them. */
export function amountsOf(record: UnstatedRecord) {
  return {
    settled_cu: Number(record.settled_cu),
    total_cu: Number(record.total_cu),
    billing_units: Number(record.billing_units),
    remainder_cu: Number(record.remainder_cu),
  };
}

/** What a record states to its customer, as text. */
export function statementOf(record: SettlementRecord): string {
  const { account, hour, revision, lanes, used, settled_at, stated } = record;
  const { number, previous, root, salt } = stated;
  return statementText({
    account,
    number,
    previous,
    hour,
    revision,
    ...amountsOf(record),
    lanes,
    root,
    usage: usageHash(used),
    settled_at,
    salt,
  });
}

/** Sort key of a record. */
export function recordKey(hour: string, revision: number): string {
  return `${SETTLEMENT_PREFIX}${hour}#${String(revision).padStart(REVISION_DIGITS, '0')}`;
}

/** Sort key range of the records of some hours, both included. */
export function recordRange(
  fromHour: string,
  toHour: string,
): { readonly from: string; readonly to: string } {
  return { from: recordKey(fromHour, 0), to: recordKey(toHour, 10 ** REVISION_DIGITS - 1) };
}

/** Reads a stored record. Throws a TypeError if it is none. */
export function toRecord(item: Item): SettlementRecord {
  return {
    account: textOf(item, 'account'),
    hour: textOf(item, 'hour'),
    revision: Number(amountOf(item, 'revision')),
    settled_cu: amountOf(item, 'settled_cu'),
    total_cu: amountOf(item, 'total_cu'),
    billing_units: amountOf(item, 'billing_units'),
    remainder_cu: amountOf(item, 'remainder_cu'),
    lanes: Number(amountOf(item, 'lanes')),
    digest: textOf(item, 'digest'),
    used: textOf(item, 'used'),
    settled_at: textOf(item, 'settled_at'),
    stated: toStated(item),
  };
}

function storedStatement({ number, previous, root, salt, frozen }: StatedRecord): Item {
  return {
    number: BigInt(number),
    previous,
    root,
    salt,
    ...(frozen && storedPlace(frozen)),
  };
}

function toStated(item: Item): StatedRecord {
  return {
    number: Number(amountOf(item, 'number')),
    previous: textOf(item, 'previous'),
    root: textOf(item, 'root'),
    salt: textOf(item, 'salt'),
    ...placeOf(item),
  };
}
