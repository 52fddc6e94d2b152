import type { NumberedRecord } from '../access/accounts/account-item.ts';
import { decodeUsage, usageCu } from '../access/charge/usage-text.ts';
import { amountOf } from '../access/store/item-values.ts';
import type { Reading } from '../access/store/query-items.ts';
import {
  CREDITS_AND_DEBITS,
  isDebit,
  ledgerRange,
  ledgerRecords,
  recordKey,
  SETTLEMENT_PREFIX,
  type SettlementRecord,
  sealedOf,
  toRecord,
} from '../settlement/settlement-ledger.ts';
import { LruMap } from '../shared/runtime/expiring-memory.ts';

/** Compute units of one billing unit, as the specification has it: the audit takes no figure from settlement. */
export const UNIT_CU = 1_000n;
/** Hours whose last records are kept: more than lanes are kept for, and more than an account can have open. */
const RECENT_HOURS = 1_000;

/** What the ledger of an account adds up to, in compute units. */
export interface LedgerSums {
  readonly creditedCu: bigint;
  readonly debitedCu: bigint;
  /** Number of settlement records. */
  readonly records: bigint;
  readonly settledCu: bigint;
  readonly billingUnits: bigint;
  /** Left below whole billing units: the last remainder of each hour. */
  readonly remainderCu: bigint;
  /** What the last records of the youngest hours say, the oldest first. */
  readonly recent: ReadonlyMap<string, Pick<SettlementRecord, 'total_cu' | 'digest'>>;
  /** The record with the highest number. Undefined: absent. */
  readonly lastRecord: NumberedRecord | undefined;
  /** The first record that does not follow from the one before, and why. */
  readonly fault: string | undefined;
}

/**
 * Adds up the credits, debits and settlement records of an account, the latter in their order, in memory that does not
 * grow with their number. Rejects with a TypeError for an item that is none of these.
 * @param onRecord takes each settlement record
 */
export async function sumLedger(
  reading: Reading,
  account: string,
  onRecord?: (record: SettlementRecord) => void,
): Promise<LedgerSums> {
  const sums = {
    creditedCu: 0n,
    debitedCu: 0n,
    records: 0n,
    settledCu: 0n,
    billingUnits: 0n,
    remainderCu: 0n,
  };
  for await (const item of ledgerRange(reading, account, CREDITS_AND_DEBITS))
    sums[isDebit(item) ? 'debitedCu' : 'creditedCu'] += amountOf(item, 'cu');
  const recent = new LruMap<Pick<SettlementRecord, 'total_cu' | 'digest'>>(RECENT_HOURS);
  let fault: string | undefined;
  let last: SettlementRecord | undefined;
  let lastRecord: NumberedRecord | undefined;
  let unitsOfHour = 0n;
  for await (const item of ledgerRecords(reading, account, SETTLEMENT_PREFIX)) {
    const record = toRecord(item);
    onRecord?.(record);
    const { hour, revision, settled_cu, total_cu, billing_units, remainder_cu, digest } = record;
    const before = last?.hour === hour ? last : undefined;
    unitsOfHour = (before === undefined ? 0n : unitsOfHour) + billing_units;
    sums.records += 1n;
    sums.settledCu += settled_cu;
    sums.billingUnits += billing_units;
    sums.remainderCu += remainder_cu - (before?.remainder_cu ?? 0n);
    recent.set(hour, { total_cu, digest });
    const wrong = item.record === recordKey(hour, revision) ? faultOf(record, before, unitsOfHour) : 'key';
    if (wrong !== undefined) fault ??= `${item.record}: wrong ${wrong}`;
    if (record.number > (lastRecord?.number ?? 0)) lastRecord = sealedOf(record);
    last = record;
  }
  return { ...sums, recent: new Map(recent.entries()), lastRecord, fault };
}

function faultOf(
  record: SettlementRecord,
  before: SettlementRecord | undefined,
  unitsOfHour: bigint,
): string | undefined {
  if (record.revision !== (before?.revision ?? 0) + 1) return 'revision';
  if (record.settled_cu <= 0n) return 'settled_cu';
  if (record.total_cu !== (before?.total_cu ?? 0n) + record.settled_cu) return 'total_cu';
  if (record.remainder_cu < 0n || record.remainder_cu >= UNIT_CU) return 'remainder_cu';
  if (unitsOfHour * UNIT_CU + record.remainder_cu !== record.total_cu) return 'billing_units';
  if (usageCu(decodeUsage(record.used) ?? []) !== Number(record.total_cu)) return 'used';
  return undefined;
}
