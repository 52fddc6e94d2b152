import { type Bill, type Seen, statedRecords } from './bill.ts';
import { badHeads, badPlace, badPrices, badSignature, readHeads } from './head-checks.ts';
import { badOrder, trustedReceipts } from './receipt-checks.ts';
import { badChain, badRevision, badRoot, badStatement, badSum } from './record-checks.ts';
import { badTold } from './seen-check.ts';
import { badUsage } from './usage-checks.ts';

/** What became of one check. */
interface CheckResult {
  /** Exit code of the tool if this is the first check that fails. */
  readonly code: number;
  /** What was checked, as one sentence that is true if it passed. */
  readonly says: string;
  /** Undefined: it passed. */
  readonly failure: string | undefined;
}

/** The outcome of all checks. */
export interface BillReport {
  readonly checks: readonly CheckResult[];
  /** What is in the customer's favour, or could not be checked. */
  readonly notes: readonly string[];
  /** The newest head and the newest record below one: to be remembered if all checks passed. */
  readonly newest: Seen;
  readonly records: number;
  readonly billedUnits: number;
}

/** Checks a bill offline. Each check names the first thing that is wrong. */
export function checkBill(bill: Bill): BillReport {
  const notes: string[] = [];
  const records = statedRecords(bill);
  const heads = readHeads(bill.heads);
  if (records.length === 0) notes.push('There are no records: heads alone were checked.');
  const receipts = trustedReceipts(bill, notes);
  const outcomes: readonly (readonly [string, string | undefined])[] = [
    ['Every head is signed with a key of --key.', badSignature(bill, heads)],
    [
      'Each head names the one before it, and the last one that was seen is there.',
      badHeads(bill, heads, notes),
    ],
    ['Every record is a statement to this account, and the list says what it states.', badStatement(bill)],
    ['Each record names the one before it: none was left out or changed.', badChain(bill, records)],
    ['Every record is below a signed head.', badPlace(bill, records, heads, notes)],
    ['The lanes of each record are those that it states.', badRoot(bill, records, notes)],
    [
      'Lanes add up to records, and records to billing units of 1,000 CU, rounded down.',
      badSum(bill, records),
    ],
    ['No later revision of an hour lowers a lane.', badRevision(bill, records)],
    [
      'The bill agrees with the lanes that responses and receipts stated.',
      badTold(bill, records, receipts.good, notes),
    ],
    [
      'Every receipt is to this account, and signed with a key that was certified for its day.',
      receipts.failure,
    ],
    [
      'No receipt has a lane below an earlier receipt, or a record that was sealed before it.',
      badOrder(bill, records, receipts.good, heads),
    ],
    ['Each record bills the price of its usage, by the public price lists.', badUsage(bill, records)],
    ['No price list was changed, and none began before it was put.', badPrices(bill, heads)],
  ];
  const lastHead = heads.at(-1);
  const lastRecord = records.findLast(({ hash }) => bill.places.has(hash));
  return {
    checks: outcomes.map(([says, failure], place) => ({ code: FIRST_CODE + place, says, failure })),
    notes,
    newest: {
      head: lastHead && { number: lastHead.number, hash: lastHead.hash },
      record: lastRecord && { number: lastRecord.number, hash: lastRecord.hash },
    },
    records: records.length,
    billedUnits: records.reduce((sum, { billing_units }) => sum + billing_units, 0),
  };
}

/** Exit code of the first check; the others follow. */
const FIRST_CODE = 10;
