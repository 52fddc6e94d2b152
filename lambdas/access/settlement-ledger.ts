import { queryItems } from './query-items.ts';
import { recordRange, SETTLEMENT_PREFIX, type SettlementRecord, toRecord } from './settlement-record.ts';
import type { Item, Store } from './store.ts';

const RECORDS_PER_PAGE = 500;
/** Sorts after every character of a sort key. */
const AFTER_ALL = '\uffff';

/** The youngest record of an hour. */
export async function readLastRecord(
  store: Store,
  account: string,
  hour: string,
): Promise<SettlementRecord | undefined> {
  const page = await store.query({
    table: 'ledger',
    partition: { attribute: 'account', value: account },
    sort: { attribute: 'record', ...recordRange(hour) },
    descending: true,
    limit: 1,
  });
  return page.items[0] && toRecord(page.items[0]);
}

/** All settlement records of an account, oldest hour first, page by page. */
export async function* settlementRecords(store: Store, account: string): AsyncGenerator<SettlementRecord> {
  for await (const item of ledgerRecords(store, account, SETTLEMENT_PREFIX)) yield toRecord(item);
}

/** The records of a ledger partition whose sort key starts with a prefix, in order, page by page. */
export function ledgerRecords(store: Store, account: string, prefix: string): AsyncGenerator<Item> {
  return queryItems(store, {
    table: 'ledger',
    partition: { attribute: 'account', value: account },
    sort: { attribute: 'record', from: prefix, to: prefix + AFTER_ALL },
    limit: RECORDS_PER_PAGE,
  });
}
