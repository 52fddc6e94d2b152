import type { PlanSettings } from '../../lambdas/shared/runtime/settings.ts';

const PLAIN = { drawAhead: false, shards: 1 } as const;

/** Plans of the simulation, each of another capacity. Most refill times are no whole picoseconds. */
export const PLANS = {
  free: { ...PLAIN, bucketCapacity: 250, refillPerSecond: 30, requestsPerSecond: 5 },
  standard: { ...PLAIN, bucketCapacity: 600, refillPerSecond: 70 },
  fast: { ...PLAIN, bucketCapacity: 400, refillPerSecond: 900, requestsPerSecond: 30 },
  large: { ...PLAIN, bucketCapacity: 20_000, refillPerSecond: 2_000 },
  ahead: { bucketCapacity: 9_000, refillPerSecond: 1_100, requestsPerSecond: 50, drawAhead: true, shards: 3 },
} as const satisfies Readonly<Record<string, PlanSettings>>;

/** A plan as a function has it whose environments take many requests. */
export function drawnAhead(plan: PlanSettings): PlanSettings {
  return { ...plan, drawAhead: true };
}

/** The same, each drawn from ahead. */
export const DRAWN_AHEAD_PLANS: Readonly<Record<string, PlanSettings>> = Object.fromEntries(
  Object.entries(PLANS).map(([name, plan]) => [name, drawnAhead(plan)]),
);

export const PLAN_NAMES = ['free', 'standard', 'fast', 'large', 'ahead'] as const;
/** Refill of the keys that are bound to one. */
export const BOUND_CU_PER_SECOND = 50;
/** The plans as such keys have them, where that is less. */
export const LOWERED_PLANS: readonly PlanSettings[] = [
  { ...PLANS.standard, refillPerSecond: BOUND_CU_PER_SECOND, bucketCapacity: 429 },
  { ...PLANS.fast, refillPerSecond: BOUND_CU_PER_SECOND, bucketCapacity: 200 },
  { ...PLANS.large, refillPerSecond: BOUND_CU_PER_SECOND, bucketCapacity: 500 },
  { ...PLANS.ahead, refillPerSecond: BOUND_CU_PER_SECOND, bucketCapacity: 410 },
];
export const DEFAULT_PLAN = 'standard';
