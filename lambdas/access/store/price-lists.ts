import {
  FIRST_PRICE_LIST,
  listedPrice,
  type PriceList,
  parsePriceList,
  priceListAt,
  priceListHash,
  priceListText,
} from '../../shared/bill/price-list.ts';
import { CACHED_CU } from '../../shared/methods/method-table.ts';
import { type Clock, hourOf } from '../../shared/runtime/clock.ts';
import { InputError } from '../contract/input-error.ts';
import { textOf } from './item-values.ts';
import { queryItems, type Reading } from './query-items.ts';
import type { Put, Store } from './store.ts';

/** Partition of the ledger with the price lists, by their first hour. No function may write it: the operator does. */
export const PRICES_PARTITION = '#prices';
const LISTS_PER_PAGE = 100;
/** What functions charge whatever a list says, as for cached calls: rows are counted so that they cost 1. */
const ROWS = 'rows';
const ROWS_CU = 1;

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

/**
 * Puts a price list into the ledger, once. Throws {@link InputError} if its hour has begun, or has a list. Rejects with
 * `StoreUnavailableError`: the lists show whether it was put.
 */
export async function putPriceList(store: Store, clock: Clock, list: PriceList): Promise<void> {
  const nowMs = clock.now();
  if (list.from <= hourOf(nowMs))
    throw new InputError(`a price list begins with an hour to come, not ${list.from}`);
  if (list.cached !== CACHED_CU || listedPrice(list, ROWS) !== ROWS_CU)
    throw new InputError('cached calls and rows are charged 1 CU each: no list can change that');
  const { applied } = await store.put(priceListPut(list, nowMs));
  if (!applied)
    throw new InputError(`there is a price list of ${list.from} already, and none is ever changed`);
}

/** Puts a list, unless there is one of its hour. */
function priceListPut(list: PriceList, nowMs: number): Put {
  const item = {
    account: PRICES_PARTITION,
    record: list.from,
    list: priceListText(list),
    hash: priceListHash(list),
    put_at: new Date(nowMs).toISOString(),
  };
  return { table: 'ledger', item, when: [{ is: 'absent', attribute: 'record' }] };
}
