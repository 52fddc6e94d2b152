import type { Clock } from './clock.ts';

/**
 * Counts, and tells the count at once, and then at most once in an interval, with what was counted since. What comes after
 * the last report comes with the next.
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

/** Counts by names, and tells each count so, with the latest of what was counted. */
export function pacedCounts<Counted>(
  clock: Clock,
  intervalMs: number,
  tell: (latest: Counted, count: number) => void,
): (name: string, counted: Counted) => void {
  const groups = new Map<string, { latest: Counted; readonly count: () => void }>();
  return (name, counted) => {
    const group = groups.get(name) ?? {
      latest: counted,
      count: pacedCount(clock, intervalMs, (count) => tell(group.latest, count)),
    };
    groups.set(name, group);
    group.latest = counted;
    group.count();
  };
}
