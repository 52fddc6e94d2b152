import type { Clock } from './clock.ts';

/**
 * Counts, and tells the count at once, and then at most once in an interval, with what was counted since. What comes after
 * the last telling is told with the next.
 */
export function pacedCount(clock: Clock, intervalMs: number, tell: (count: number) => void): () => void {
  let count = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  return () => {
    count += 1;
    if (clock.now() - toldAt < intervalMs) return;
    toldAt = clock.now();
    tell(count);
    count = 0;
  };
}
