import type { Item, Put, Value } from './store.ts';

/** Compute units of one billing unit. */
export const BILLING_UNIT_CU = 1_000n;
/** First part of the sort key of all settlement records. */
export const SETTLEMENT_PREFIX = 'settlement#';
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
  /** ISO 8601. */
  readonly settled_at: string;
}

/** The usage of one hour that is to be settled. */
export interface PendingUsage {
  readonly account: string;
  readonly hour: string;
  readonly cu: bigint;
}

/** The record that settles this usage after `last`, the hour's youngest record. */
export function nextRecord(
  usage: PendingUsage,
  last: SettlementRecord | undefined,
  nowMs: number,
): SettlementRecord {
  const before = last?.total_cu ?? 0n;
  const total = before + usage.cu;
  return {
    account: usage.account,
    hour: usage.hour,
    revision: (last?.revision ?? 0) + 1,
    settled_cu: usage.cu,
    total_cu: total,
    billing_units: total / BILLING_UNIT_CU - before / BILLING_UNIT_CU,
    remainder_cu: total % BILLING_UNIT_CU,
    settled_at: new Date(nowMs).toISOString(),
  };
}

/** Puts a record, once: a record that exists is never written again. */
export function putRecord(record: SettlementRecord): Put {
  const { hour, revision } = record;
  return {
    table: 'ledger',
    item: { ...record, record: recordKey(hour, revision), revision: BigInt(revision) },
    when: [{ is: 'absent', attribute: 'record' }],
  };
}

/** Sort key of a record. */
export function recordKey(hour: string, revision: number): string {
  return `${SETTLEMENT_PREFIX}${hour}#${String(revision).padStart(REVISION_DIGITS, '0')}`;
}

/** Sort key range of one hour's records. */
export function recordRange(hour: string): { readonly from: string; readonly to: string } {
  return { from: recordKey(hour, 0), to: recordKey(hour, 10 ** REVISION_DIGITS - 1) };
}

/** Reads a stored record. Throws a TypeError if it is none. */
export function toRecord(item: Item): SettlementRecord {
  return {
    account: text(item.account),
    hour: text(item.hour),
    revision: Number(amount(item.revision)),
    settled_cu: amount(item.settled_cu),
    total_cu: amount(item.total_cu),
    billing_units: amount(item.billing_units),
    remainder_cu: amount(item.remainder_cu),
    settled_at: text(item.settled_at),
  };
}

function amount(value: Value | undefined): bigint {
  if (typeof value !== 'bigint') throw new TypeError('a settlement record lacks an amount');
  return value;
}

function text(value: Value | undefined): string {
  if (typeof value !== 'string') throw new TypeError('a settlement record lacks a text');
  return value;
}
