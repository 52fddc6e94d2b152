import { InputError } from '../access/contract/input-error.ts';
import type { Store } from '../access/store/store.ts';
import { priceListPut } from '../settlement/price-lists.ts';
import type { PriceList } from '../shared/bill/price-list.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { hourOf } from '../shared/runtime/hour.ts';

/**
 * Puts a price list into the ledger, once. Throws {@link InputError} if its hour has begun, or has a list. Rejects with
 * `StoreUnavailableError`; to be repeated then.
 */
export async function putPriceList(store: Store, clock: Clock, list: PriceList): Promise<void> {
  const nowMs = clock.now();
  if (list.from <= hourOf(nowMs))
    throw new InputError(`a price list begins with an hour to come, not ${list.from}`);
  const { applied } = await store.put(priceListPut(list, nowMs));
  if (!applied)
    throw new InputError(`there is a price list of ${list.from} already, and none is ever changed`);
}
