import { type LimitState, rateLimitHeaders } from 'gateway-access';

/** What was drawn from the bucket, in CU, and what is left of each limit. */
export function limitHeaders(limits: readonly LimitState[], cu: number): Readonly<Record<string, string>> {
  return { ...rateLimitHeaders(limits), 'X-CU-Cost': String(cu) };
}
