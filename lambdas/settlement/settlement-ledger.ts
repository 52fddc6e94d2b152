import { amountOf } from '../access/store/item-values.ts';
import { queryItems, type Reading } from '../access/store/query-items.ts';
import type { Item } from '../access/store/store.ts';
import { AFTER_ALL } from '../access/store/tables.ts';
import { recordRange, SETTLEMENT_PREFIX, type SettlementRecord, toRecord } from './settlement-record.ts';

/** Partition of the ledger that names every account (as `record`): the store has no scan. */
export const ACCOUNT_REGISTRY = '#accounts';
/** First part of the sort keys of credits, of what is taken back, and of plan changes. No other sorts between the first two. */
export const CREDIT_PREFIX = 'credit#';
export const DEBIT_PREFIX = 'debit#';
export const PLAN_PREFIX = 'plan#';

/** Sort keys of all credits and debits. */
export const CREDITS_AND_DEBITS = { from: CREDIT_PREFIX, to: DEBIT_PREFIX + AFTER_ALL };

const RECORDS_PER_PAGE = 250;

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

/** Sums of an account's credits and of what was taken back of them, in compute units. */
export interface CreditSums {
  readonly creditedCu: bigint;
  readonly debitedCu: bigint;
}

/** Sums of an account's credits and debits. Rejects with a TypeError if one has no amount. */
export async function sumCredits(reading: Reading, account: string): Promise<CreditSums> {
  let creditedCu = 0n;
  let debitedCu = 0n;
  for await (const item of ledgerRange(reading, account, CREDITS_AND_DEBITS)) {
    const cu = amountOf(item, 'cu');
    if (isDebit(item)) debitedCu += cu;
    else creditedCu += cu;
  }
  return { creditedCu, debitedCu };
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
  range: { readonly from: string; readonly to: string },
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
