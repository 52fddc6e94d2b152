import type { PlanSettings } from '../../lambdas/settings.ts';

/** Plans of the simulation, each of another capacity. Most refill times are no whole picoseconds. */
export const PLANS = {
  free: { bucketCapacity: 250, refillPerSecond: 30, requestsPerSecond: 5 },
  standard: { bucketCapacity: 600, refillPerSecond: 70 },
  fast: { bucketCapacity: 400, refillPerSecond: 900, requestsPerSecond: 30 },
  large: { bucketCapacity: 20_000, refillPerSecond: 2_000 },
} as const satisfies Readonly<Record<string, PlanSettings>>;

export const PLAN_NAMES = ['free', 'standard', 'fast', 'large'] as const;
export const DEFAULT_PLAN = 'standard';
