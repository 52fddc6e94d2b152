import type { Upstream } from './upstream.ts';

/** How sharply errors turn calls away: at 5 % errors an upstream gets 60 % of its share, at 30 % less than 3 %. */
const ERROR_AVERSION = 10;
/** Least part of its share that errors and latency leave to an upstream. */
const MIN_QUALITY = 1e-4;
/** Latencies below this one are all the same, in milliseconds. */
const FASTEST_MS = 1;

/** What the choice looks at; an `Upstream` has it. */
export type Choosable = Pick<Upstream, 'priority' | 'weight'> & {
  readonly health: Pick<Upstream['health'], 'errorRate' | 'p50Ms'>;
};

/**
 * Chooses among upstreams that would all do: one of the best priority, at random by weight and quality.
 * `random`: from 0 to 1. Undefined if it is absent.
 */
export function chooseUpstream<T extends Choosable>(candidates: readonly T[], random: number): T | undefined {
  if (candidates.length <= 1) return candidates[0];
  const priority = Math.min(...candidates.map((one) => one.priority));
  const best = candidates.filter((one) => one.priority === priority);
  if (best.length <= 1) return best[0];
  const fastestMs = Math.min(...best.map(({ health }) => health.p50Ms ?? Number.POSITIVE_INFINITY));
  const shares = best.map((one) => one.weight * qualityOf(one, Math.max(fastestMs, FASTEST_MS)));
  let left = random * shares.reduce((sum, share) => sum + share, 0);
  for (const [index, share] of shares.entries()) {
    left -= share;
    if (left < 0) return best[index];
  }
  return best[best.length - 1];
}

/** From 0 to 1, 1 being the fastest without an error. One that nothing is known of is taken for the fastest. */
function qualityOf({ health }: Choosable, fastestMs: number): number {
  const speed = health.p50Ms === undefined ? 1 : fastestMs / Math.max(health.p50Ms, fastestMs);
  return Math.max(MIN_QUALITY, (1 - health.errorRate) ** ERROR_AVERSION * speed);
}
