import { InFlightCalls, sharingKey } from '../../../lambdas/rpc/cache/equal-calls.ts';
import type { ResponseCache } from '../../../lambdas/rpc/cache/response-cache.ts';
import { isKept } from '../../../lambdas/shared/jsonrpc/match-responses.ts';

/** Keeps nothing; equal calls of the request share a response. */
export const NO_CACHE: Pick<ResponseCache, 'answer'> = {
  async answer({ chain, calls, send }) {
    const sendable = calls.map((call) => ({ call, key: sharingKey(chain.settings, call) }));
    const shared = await new InFlightCalls({ now: () => 0 }).send(sendable, send);
    const responses = shared.map(({ call, response, sent }) => ({
      call,
      response,
      cached: !sent || isKept(response),
    }));
    return { responses, share: async () => {} };
  },
};
