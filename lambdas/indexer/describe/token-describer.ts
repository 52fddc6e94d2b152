import type { Clock } from '../../shared/runtime/clock.ts';
import { BatchSize } from '../fetch/batch-size.ts';
import type { BatchOptions } from '../fetch/send-batch.ts';
import { type DescribeParts, describeTokens } from './describe-tokens.ts';

/** Time for one attempt, in milliseconds: meanwhile the head is not followed. */
const ATTEMPT_MS = 15_000;
/** Time for one request, in milliseconds: so short that a token which hangs is found in an attempt. */
const REQUEST_MS = 2_000;
/** How many times as long as an attempt the pause after it is. */
const PAUSE_FACTOR = 4;
/** Tokens that one attempt asks at most; fewer after one that did not come to an end. */
const MAX_TOKENS = 25;

/**
 * Asks new tokens what they say of themselves, some at a time, and takes a fifth of the time for it at most.
 * @returns what does so: resolves to how many tokens were asked, and rejects with what the node or the database fails with
 */
export function createTokenDescriber({ clock, ...parts }: DescribeParts & { readonly clock: Clock }) {
  const size = new BatchSize(MAX_TOKENS, MAX_TOKENS);
  let pauseUntil = Number.NEGATIVE_INFINITY;
  return async ({ deadline }: BatchOptions): Promise<number> => {
    const startedAt = clock.now();
    if (startedAt < pauseUntil) return 0;
    const tokens = size.current;
    try {
      const options = { deadline: Math.min(deadline, startedAt + ATTEMPT_MS), limitMs: REQUEST_MS };
      const asked = await describeTokens(parts, tokens, options);
      if (asked > 0) size.grow();
      return asked;
    } catch (error) {
      size.shrink(tokens);
      throw error;
    } finally {
      pauseUntil = clock.now() + PAUSE_FACTOR * (clock.now() - startedAt);
    }
  };
}
