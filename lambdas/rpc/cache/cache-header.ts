import type { ScreenedCall } from '../policy/screen-calls.ts';
import type { AnsweredCall } from './merge-answers.ts';

/** What became of one call: found in the cache, sent to the node, or refused before either. */
export type CacheMark = 'hit' | 'miss' | '-';

/** Value of `X-Cache`: a mark for each call of the request, in its order. */
export function renderCacheMarks(
  screened: readonly ScreenedCall[],
  answered: readonly AnsweredCall[],
): string {
  let next = 0;
  return screened
    .map((one): CacheMark => {
      if ('refused' in one) return '-';
      return answered[next++]?.cached === true ? 'hit' : 'miss';
    })
    .join(', ');
}
