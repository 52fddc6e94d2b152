import type { PostedResponse } from '../http/post-json.ts';
import type { UpstreamResponse } from './calls.ts';
import type { Reason } from './error-catalogue.ts';
import { withoutForgedReason } from './forged-reason.ts';
import { type ScannedEntry, scanResponses } from './parse-responses.ts';

/** Not authorised, to be paid, forbidden, too many requests. */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 429]);

/** Answer of a call that the node did not answer usably. */
export function failed(reason: Reason): UpstreamResponse {
  return { kind: 'failed', error: { reason } };
}

/**
 * Reads a node's response to the calls with the ids `firstId` to `firstId + count - 1`, in any order, and returns one
 * response for each id. A call never gets a response that is not certainly its own.
 */
export function matchResponses(
  response: PostedResponse,
  firstId: number,
  count: number,
): readonly UpstreamResponse[] {
  const scanned = scanResponses(response.body);
  if (scanned?.answers.some(isUsable) !== true && isUnavailable(response.status)) {
    return all(count, failed('upstream_unavailable'));
  }
  if (scanned === undefined) return all(count, failed('malformed_upstream_response'));
  const { batch, answers } = scanned;
  if (batch)
    return count === 1 ? [failed('malformed_upstream_response')] : matchBatch(answers, firstId, count);
  const [answer] = answers;
  if (answer === undefined) return all(count, failed('malformed_upstream_response'));
  if (count === 1) return [matchSingle(answer, firstId)];
  return all(
    count,
    answer.error === undefined ? failed('malformed_upstream_response') : toUpstreamResponse(answer),
  );
}

/** A node that could not read the request, or would not, answers its error with the id null. */
function matchSingle(answer: ScannedEntry, id: number): UpstreamResponse {
  const own = answer.id === id || (answer.id === undefined && answer.error !== undefined);
  return own ? toUpstreamResponse(answer) : failed('malformed_upstream_response');
}

function matchBatch(answers: readonly ScannedEntry[], firstId: number, count: number): UpstreamResponse[] {
  const matched = new Map<number, UpstreamResponse>();
  let strays = 0;
  for (const answer of answers) {
    const { id } = answer;
    if (id === undefined || id < firstId || id >= firstId + count) strays += 1;
    else
      matched.set(id, matched.has(id) ? failed('malformed_upstream_response') : toUpstreamResponse(answer));
  }
  // An answer under a wrong id may be that of any call that has none.
  const missing = failed(strays === 0 ? 'no_upstream_response' : 'malformed_upstream_response');
  return Array.from({ length: count }, (_, index) => matched.get(firstId + index) ?? missing);
}

function toUpstreamResponse({ result, error }: ScannedEntry): UpstreamResponse {
  if (error !== undefined)
    return { kind: 'error', error: withoutForgedReason(error.bytes), code: error.code };
  if (result !== undefined) return { kind: 'result', result };
  return failed('malformed_upstream_response');
}

function isUsable({ result, error }: ScannedEntry): boolean {
  return result !== undefined || error !== undefined;
}

/** Without an answer in it, such a response is one of what stands before the node. */
function isUnavailable(status: number): boolean {
  return REFUSING_STATUSES.has(status) || status >= 500;
}

function all(count: number, answer: UpstreamResponse): UpstreamResponse[] {
  return new Array<UpstreamResponse>(count).fill(answer);
}
