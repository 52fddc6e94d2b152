import type { UpstreamHealth } from './upstream-health.ts';

/** How many times the usual a request takes that takes far longer; and how long at least and at most, in milliseconds. */
const TIMES = 4;
const MIN_MS = 150;
const MAX_MS = 500;
/** The same where it is not known what is usual. */
const UNKNOWN_MS = 200;

/** Time after which a light request takes far longer than a chain's nodes usually do, in milliseconds: 500 at most. */
export function farLongerMs(
  upstreams: readonly { readonly health: Pick<UpstreamHealth, 'p50Ms'> }[],
): number {
  const usual = upstreams.flatMap(({ health }) => health.p50Ms ?? []);
  return usual.length === 0 ? UNKNOWN_MS : Math.min(MAX_MS, Math.max(MIN_MS, TIMES * Math.max(...usual)));
}
