import type { Item, Query, Store } from './store.ts';

/** All items of a query in its order, however many they are; `limit` items are read at a time. */
export async function* queryItems(store: Store, query: Omit<Query, 'after'>): AsyncGenerator<Item> {
  let after: Item | undefined;
  do {
    const page = await store.query({ ...query, ...(after && { after }) });
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}
