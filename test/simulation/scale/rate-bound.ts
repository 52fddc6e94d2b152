import type { PlanSettings } from '../../../lambdas/shared/runtime/settings.ts';

/** Far above the rounding of refill times, and far below what a single compute unit takes to flow back. */
const TOLERANCE_MS = 1e-3;
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/** A request that passed the limits of its key. */
export interface AdmittedRequest {
  /** Real time of its arrival, in milliseconds. */
  readonly arrivedMs: number;
  /** When it was known to be admitted. */
  readonly admittedMs: number;
  readonly cu: number;
  /** Plan by which it passed. */
  readonly plan: PlanSettings;
}

/** The same, wherever it does not matter how long it took. */
type ArrivedRequest = Omit<AdmittedRequest, 'admittedMs'>;

/**
 * Checks, for every window between two arrivals, `admitted <= capacity + refill x (window + clock spread)`, of compute
 * units and of requests; says what is wrong, if anything. In time instead of amounts (an amount is the time in which it
 * flows back) the bound also holds across plans: `sum of times <= time of the largest capacity + window + spread`.
 *
 * The largest excess over all windows that end with a request is that of the request before it, drained by the time
 * between them, or 0 if that is more, and the request itself: one pass looks at all windows.
 */
export function boundViolation(admitted: readonly ArrivedRequest[], spreadMs: number): string | undefined {
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
  ordered: readonly ArrivedRequest[],
  spreadMs: number,
  measure: (request: ArrivedRequest) => { readonly takenMs: number; readonly capacityMs: number },
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

/**
 * Checks that what a key was admitted in each day of UTC is at most its limit; says what is wrong, if anything. Requests so
 * near to midnight that a clock may have them in another day are left out, and so are those that went on past it.
 */
export function dayViolation(
  admitted: readonly AdmittedRequest[],
  cuPerDay: number,
  { skewMs, aheadMs }: { readonly skewMs: number; readonly aheadMs: number },
): string | undefined {
  const days = new Map<number, number>();
  for (const { arrivedMs, admittedMs, cu } of admitted) {
    const day = Math.floor(arrivedMs / DAY_MS);
    const isWithin =
      arrivedMs >= day * DAY_MS + skewMs + aheadMs && admittedMs <= (day + 1) * DAY_MS - skewMs;
    if (isWithin) days.set(day, (days.get(day) ?? 0) + cu);
  }
  const over = [...days].find(([, cu]) => cu > cuPerDay);
  return over && `was admitted ${over[1]} CU in day ${over[0]}, and may have ${cuPerDay}`;
}
