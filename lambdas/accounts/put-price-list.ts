import { InputError } from '../access/contract/input-error.ts';
import { PRICES_PARTITION } from '../access/store/price-lists.ts';
import type { Put, Store } from '../access/store/store.ts';
import { newRecord } from '../settlement/settlement-ledger.ts';
import { listedPrice, type PriceList, priceListHash, priceListText } from '../shared/bill/price-list.ts';
import { CACHED_CU } from '../shared/methods/method-table.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { hourOf } from '../shared/runtime/hour.ts';

/** What functions charge whatever a list says, as for cached calls: rows are counted so that they cost 1. */
const ROWS = 'rows';
const ROWS_CU = 1;

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
export function priceListPut(list: PriceList, nowMs: number): Put {
  return newRecord({
    account: PRICES_PARTITION,
    record: list.from,
    list: priceListText(list),
    hash: priceListHash(list),
    put_at: new Date(nowMs).toISOString(),
  });
}
