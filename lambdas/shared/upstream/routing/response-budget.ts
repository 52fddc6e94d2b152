import type { UpstreamResponse } from '../../jsonrpc/calls.ts';
import { failed } from '../../jsonrpc/match-responses.ts';
import type { PendingCall } from './pending-call.ts';

/**
 * One result or error that answers many calls must not add up to more than the node could have sent. Of answers that
 * are too large together the largest are left out.
 */
export function limitBytes(
  answers: readonly UpstreamResponse[],
  maxBytes: number,
): readonly UpstreamResponse[] {
  const smallestFirst = [...answers.entries()].sort(([, one], [, other]) => bytesOf(one) - bytesOf(other));
  let bytes = 0;
  const fitting = new Set<number>();
  for (const [place, answer] of smallestFirst) {
    bytes += bytesOf(answer);
    if (bytes <= maxBytes) fitting.add(place);
  }
  return answers.map((answer, place) =>
    fitting.has(place) || answer.kind === 'failed' ? answer : failed('upstream_response_too_large'),
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

  /** Keeps the answers that calls have got; one that does not fit becomes an error. */
  keep(calls: readonly PendingCall[]): void {
    for (const pending of calls) {
      const { answer } = pending;
      if (answer === undefined || this.#inside.has(pending)) continue;
      this.#inside.add(pending);
      const fits = bytesOf(answer) <= this.#bytesLeft;
      if (fits) this.#bytesLeft -= bytesOf(answer);
      pending.settle(fits ? copyOf(answer) : failed('upstream_response_too_large'));
    }
  }
}

/** The response of which an answer is a part must not live as long as it. */
function copyOf(answer: UpstreamResponse): UpstreamResponse {
  switch (answer.kind) {
    case 'result':
      return { ...answer, result: new Uint8Array(answer.result) };
    case 'error':
      return { ...answer, error: new Uint8Array(answer.error) };
    case 'failed':
      return answer;
  }
}

function bytesOf(answer: UpstreamResponse): number {
  switch (answer.kind) {
    case 'result':
      return answer.result.length;
    case 'error':
      return answer.error.length;
    case 'failed':
      return 0;
  }
}
