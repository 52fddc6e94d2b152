import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { matchResponses } from '../../jsonrpc/match-responses.ts';
import { renderCalls } from '../../jsonrpc/render-calls.ts';
import { isIdempotent } from '../../methods/method-facts.ts';
import type { Upstream } from '../upstream.ts';

/** Lowest HTTP status of a refusal. */
const FIRST_REFUSAL = 400;

/** One request to one upstream. */
export interface OutgoingCalls {
  readonly calls: readonly Call[];
  /** When the whole response must be there, in milliseconds since the epoch. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** Whether the request may go out once more over another connection. */
  readonly mayRepeat?: () => boolean;
}

/** What an upstream answered. */
export interface SendOutcome {
  /** HTTP status. */
  readonly status: number;
  /** In the order of the calls. */
  readonly answers: readonly UpstreamResponse[];
  /** The header `Retry-After`, as it came. */
  readonly retryAfter?: string | undefined;
  /** Body of a response that is no success. */
  readonly refusal?: Uint8Array | undefined;
}

/**
 * Sends calls to an upstream in one request.
 * @throws UpstreamError if there is no response that could be read
 */
export async function sendCalls(
  upstream: Pick<Upstream, 'connection'>,
  { calls, deadline, signal, mayRepeat }: OutgoingCalls,
): Promise<SendOutcome> {
  const { connection } = upstream;
  const firstId = connection.reserveIds(calls.length);
  const response = await connection.post({
    body: renderCalls(calls, firstId),
    idempotent: calls.every((call) => isIdempotent(call.method)),
    deadline,
    signal,
    mayRepeat,
  });
  const { status, retryAfter, body } = response;
  return {
    status,
    answers: matchResponses(response, firstId, calls.length),
    retryAfter,
    refusal: status >= FIRST_REFUSAL ? body : undefined,
  };
}
