/**
 * Works items in order, at most `limit` at once, and begins none once `stop` says so. Resolves to the number of
 * items begun, all of which have ended. `work` must handle its own failures: a rejection stops everything.
 */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
  stop: () => boolean,
): Promise<number> {
  let begun = 0;
  const lane = async () => {
    while (begun < items.length && !stop()) {
      const item = items[begun] as T;
      begun += 1;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  return begun;
}
