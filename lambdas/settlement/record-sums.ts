import type { NumberedRecord } from '../access/accounts/account-item.ts';
import { decodeUsage, usageCu } from '../access/charge/usage-text.ts';
import type { Reading } from '../access/store/query-items.ts';
import { statementHash } from '../shared/bill/record-statement.ts';
import { ledgerRecords } from './settlement-ledger.ts';
import {
  BILLING_UNIT_CU,
  recordKey,
  SETTLEMENT_PREFIX,
  type SettlementRecord,
  statementOf,
  toRecord,
} from './settlement-record.ts';

/** Hours whose last records are kept: more than lanes are kept for, and more than an account can have open. */
const RECENT_HOURS = 1_000;

/** What an account's settlement records add up to. */
export interface RecordSums {
  readonly records: bigint;
  readonly settledCu: bigint;
  readonly billingUnits: bigint;
  /** Left below whole billing units: the last remainder of each hour. */
  readonly remainderCu: bigint;
  /** What the last records of the youngest hours say, the oldest first. */
  readonly recent: ReadonlyMap<string, Pick<SettlementRecord, 'total_cu' | 'digest'>>;
  /** The record with the highest number. Undefined: there is none. */
  readonly lastRecord: NumberedRecord | undefined;
  /** The first record that does not follow from the one before, and why. */
  readonly fault: string | undefined;
}

/**
 * Follows an account's settlement records in their order, in memory that does not grow with their number.
 * @param onRecord is given each of them
 */
export async function sumRecords(
  reading: Reading,
  account: string,
  onRecord?: (record: SettlementRecord) => void,
): Promise<RecordSums> {
  const recent = new Map<string, Pick<SettlementRecord, 'total_cu' | 'digest'>>();
  const sums = { records: 0n, settledCu: 0n, billingUnits: 0n, remainderCu: 0n };
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
    const [oldest] = recent.keys();
    if (recent.size > RECENT_HOURS && oldest !== undefined) recent.delete(oldest);
    const wrong = item.record === recordKey(hour, revision) ? faultOf(record, before, unitsOfHour) : 'key';
    if (wrong !== undefined) fault ??= `${item.record}: wrong ${wrong}`;
    const { number } = record.stated;
    if (number > (lastRecord?.number ?? 0)) lastRecord = { number, hash: statementHash(statementOf(record)) };
    last = record;
  }
  return { ...sums, recent, lastRecord, fault };
}

function faultOf(
  record: SettlementRecord,
  before: SettlementRecord | undefined,
  unitsOfHour: bigint,
): string | undefined {
  if (record.revision !== (before?.revision ?? 0) + 1) return 'revision';
  if (record.settled_cu <= 0n) return 'settled_cu';
  if (record.total_cu !== (before?.total_cu ?? 0n) + record.settled_cu) return 'total_cu';
  if (record.remainder_cu < 0n || record.remainder_cu >= BILLING_UNIT_CU) return 'remainder_cu';
  if (unitsOfHour * BILLING_UNIT_CU + record.remainder_cu !== record.total_cu) return 'billing_units';
  if (usageCu(decodeUsage(record.used) ?? []) !== Number(record.total_cu)) return 'used';
  return undefined;
}
