import type { UpstreamResponse } from '../../jsonrpc/calls.ts';
import { failed } from '../../jsonrpc/match-responses.ts';
import type { PendingCall } from './pending-call.ts';

/**
 * One result or error that answers many calls must not add up to more than the node could have sent. Of responses that
 * are too large together the largest are left out.
 */
export function limitBytes(
  responses: readonly UpstreamResponse[],
  maxBytes: number,
): readonly UpstreamResponse[] {
  if (responses.reduce((sum, one) => sum + bytesOf(one), 0) <= maxBytes) return responses;
  const smallestFirst = [...responses.entries()].sort(([, one], [, other]) => bytesOf(one) - bytesOf(other));
  let bytes = 0;
  const fitting = new Set<number>();
  for (const [place, response] of smallestFirst) {
    bytes += bytesOf(response);
    if (bytes <= maxBytes) fitting.add(place);
  }
  return responses.map((response, place) =>
    fitting.has(place) || response.kind === 'failed' ? response : failed('upstream_response_too_large'),
  );
}

/**
 * Room for the results of calls that are sent in parts: the size of a single response, whatever the number of parts.
 */
export class ResponseBudget {
  #bytesLeft: number;
  readonly #inside = new Set<PendingCall>();

  constructor(bytes: number) {
    this.#bytesLeft = bytes;
  }

  /** Whether nothing more can be kept. */
  get full(): boolean {
    return this.#bytesLeft <= 0;
  }

  /** Keeps the responses that calls have got; one that does not fit becomes an error. */
  keep(calls: readonly PendingCall[]): void {
    for (const pending of calls) {
      const { response } = pending;
      if (response === undefined || this.#inside.has(pending)) continue;
      this.#inside.add(pending);
      const fits = bytesOf(response) <= this.#bytesLeft;
      if (fits) this.#bytesLeft -= bytesOf(response);
      pending.settle(fits ? copyOf(response) : failed('upstream_response_too_large'));
    }
  }
}

/** A copy, because the whole HTTP response would otherwise live as long as this part of it. */
function copyOf(response: UpstreamResponse): UpstreamResponse {
  switch (response.kind) {
    case 'result':
      return { ...response, result: new Uint8Array(response.result) };
    case 'error':
      return { ...response, error: new Uint8Array(response.error) };
    case 'failed':
      return response;
  }
}

function bytesOf(response: UpstreamResponse): number {
  switch (response.kind) {
    case 'result':
      return response.result.length;
    case 'error':
      return response.error.length;
    case 'failed':
      return 0;
  }
}
