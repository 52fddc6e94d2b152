import type { Item } from '../access/store.ts';
import { decodeUsage, usageCu } from '../access/usage-text.ts';
import {
  BILLING_UNIT_CU,
  recordKey,
  type SettlementRecord,
  toRecord,
} from '../settlement/settlement-record.ts';

/** Hours whose last records are kept: more than an account can have open. */
const RECENT_HOURS = 100;

/** What an account's settlement records add up to. */
export interface RecordSums {
  readonly records: bigint;
  readonly settledCu: bigint;
  readonly billingUnits: bigint;
  /** Left below whole billing units: the last remainder of each hour. */
  readonly remainderCu: bigint;
  /** The last records of the youngest hours, by hour. */
  readonly recent: ReadonlyMap<string, SettlementRecord>;
  /** The first record that does not follow from the one before, and why. */
  readonly fault: string | undefined;
}

/** Follows an account's settlement records in their order, in constant memory. */
export class RecordChain {
  #records = 0n;
  #settledCu = 0n;
  #billingUnits = 0n;
  #closedRemainderCu = 0n;
  #unitsOfHour = 0n;
  #last: SettlementRecord | undefined;
  readonly #recent = new Map<string, SettlementRecord>();
  #fault: string | undefined;

  /** Adds the next record, as it is stored. */
  add(item: Item): void {
    const record = toRecord(item);
    const before = this.#last?.hour === record.hour ? this.#last : undefined;
    if (before === undefined) {
      this.#closedRemainderCu += this.#last?.remainder_cu ?? 0n;
      this.#unitsOfHour = 0n;
    }
    this.#records += 1n;
    this.#settledCu += record.settled_cu;
    this.#billingUnits += record.billing_units;
    this.#unitsOfHour += record.billing_units;
    this.#last = record;
    this.#keep(record);
    const fault =
      item.record === recordKey(record.hour, record.revision) ? this.#faultOf(record, before) : 'key';
    if (fault !== undefined) this.#fault ??= `${item.record}: wrong ${fault}`;
  }

  sums(): RecordSums {
    return {
      records: this.#records,
      settledCu: this.#settledCu,
      billingUnits: this.#billingUnits,
      remainderCu: this.#closedRemainderCu + (this.#last?.remainder_cu ?? 0n),
      recent: this.#recent,
      fault: this.#fault,
    };
  }

  #keep(record: SettlementRecord): void {
    this.#recent.set(record.hour, record);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > RECENT_HOURS && oldest !== undefined) this.#recent.delete(oldest);
  }

  #faultOf(record: SettlementRecord, before: SettlementRecord | undefined): string | undefined {
    if (record.revision !== (before?.revision ?? 0) + 1) return 'revision';
    if (record.settled_cu <= 0n) return 'settled_cu';
    if (record.total_cu !== (before?.total_cu ?? 0n) + record.settled_cu) return 'total_cu';
    if (record.remainder_cu < 0n || record.remainder_cu >= BILLING_UNIT_CU) return 'remainder_cu';
    if (this.#unitsOfHour * BILLING_UNIT_CU + record.remainder_cu !== record.total_cu) return 'billing_units';
    if (usageCu(decodeUsage(record.used) ?? []) !== Number(record.total_cu)) return 'used';
    return undefined;
  }
}
