import { type NumberedRecord, storedRecord } from '../access/accounts/account-item.ts';
import type { Action, Put } from '../access/store/store.ts';
import { NO_RECORD, statementHash } from '../shared/bill/record-statement.ts';
import type { RandomBytes } from '../shared/runtime/random-bytes.ts';
import { type FrozenPlace, packPart } from './frozen-leaves.ts';
import type { HourLeaves } from './hour-sum.ts';
import { unsealedPut } from './sealed-records.ts';
import { putRecord, type SettlementRecord, statementOf } from './settlement-record.ts';
import type { SettlementStep } from './settlement-step.ts';

const SALT_BYTES = 16;
/** Sort key of the item that takes a number: its first part, and the digits behind it. */
const NUMBER_PREFIX = 'number#';
const NUMBER_DIGITS = 12;

/** A step whose record says what it adds up and which record it follows. */
interface StatedStep {
  readonly step: SettlementStep;
  readonly record: SettlementRecord;
  /** Hash of the record's statement. */
  readonly hash: string;
}

/**
 * Lets the record of a step state what it adds up. With the record, in its transaction, the account item takes the
 * record's number and hash, the ledger keeps the number, and the list of unsealed records takes the hash.
 *
 *   account   17, hash of 17 ------------------> 18, hash of 18     on condition that nothing was settled since it was read
 *   record    18 {previous: hash of 17, root of its lanes, salt}
 *   unsealed  hash of 18 --> until a signed head has it
 *
 *   number    18: hash of 18                                        on condition that there is none
 *
 * Invariant: each record names the one before it, so that none can be left out, changed or put between two later. Two
 * settlements of one state of the account cannot both be written, and one of an account item that was restored to an
 * earlier state finds its number taken.
 * @returns the step, and what is to be kept of it before it is written
 */
export function stateRecord(
  step: SettlementStep,
  hour: HourLeaves,
  last: NumberedRecord | undefined,
  randomBytes: RandomBytes,
): StatedStep & { readonly part: Buffer } {
  if (step.record === undefined) throw new Error('the step has no record');
  const record: SettlementRecord = {
    ...step.record,
    stated: {
      number: (last?.number ?? 0) + 1,
      previous: last?.hash ?? NO_RECORD,
      root: hour.root(),
      salt: Buffer.from(randomBytes(SALT_BYTES)).toString('hex'),
    },
  };
  const statement = statementOf(record);
  return {
    step,
    record,
    hash: statementHash(statement),
    part: packPart({ statement, used: record.used }, hour.bytes()),
  };
}

/** The step once its leaves are kept, or could not be. */
export function keptAt(
  { step, record, hash }: StatedStep,
  frozen: FrozenPlace | undefined,
): SettlementStep<SettlementRecord> {
  const { stated } = record;
  const whole = { ...record, stated: { ...stated, ...(frozen && { frozen }) } };
  const lastRecord = { number: stated.number, hash };
  const actions = step.actions.map((action): Action => {
    if ('put' in action) return { put: putRecord(whole) };
    const { update } = action;
    return { update: { ...update, set: { ...update.set, ...storedRecord(lastRecord) } } };
  });
  const { after } = step;
  const sealed = { ...lastRecord, account: record.account, ...(frozen && { frozen }) };
  return {
    record: whole,
    actions: [
      ...actions,
      { put: numberPut(record.account, lastRecord) },
      { put: unsealedPut(sealed, Date.parse(record.settled_at)) },
    ],
    after: {
      ...after,
      account: { ...after.account, lastRecord },
      records: new Map(after.records).set(whole.hour, whole),
    },
  };
}

/** Sort key of the item of the ledger that takes a number. */
export function numberKey(number: number): string {
  return NUMBER_PREFIX + String(number).padStart(NUMBER_DIGITS, '0');
}

/** Takes a number among the records of an account, once. */
export function numberPut(account: string, { number, hash }: NumberedRecord): Put {
  const record = numberKey(number);
  return { table: 'ledger', item: { account, record, hash }, when: [{ is: 'absent', attribute: 'record' }] };
}
