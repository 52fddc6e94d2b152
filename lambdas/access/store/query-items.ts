import type { Item, Query, Store } from './store.ts';

/** All items of a query in its order, however many they are; `limit` items are read at a time. */
export async function* queryItems(store: Store, query: Omit<Query, 'after'>): AsyncGenerator<Item> {
  for await (const items of queryPages(store, query)) yield* items;
}

/** The pages of {@link queryItems}, for who goes through many items. */
export async function* queryPages(
  store: Store,
  query: Omit<Query, 'after'>,
): AsyncGenerator<readonly Item[]> {
  let after: Item | undefined;
  do {
    const page = await store.query({ ...query, ...(after && { after }) });
    yield page.items;
    after = page.next;
  } while (after !== undefined);
}
