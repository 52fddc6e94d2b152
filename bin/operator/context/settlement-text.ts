import type { SettlementRecord } from '../../../lambdas/settlement/settlement-record.ts';
import { formatComputeUnits } from './compute-units.ts';
import { renderTable } from './text-table.ts';

/** Columns of settlement records. */
export const SETTLEMENT_HEADINGS = [
  'account',
  'hour',
  'revision',
  'settled',
  'total',
  'units',
  'remainder',
  'settled at',
];

/** Settlement records for people. */
export function renderSettlements(records: readonly SettlementRecord[]): string {
  return renderTable(SETTLEMENT_HEADINGS, records.map(settlementRow));
}

/** A settlement record as a row under {@link SETTLEMENT_HEADINGS}. */
export function settlementRow(record: SettlementRecord): string[] {
  const { settled_cu, total_cu, billing_units, remainder_cu } = record;
  const amounts = [settled_cu, total_cu, billing_units, remainder_cu].map((amount) =>
    formatComputeUnits(Number(amount)),
  );
  return [record.account, record.hour, String(record.revision), ...amounts, record.settled_at];
}

/** A settlement record as JSON: an account's compute units are safe integers. What it was used for is in `usage`. */
export function settlementJson({ used: _used, ...record }: SettlementRecord) {
  return {
    ...record,
    settled_cu: Number(record.settled_cu),
    total_cu: Number(record.total_cu),
    billing_units: Number(record.billing_units),
    remainder_cu: Number(record.remainder_cu),
  };
}
