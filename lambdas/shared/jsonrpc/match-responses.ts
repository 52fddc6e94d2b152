import type { PostedResponse } from '../http/post-json.ts';
import type { UpstreamResponse } from './calls.ts';
import { ERROR_CATALOGUE, type Reason } from './error-catalogue.ts';
import { type ScannedEntry, scanResponses } from './parse-responses.ts';
import type { ScannedPart } from './scan-json.ts';

const NAME = Buffer.from('reason');
/** A name can be spelt with escapes. */
const ESCAPE = Buffer.from('\\u');
/** Reasons of the errors that the API in front of the functions makes. */
const FRONT_REASONS: readonly string[] = ['gateway_unreachable', 'gateway_unavailable', 'gateway_timed_out'];
const REASONS: ReadonlySet<unknown> = new Set([...Object.keys(ERROR_CATALOGUE), ...FRONT_REASONS]);

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

/**
 * A node's error, whose JSON has been checked, without a `data` that would make it look like one of the gateway's own:
 * clients tell them apart by `error.data.reason`. Any other error is returned as it is.
 */
function withoutForgedReason(error: Uint8Array): Uint8Array {
  const bytes = Buffer.from(error.buffer, error.byteOffset, error.length);
  if (!bytes.includes(NAME) && !bytes.includes(ESCAPE)) return error;
  const { code, message, data }: { code: number; message: string; data?: unknown } = JSON.parse(
    bytes.toString(),
  );
  if (typeof data !== 'object' || data === null || !('reason' in data) || !REASONS.has(data.reason))
    return error;
  return Buffer.from(JSON.stringify({ code, message }));
}
