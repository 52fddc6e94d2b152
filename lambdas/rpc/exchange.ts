import type { Upstream } from '../upstream/upstream.ts';
import type { Call, NodeAnswer } from './calls.ts';
import { isIdempotent } from './idempotence.ts';
import { matchAnswers } from './match-answers.ts';
import { renderCalls } from './render-calls.ts';

/** One request to one upstream. */
export interface Exchange {
  readonly calls: readonly Call[];
  /** When the whole response must be there, in milliseconds since the epoch. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** Whether the request may go out once more over another connection. */
  readonly mayRepeat?: () => boolean;
}

/** What an upstream answered. */
export interface ExchangeOutcome {
  /** HTTP status. */
  readonly status: number;
  /** In the order of the calls. */
  readonly answers: readonly NodeAnswer[];
}

/**
 * Sends calls to an upstream in one request.
 * @throws UpstreamError if there is no response that could be read
 */
export async function exchange(
  upstream: Pick<Upstream, 'connection'>,
  { calls, deadline, signal, mayRepeat }: Exchange,
): Promise<ExchangeOutcome> {
  const { connection } = upstream;
  const firstId = connection.reserveIds(calls.length);
  const response = await connection.post({
    body: renderCalls(calls, firstId),
    idempotent: calls.every((call) => isIdempotent(call.method)),
    deadline,
    signal,
    mayRepeat,
  });
  return { status: response.status, answers: matchAnswers(response, firstId, calls.length) };
}
