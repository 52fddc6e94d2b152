import {
  FIRST_PRICE_LIST,
  type PriceList,
  parsePriceList,
  priceListAt,
  priceListHash,
} from '../../shared/bill/price-list.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { hourOf } from '../../shared/runtime/hour.ts';
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

/** The list that the ledger has of an hour. Rejects while it cannot be read. `isAnew`: what is known may be old. */
export type ListOfHour = (hour: string, isAnew: boolean) => Promise<PriceList | undefined>;

/**
 * The lists as one process holds them. They are read once in an hour, as each begins with an hour that was to come when it was
 * put, and again where what is known may be old.
 */
export function rememberPriceLists(store: Reading['store'], clock: Clock): ListOfHour {
  let known: { readonly hour: string; readonly lists: readonly PriceList[] } | undefined;
  return async (hour, isAnew) => {
    if (known === undefined || known.hour < hour || isAnew)
      known = { hour: hourOf(clock.now()), lists: await readPriceLists({ store }) };
    return priceListAt(known.lists, hour);
  };
}
