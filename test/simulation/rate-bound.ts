import type { PlanSettings } from '../../lambdas/shared/runtime/settings.ts';

/** Far above the rounding of refill times, and far below what a single compute unit takes to flow back. */
const TOLERANCE_MS = 1e-3;
const SECOND_MS = 1_000;

/** A request that passed the limits of its key. */
export interface AdmittedRequest {
  /** Real time of its arrival, in milliseconds. */
  readonly arrivedMs: number;
  readonly cu: number;
  /** Plan by which it passed. */
  readonly plan: PlanSettings;
}

/**
 * Checks, for every window between two arrivals, `admitted <= capacity + refill x (window + clock spread)`, of compute
 * units and of requests; says what is wrong, if anything. In time instead of amounts (an amount is the time in which it
 * flows back) the bound also holds across plans: `sum of times <= time of the largest capacity + window + spread`.
 *
 * The largest excess over all windows that end with a request is that of the request before it, drained by the time
 * between them, or 0 if that is more, and the request itself: one pass looks at all windows.
 */
export function boundViolation(admitted: readonly AdmittedRequest[], spreadMs: number): string | undefined {
  const ordered = admitted.toSorted((one, other) => one.arrivedMs - other.arrivedMs);
  return (
    excess('compute units', ordered, spreadMs, ({ cu, plan }) => ({
      takenMs: (cu / plan.refillPerSecond) * SECOND_MS,
      capacityMs: (plan.bucketCapacity / plan.refillPerSecond) * SECOND_MS,
    })) ??
    excess('requests', ordered, spreadMs, ({ plan: { requestsPerSecond } }) =>
      requestsPerSecond === undefined
        ? { takenMs: 0, capacityMs: 0 }
        : { takenMs: SECOND_MS / requestsPerSecond, capacityMs: SECOND_MS },
    )
  );
}

function excess(
  what: string,
  ordered: readonly AdmittedRequest[],
  spreadMs: number,
  measure: (request: AdmittedRequest) => { readonly takenMs: number; readonly capacityMs: number },
): string | undefined {
  const capacityMs = ordered.reduce((most, request) => Math.max(most, measure(request).capacityMs), 0);
  let levelMs = 0;
  let lastMs = 0;
  for (const request of ordered) {
    levelMs = Math.max(0, levelMs - (request.arrivedMs - lastMs)) + measure(request).takenMs;
    lastMs = request.arrivedMs;
    const overMs = levelMs - capacityMs - spreadMs;
    if (overMs > TOLERANCE_MS) {
      return `${what} admitted beyond the bound by ${overMs.toFixed(3)} ms of refill, at ${lastMs}`;
    }
  }
  return undefined;
}
