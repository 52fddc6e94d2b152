import {
  FIRST_PRICE_LIST,
  type PriceList,
  parsePriceList,
  priceListHash,
} from '../../shared/bill/price-list.ts';
import { textOf } from './item-values.ts';
import { queryItems, type Reading } from './query-items.ts';

/** Partition of the ledger with the price lists, by their first hour. No function may write it: the operator does. */
export const PRICES_PARTITION = '#prices';
const LISTS_PER_PAGE = 100;

/**
 * The first list and those of the ledger, in the order of their hours. Rejects with an Error if one cannot be read, or is
 * not as it was put.
 */
export async function readPriceLists(reading: Reading): Promise<readonly PriceList[]> {
  const partition = { attribute: 'account', value: PRICES_PARTITION };
  const lists: PriceList[] = [FIRST_PRICE_LIST];
  for await (const item of queryItems(reading, { table: 'ledger', partition, limit: LISTS_PER_PAGE })) {
    const list = parsePriceList(textOf(item, 'list'));
    if (list === undefined || list.from !== item.record || priceListHash(list) !== item.hash)
      throw new Error(`the price list of ${item.record} is damaged`);
    lists.push(list);
  }
  return lists;
}
