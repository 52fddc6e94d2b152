import type { NodePost } from '../../../lambdas/indexer/fetch/send-batch.ts';
import type { PostedResponse } from '../../../lambdas/shared/http/send-request.ts';

/** One call as the node receives it. */
export interface ReceivedCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What the node says to a call: a result, or its error. */
export type Said =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

/** Answers a call. */
export type Answerer = (call: ReceivedCall) => Said;

/** What the node does with the next request instead of answering its calls. */
export type Mishap = (calls: readonly ReceivedCall[]) => PostedResponse;

export interface FakeNode extends NodePost {
  /** The calls of every request so far. */
  readonly requests: readonly (readonly ReceivedCall[])[];
  /** Mishaps for the next requests, one each. */
  readonly mishaps: Mishap[];
}

export function httpResponse(status: number, body: unknown): PostedResponse {
  return { status, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) };
}

/**
 * A node in memory. `limit` refuses a request as a whole: by its own words, or by any response. `isBatch`: whether the
 * calls came as an array.
 */
export function createFakeNode(
  answer: Answerer,
  limit?: (calls: readonly ReceivedCall[], isBatch: boolean) => string | PostedResponse | undefined,
): FakeNode {
  const requests: ReceivedCall[][] = [];
  const mishaps: Mishap[] = [];
  let id = 1;
  return {
    requests,
    mishaps,
    reserveIds(count) {
      id += count;
      return id - count;
    },
    async post({ body }) {
      const parsed = JSON.parse(Buffer.from(body).toString('utf8')) as ReceivedCall | ReceivedCall[];
      const calls = Array.isArray(parsed) ? parsed : [parsed];
      requests.push(calls);
      const mishap = mishaps.shift();
      if (mishap !== undefined) return mishap(calls);
      const refusal = limit?.(calls, Array.isArray(parsed));
      if (typeof refusal === 'object') return refusal;
      if (refusal !== undefined)
        return httpResponse(200, { jsonrpc: '2.0', id: null, error: { code: -32600, message: refusal } });
      const answers = calls.map((call) => ({ jsonrpc: '2.0', id: call.id, ...answer(call) }));
      return httpResponse(200, Array.isArray(parsed) ? answers.reverse() : answers[0]);
    },
  };
}
