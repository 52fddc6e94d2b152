import type { PostedResponse } from '../http/post-json.ts';
import type { UpstreamResponse } from './calls.ts';
import type { Reason } from './error-catalogue.ts';
import { withoutForgedReason } from './forged-reason.ts';
import { type ScannedEntry, scanResponses } from './parse-responses.ts';
import type { ScannedPart } from './scan-json.ts';

/** Not authorised, to be paid, forbidden, too many requests. */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 429]);

/** Response to a call that the node gave no usable response to. */
export function failed(reason: Reason): UpstreamResponse {
  return { kind: 'failed', error: { reason } };
}

/**
 * Reads a node's HTTP response to the calls with the ids `firstId` to `firstId + count - 1`, in any order, and returns
 * one response for each id. A call never gets a response that is not certainly its own.
 * `part`: what of the body was scanned while it came.
 */
export function matchResponses(
  posted: PostedResponse,
  firstId: number,
  count: number,
  part?: ScannedPart,
): readonly UpstreamResponse[] {
  const scanned = scanResponses(posted.body, part);
  if (scanned?.entries.some(isUsable) !== true && isUnavailable(posted.status)) {
    return all(count, failed('upstream_unavailable'));
  }
  if (scanned === undefined) return all(count, failed('malformed_upstream_response'));
  const { batch, entries } = scanned;
  if (batch)
    return count === 1 ? [failed('malformed_upstream_response')] : matchBatch(entries, firstId, count);
  const [entry] = entries;
  if (entry === undefined) return all(count, failed('malformed_upstream_response'));
  if (count === 1) return [matchSingle(entry, firstId)];
  return all(
    count,
    entry.error === undefined ? failed('malformed_upstream_response') : toUpstreamResponse(entry),
  );
}

/** A node that could not read the request, or would not, returns its error with the id null. */
function matchSingle(entry: ScannedEntry, id: number): UpstreamResponse {
  const own = entry.id === id || (entry.id === undefined && entry.error !== undefined);
  return own ? toUpstreamResponse(entry) : failed('malformed_upstream_response');
}

function matchBatch(entries: readonly ScannedEntry[], firstId: number, count: number): UpstreamResponse[] {
  const matched = new Map<number, UpstreamResponse>();
  let strays = 0;
  for (const entry of entries) {
    const { id } = entry;
    if (id === undefined || id < firstId || id >= firstId + count) strays += 1;
    else matched.set(id, matched.has(id) ? failed('malformed_upstream_response') : toUpstreamResponse(entry));
  }
  // A response under a wrong id may be that of any call that has none.
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

/** Without a usable entry, an HTTP response of this status came from a proxy in front of the node. */
function isUnavailable(status: number): boolean {
  return REFUSING_STATUSES.has(status) || status >= 500;
}

function all(count: number, response: UpstreamResponse): UpstreamResponse[] {
  return new Array<UpstreamResponse>(count).fill(response);
}
