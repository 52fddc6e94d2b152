/**
 * Processes items in order, at most `limit` at once, and starts none after one has failed, or `stop` returns true.
 * @param stop @default all are started
 * @returns the number of started items, when all of these have ended
 * @throws what the first that failed did, when all that were started have ended
 */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<unknown>,
  stop = () => false,
): Promise<number> {
  const failures: unknown[] = [];
  let begun = 0;
  const lane = async () => {
    while (begun < items.length && failures.length === 0 && !stop()) {
      const item = items[begun] as T;
      begun += 1;
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  if (failures.length > 0) throw failures[0];
  return begun;
}
