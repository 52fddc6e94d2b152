import type { LimitState } from '../contract/metering.ts';

/** `RateLimit-Policy` and `RateLimit` of the IETF draft, such as `"cu";q=5000;w=10` and `"cu";r=4210;t=1`. */
export function rateLimitHeaders(limits: readonly LimitState[]): Record<string, string> {
  if (limits.length === 0) return {};
  return {
    'RateLimit-Policy': limits
      .map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`)
      .join(', '),
    RateLimit: limits
      .map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
  };
}

/** Value of `Retry-After`: whole seconds, at least 1, because clients ignore 0 and fractions. */
export function retryAfterSeconds(retryAfterMs: number): number {
  return Math.max(1, Math.ceil(retryAfterMs / 1_000));
}
