import { isUtf8 } from 'node:buffer';
import { bytesEqual, decodeString } from './json-strings.ts';
import {
  eachMember,
  isArray,
  isObject,
  isString,
  type JsonText,
  jsonText,
  MAX_RESPONSE_DEPTH,
  type Members,
  type ScannedPart,
  scanElements,
  scanMembers,
  skipSpace,
  skipValue,
  slice,
} from './scan-json.ts';

/** A node's error. */
interface ScannedError {
  /** Raw JSON of the error object. */
  readonly bytes: Uint8Array;
  readonly code: number;
  readonly message: string;
}

/** One response in an HTTP response, with exactly one of `result` and `error`; with neither it is malformed. */
export interface ScannedEntry {
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

/** Ids that the gateway gives its own calls. */
const OWN_ID = /^(?:0|[1-9]\d{0,14})$/;
const ERROR_CODE = /^-?\d{1,15}$/;
const RAW_NULL = Buffer.from('null');
const MALFORMED_ENTRY: ScannedEntry = { id: undefined };

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
  const members: Members = { count: 0, offsets: [] };
  const end = scanMembers(text, at, levels, members);
  if (end >= 0) entries.push(readEntry(text, members));
  return end;
}

function readEntry(text: JsonText, scanned: Members): ScannedEntry {
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
  const scanned: Members = { count: 0, offsets: [] };
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

/** Values by name; undefined if a name is there twice. */
function readMembers(bytes: Buffer, scanned: Members): Map<string, Span> | undefined {
  const members = new Map<string, Span>();
  for (const [nameStart, nameEnd, start, end] of eachMember(scanned)) {
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
