import type { CallOutcome } from '../outcome/call-outcome.ts';

/** What became of one call: found in the cache, sent to the node, or refused before either. */
type CacheMark = 'hit' | 'miss' | '-';

/** Value of `X-Cache`: a mark for each call of the request, in its order. */
export function renderCacheMarks(outcomes: readonly CallOutcome[]): string {
  return outcomes.map(cacheMark).join(', ');
}

function cacheMark(outcome: CallOutcome): CacheMark {
  if ('refused' in outcome) return '-';
  return outcome.cached ? 'hit' : 'miss';
}
