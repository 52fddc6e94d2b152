import { isUtf8 } from 'node:buffer';
import type { BodyWatch } from '../http/large-bodies.ts';
import type { PostedResponse } from '../http/send-request.ts';
import type { Call, UpstreamResponse } from './calls.ts';
import { ERROR_CATALOGUE, type Reason } from './error-catalogue.ts';
import { messageOf, SERVER_ERROR_CODE, saysOwnFault, saysStateGone } from './error-message.ts';
import { bytesEqual, decodeString } from './json-values.ts';
import { hasCustomTracer, TRACE_METHOD } from './required-block.ts';
import {
  isArray,
  isObject,
  isString,
  type JsonText,
  jsonText,
  MAX_RESPONSE_DEPTH,
  type MemberOffsets,
  type ScannedPart,
  scanElements,
  scanMembers,
  scanPart,
  skipSpace,
  skipValue,
  slice,
} from './scan-json.ts';

/** Shorter bodies are scanned at their end, which takes less than a millisecond. */
const MIN_BYTES = 512 * 1024;
/** Bytes that are left for the next time: a token may go on in what is to come. */
const RESERVE_BYTES = 64 * 1024;
/** A response to one call up to its result, as nodes write it, and the bytes in which that ends. */
const BEFORE_RESULT = /^\{(?:"jsonrpc":"2\.0",)?(?:"id":\d{1,15},)?"result":/;
const MAX_BEFORE_BYTES = 64;

interface ScanAheadOptions {
  /** @default 512 KiB */
  readonly minBytes?: number;
  /** @default 64 KiB */
  readonly reserveBytes?: number;
}

/**
 * Scans the result of a large response while it arrives: at its end next to nothing is left, and other requests of the process
 * never wait for the scan of a whole one. What it cannot follow is scanned at the end, so it decides nothing.
 */
export class ScanAhead implements BodyWatch {
  readonly #minBytes: number;
  readonly #reserveBytes: number;
  #memory: Buffer | undefined;
  #part: ScannedPart | undefined;
  /** Bytes that are there before it is tried again: it was in vain by half of them. */
  #notBefore = 0;

  constructor({ minBytes = MIN_BYTES, reserveBytes = RESERVE_BYTES }: ScanAheadOptions = {}) {
    this.#minBytes = minBytes;
    this.#reserveBytes = reserveBytes;
  }

  /** How far a body is scanned; undefined for one that was not watched. */
  partOf(body: Buffer): ScannedPart | undefined {
    const { buffer, byteOffset, length } = this.#memory ?? {};
    const isWatched = body.buffer === buffer && body.byteOffset === byteOffset && body.length === length;
    return isWatched ? this.#part : undefined;
  }

  filled(memory: Buffer, bytes: number): void {
    if (memory.length < this.#minBytes) return;
    if (memory !== this.#memory) this.#begin(memory);
    if (bytes < this.#notBefore) return;
    this.#part ??= firstPart(memory, bytes);
    const reserve = bytes === memory.length ? 0 : this.#reserveBytes;
    const text = jsonText(memory.subarray(0, bytes));
    const part = this.#part && scanPart(text, this.#part, reserve);
    if (part === undefined) this.#notBefore = 2 * bytes;
    else this.#part = part;
  }

  /** A request that is sent once more has a body of its own. */
  #begin(memory: Buffer): void {
    this.#memory = memory;
    this.#part = undefined;
    this.#notBefore = 0;
  }
}

/** Where the result begins, if the body is that of one call. */
function firstPart(memory: Buffer, bytes: number): ScannedPart | undefined {
  const before = BEFORE_RESULT.exec(memory.toString('latin1', 0, Math.min(bytes, MAX_BEFORE_BYTES)));
  if (before === null) return undefined;
  const start = before[0].length;
  return { start, levels: MAX_RESPONSE_DEPTH - 1, next: start, open: new Uint8Array() };
}

/** A node's error. */
interface ScannedError {
  /** Raw JSON of the error object. */
  readonly bytes: Uint8Array;
  readonly code: number;
  readonly message: string;
}

/** One response in an HTTP response, with exactly one of `result` and `error`; with neither it is malformed. */
interface ScannedEntry {
  /** An id as the gateway gives them; undefined for any other. */
  readonly id: number | undefined;
  /** Raw JSON of the result. */
  readonly result?: Uint8Array;
  readonly error?: ScannedError;
}

/** HTTP response of a node: one entry, or a batch of them. */
interface ScannedResponse {
  readonly batch: boolean;
  readonly entries: ScannedEntry[];
}

/** Members of a response, or of its error. One with more is malformed: what is kept of each takes more room than its bytes. */
const MAX_MEMBERS = 64;
/** Ids that the gateway gives its own calls. */
const OWN_ID = /^(?:0|[1-9]\d{0,14})$/;
const ERROR_CODE = /^-?\d{1,15}$/;
const RAW_NULL = Buffer.from('null');
const MALFORMED_ENTRY: ScannedEntry = { id: undefined };

/** The first members of an object, one more than a response has at most. */
class FewMembers {
  readonly first: MemberOffsets[] = [];

  push(member: MemberOffsets): void {
    if (this.first.length <= MAX_MEMBERS) this.first.push(member);
  }
}

/** Offsets of a member's value. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Scans a node's HTTP response; the results are views of `body`. Undefined if the body is not JSON (UTF-8, nothing around
 * it), or is neither an object nor an array. `part`: what of it was scanned while it came.
 */
export function scanResponses(body: Uint8Array, part?: ScannedPart): ScannedResponse | undefined {
  if (!isUtf8(body)) return undefined;
  const text = jsonText(body, part);
  const start = skipSpace(text.bytes, 0);
  const entries: ScannedEntry[] = [];
  const batch = isArray(text.bytes, start);
  if (!batch && !isObject(text.bytes, start)) return undefined;
  const end = batch
    ? scanElements(text, start, (at) => scanEntry(text, at, MAX_RESPONSE_DEPTH - 1, entries))
    : scanEntry(text, start, MAX_RESPONSE_DEPTH, entries);
  return end >= 0 && skipSpace(text.bytes, end) === text.bytes.length ? { batch, entries } : undefined;
}

function scanEntry(text: JsonText, at: number, levels: number, entries: ScannedEntry[]): number {
  if (!isObject(text.bytes, at)) {
    entries.push(MALFORMED_ENTRY);
    return skipValue(text, at, levels);
  }
  const members = new FewMembers();
  const end = scanMembers(text, at, levels, members);
  if (end >= 0) entries.push(readEntry(text, members));
  return end;
}

function readEntry(text: JsonText, scanned: FewMembers): ScannedEntry {
  const { bytes } = text;
  const members = readMembers(bytes, scanned);
  if (members === undefined) return MALFORMED_ENTRY;
  const id = readInteger(bytes, members.get('id'), OWN_ID);
  const result = members.get('result');
  const error = members.get('error');
  // Some nodes send both members, the one that does not apply being null.
  const failed = error !== undefined && !isNull(bytes, error);
  if (!failed) return result === undefined ? { id } : { id, result: slice(text, result.start, result.end) };
  if (result !== undefined && !isNull(bytes, result)) return { id };
  const readable = readError(text, error);
  return readable === undefined ? { id } : { id, error: readable };
}

function readError(text: JsonText, { start, end }: Span): ScannedError | undefined {
  const { bytes } = text;
  const scanned = new FewMembers();
  if (scanMembers(text, start, MAX_RESPONSE_DEPTH, scanned) < 0) return undefined;
  const members = readMembers(bytes, scanned);
  const code = readInteger(bytes, members?.get('code'), ERROR_CODE);
  const message = members?.get('message');
  if (code === undefined || message === undefined || !isString(bytes, message.start)) return undefined;
  return {
    bytes: slice(text, start, end),
    code,
    message: decodeString(bytes, message.start, message.end),
  };
}

/** Values by name; undefined if a name is there twice, or there are too many. */
function readMembers(bytes: Buffer, { first }: FewMembers): Map<string, Span> | undefined {
  if (first.length > MAX_MEMBERS) return undefined;
  const members = new Map<string, Span>();
  for (const [nameStart, nameEnd, start, end] of first) {
    const name = decodeString(bytes, nameStart, nameEnd);
    if (members.has(name)) return undefined;
    members.set(name, { start, end });
  }
  return members;
}

function readInteger(bytes: Buffer, span: Span | undefined, form: RegExp): number | undefined {
  if (span === undefined) return undefined;
  const digits = bytes.toString('latin1', span.start, span.end);
  return form.test(digits) ? Number(digits) : undefined;
}

function isNull(bytes: Buffer, { start, end }: Span): boolean {
  return bytesEqual(bytes, start, end, RAW_NULL);
}

const NAME = Buffer.from('reason');
/** A name can be spelt with escapes. */
const ESCAPE = Buffer.from('\\u');
/** Reasons of the errors that the API in front of the functions makes. */
const FRONT_REASONS: readonly string[] = ['gateway_unreachable', 'gateway_unavailable', 'gateway_timed_out'];
const REASONS: ReadonlySet<unknown> = new Set([...Object.keys(ERROR_CATALOGUE), ...FRONT_REASONS]);

/** Not authorised, to be paid, forbidden, too many requests. */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 429]);

/** Whether the gateway returns a response again. It counts as cached. */
export function isKept(response: UpstreamResponse): boolean {
  return response.kind === 'result' && response.kept === true;
}

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

type Missing = 'transaction' | 'block';

const TRANSACTION_METHOD = 'debug_traceTransaction';
/** Traces of what there is, or is not. The others are of calls that the client makes up. */
const LOOKING_METHOD = /^debug_trace(?:Transaction|Block)/;
/** What a message starts with if it is about a block or a transaction. What it quotes can be words of the client. */
const SUBJECT =
  /^(?:(?:can ?not|could not) find |unknown |no |such |the |requested )*(?:transaction|tx\b|block|header|resource)[^"'`]{0,200}$/i;
const NOT_FOUND =
  /not found|cannot find|could not find|does not exist|doesn't exist|out ?of ?range|unknown (?:block|header|transaction)/i;
/** The same in the words of the table, maybe with what it is that is not there. */
const TABLE_WORDS = /^(?:the |requested )*(transaction|block)(?: [^"'`]{0,200})? not found\b/i;
/** Pruned history: it was there. */
const GONE_CODE = 4444;
const NULL = Buffer.from('null');
/** A trace of nothing is shorter than this, in bytes. */
const MAX_EMPTY_TRACE_BYTES = 256;

/**
 * Turns "no such transaction or block" into the gateway's own error. For traces any wording of a node counts, otherwise
 * only the words of the error table.
 * `untraced`: the trace belongs to a transaction that does not exist.
 */
export function normaliseNotFound(
  call: Call,
  response: UpstreamResponse,
  untraced = false,
): UpstreamResponse {
  const isTrace = TRACE_METHOD.test(call.method);
  const missing = isTrace ? findMissingOfTrace(call, response, untraced) : findMissing(response);
  return missing === undefined ? response : failed(`${missing}_not_found`);
}

function findMissingOfTrace(call: Call, response: UpstreamResponse, untraced: boolean): Missing | undefined {
  if (!untraced && !saysNotFound(call, response)) return undefined;
  return call.method === TRANSACTION_METHOD ? 'transaction' : 'block';
}

function findMissing(response: UpstreamResponse): Missing | undefined {
  if (response.kind !== 'error' || response.code !== SERVER_ERROR_CODE) return undefined;
  const message = messageOf(response);
  if (saysStateGone(message) || saysOwnFault(message)) return undefined;
  return TABLE_WORDS.exec(message)?.[1]?.toLowerCase() as Missing | undefined;
}

function saysNotFound(call: Call, response: UpstreamResponse): boolean {
  switch (response.kind) {
    case 'result':
      // What code of the client has for a result is the client's own.
      return NULL.equals(response.result) && LOOKING_METHOD.test(call.method) && !hasCustomTracer(call);
    case 'error': {
      const message = messageOf(response);
      if (response.code === GONE_CODE || saysStateGone(message) || saysOwnFault(message)) return false;
      return SUBJECT.test(message) && NOT_FOUND.test(message);
    }
    case 'failed':
      return false;
  }
}

/**
 * Whether a response is the trace of a transaction without a step and without gas. Some nodes return one for an unknown
 * transaction, others for a transaction that a layer 2 makes itself.
 */
export function isEmptyTrace(call: Call, response: UpstreamResponse): boolean {
  if (call.method !== TRANSACTION_METHOD || response.kind !== 'result') return false;
  const { result } = response;
  if (result.length > MAX_EMPTY_TRACE_BYTES || hasCustomTracer(call)) return false;
  const trace = JSON.parse(Buffer.from(result).toString()) as Record<string, unknown> | null;
  return trace?.gas === 0 && Array.isArray(trace.structLogs) && trace.structLogs.length === 0;
}
