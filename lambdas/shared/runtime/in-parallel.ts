/**
 * Processes items in order, at most `limit` at once, and starts none after `stop` returns true. Resolves to the number
 * of started items when all of these have ended. `work` must handle its own failures: a rejection stops everything.
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
