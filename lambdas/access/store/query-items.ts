import type { Sleep } from '../../shared/runtime/sleep.ts';
import { withRetry } from '../../shared/runtime/with-retry.ts';
import {
  type Item,
  isStoreUnavailable,
  type Query,
  type Store,
  type StoreUnavailableError,
} from './store.ts';

/** Read units of a partition that one reader takes in a millisecond: a third of what it has. */
const UNITS_PER_MS = 1;
const UNIT_BYTES = 4_096;
/** Bytes of an item of which only a part was brought: those of a lane, at most. */
const PARTED_BYTES = 1_024;
/** Bytes that are counted for a number. */
const NUMBER_BYTES = 10;

/** What is read, and how failures are waited out. The pause keeps pages apart, too: without it one follows the other at once. */
export interface Reading extends RetryPolicy {
  readonly store: Store;
}

/** All items of a query in its order, however many they are; `limit` items are read at a time. */
export async function* queryItems(reading: Reading, query: Omit<Query, 'after'>): AsyncGenerator<Item> {
  for await (const items of queryPages(reading, query)) yield* items;
}

/**
 * The pages of {@link queryItems}, for a run through many items. With a pause, a partition is read at a third of its
 * limit at most, and of what fails only the page is begun again.
 */
export async function* queryPages(
  reading: Reading,
  query: Omit<Query, 'after'>,
): AsyncGenerator<readonly Item[]> {
  for (let after: Item | undefined; ; ) {
    const from = after && { after };
    const page = await withStoreRetries(reading, () => reading.store.query({ ...query, ...from }));
    yield page.items;
    if (page.next === undefined) return;
    after = page.next;
    const bytes = page.items.reduce(
      (sum, item) => sum + (query.attributes === undefined ? sizeOf(item) : PARTED_BYTES),
      0,
    );
    await reading.pause?.(Math.ceil(bytes / UNIT_BYTES) / UNITS_PER_MS);
  }
}

/** About as many bytes as DynamoDB counts, and no fewer: what is stored is ASCII. */
function sizeOf(item: Item): number {
  let size = 0;
  for (const [name, value] of Object.entries(item)) {
    size += name.length + (typeof value === 'string' ? value.length : NUMBER_BYTES);
  }
  return size;
}

/** Pauses before each further attempt when the store fails, in milliseconds: half a minute. */
const PAUSES_MS = [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000, 5_000, 5_000];

/** How failures of the store are waited out. */
export interface RetryPolicy {
  /** Absent: a failure is final. */
  readonly pause?: Sleep;
  /** Asked after each failure: whether it is final, instead of waited out. @default never */
  readonly giveUp?: (failure: StoreUnavailableError) => boolean;
}

/** Does something that may be repeated until the store does not fail. Rejects with the last failure. */
export function withStoreRetries<Result>(
  { pause, giveUp }: RetryPolicy,
  work: () => Promise<Result>,
): Promise<Result> {
  if (pause === undefined) return work();
  const isRetryable = (error: unknown) => isStoreUnavailable(error) && giveUp?.(error) !== true;
  return withRetry(work, { pausesMs: PAUSES_MS, isRetryable, pause });
}
