import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import {
  MAX_BATCH_CALLS,
  MAX_BODY_BYTES,
  MAX_CALL_MEMBERS,
  MAX_ID_BYTES,
  MAX_METHOD_BYTES,
  NULL_ID,
  type ParsedCall,
  type ParsedRequest,
} from '../../shared/jsonrpc/calls.ts';
import type { CataloguedError } from '../../shared/jsonrpc/error-catalogue.ts';
import { bytesEqual, decodeString, foldName } from '../../shared/jsonrpc/json-values.ts';
import {
  isArray,
  isBoolean,
  isComma,
  isNull,
  isObject,
  isObjectEnd,
  isString,
  type JsonText,
  jsonText,
  MAX_JSON_DEPTH,
  MAX_SCANNED_DEPTH,
  type MemberOffsets,
  scanElements,
  scanMembers,
  skipColon,
  skipSpace,
  skipValue,
  slice,
} from '../../shared/jsonrpc/scan-json.ts';

/** Bytes that every gzip member begins with: its magic, and deflate, the only method. */
const MAGIC = [0x1f, 0x8b, 0x08] as const;
/** Bytes at the end of a member that say how long it is unpacked. */
const LENGTH_BYTES = 4;
/** Codings that a body may be said to have: it is known by its bytes. */
const READ_CODINGS: ReadonlySet<string> = new Set(['', 'identity', 'gzip', 'x-gzip']);

/** A body as it was before it was compressed, or why it cannot be read. */
type UnpackedBody = { readonly body: Uint8Array } | { readonly refused: CataloguedError };

/**
 * Unpacks a body that is gzip, which its first bytes tell: what stands before the function may have unpacked it and left
 * the header. It stops at the largest body, so that a small one cannot become more. One member, and nothing after it.
 * @param contentEncoding header of the request
 */
function unpackBody(body: Uint8Array, contentEncoding = ''): UnpackedBody {
  if (!isGzip(body)) {
    if (READ_CODINGS.has(contentEncoding.trim().toLowerCase())) return { body };
    return { refused: { reason: 'unsupported_encoding', details: { rule: 'content_encoding' } } };
  }
  try {
    const { buffer, engine } = unpack(body);
    const isWhole = engine.bytesWritten === body.length && buffer.length === lastLength(body);
    return isWhole ? { body: buffer } : MALFORMED;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') return MALFORMED;
    const max = MAX_BODY_BYTES;
    return { refused: { reason: 'body_too_large', parameters: { max }, details: { max_bytes: max } } };
  }
}

/** Unpacked bytes of all members, and how many of the packed ones they came from: the types of Node.js do not know of `info`. */
function unpack(body: Uint8Array) {
  const options = { maxOutputLength: MAX_BODY_BYTES, info: true };
  return gunzipSync(body, options) as unknown as {
    readonly buffer: Buffer;
    readonly engine: { readonly bytesWritten: number };
  };
}

const MALFORMED: UnpackedBody = { refused: { reason: 'parse_error', details: { rule: 'content_encoding' } } };

function isGzip(body: Uint8Array): boolean {
  return MAGIC.every((byte, index) => body[index] === byte);
}

/** What the last member says of its length: not that of all, if there are several. */
function lastLength(body: Uint8Array): number {
  return new DataView(body.buffer, body.byteOffset + body.length - LENGTH_BYTES).getUint32(0, true);
}

/**
 * Where the values of a call's members are: the offset of each at its index here, the end of each one behind;
 * {@link ABSENT} for a member that is not there.
 */
type CallSpans = number[];
const JSONRPC = 0;
const ID = 2;
const METHOD = 4;
const PARAMS = 6;
/** No value can start at the first byte: its object does. */
const ABSENT = 0;
const SPANS_LENGTH = 8;
const NOT_PLAIN = -1;

/** Longest name of a member with its quotes, in bytes. */
const LONGEST_NAME = 9;
const ID_WORD = wordOf('"id"');
const JSONRPC_WORDS = [wordOf('"jso'), wordOf('nrpc')] as const;
const METHOD_WORDS = [wordOf('"met'), wordOf('hod"')] as const;
const PARAMS_WORDS = [wordOf('"par'), wordOf('ams"')] as const;
const QUOTE = 0x22;

/** Forgets the spans of another call. */
function clear(spans: CallSpans): void {
  spans[JSONRPC] = ABSENT;
  spans[ID] = ABSENT;
  spans[METHOD] = ABSENT;
  spans[PARAMS] = ABSENT;
}

/** Spans of no call yet. */
function emptySpans(): CallSpans {
  return new Array<number>(SPANS_LENGTH).fill(ABSENT);
}

/**
 * Skips a call as it is usually written: the members of a call and no other, each once, their names without
 * escapes. Negative for any other object, also a malformed one: that takes a closer look. Names are compared by
 * whole words, because a batch would otherwise cost more than `JSON.parse`.
 */
function scanPlainCall(text: JsonText, at: number, levels: number, spans: CallSpans): number {
  const { bytes } = text;
  clear(spans);
  let next = at;
  do {
    next = skipSpace(bytes, next + 1);
    const member = plainMemberAt(text, next);
    if (member < 0 || spans[member] !== ABSENT) return NOT_PLAIN;
    const start = skipColon(bytes, next + nameLength(member));
    const end = start < 0 ? NOT_PLAIN : skipValue(text, start, levels - 1);
    if (end < 0) return NOT_PLAIN;
    spans[member] = start;
    spans[member + 1] = end;
    next = skipSpace(bytes, end);
  } while (isComma(bytes, next));
  return isObjectEnd(bytes, next) ? next + 1 : NOT_PLAIN;
}

/** Index in {@link CallSpans} of the member whose name starts at an offset; negative if it is none of them. */
function plainMemberAt({ bytes, words }: JsonText, at: number): number {
  if (at + LONGEST_NAME > bytes.length) return NOT_PLAIN;
  const head = words.getInt32(at, true);
  if (head === ID_WORD) return ID;
  const tail = words.getInt32(at + 4, true);
  if (head === METHOD_WORDS[0]) return tail === METHOD_WORDS[1] ? METHOD : NOT_PLAIN;
  if (head === PARAMS_WORDS[0]) return tail === PARAMS_WORDS[1] ? PARAMS : NOT_PLAIN;
  const isName = head === JSONRPC_WORDS[0] && tail === JSONRPC_WORDS[1] && bytes[at + 8] === QUOTE;
  return isName ? JSONRPC : NOT_PLAIN;
}

function nameLength(member: number): number {
  if (member === ID) return 4;
  return member === JSONRPC ? 9 : 8;
}

function wordOf(ascii: string): number {
  return Buffer.from(ascii).readInt32LE();
}

const VERSION = '2.0';
const RAW_VERSION = Buffer.from(JSON.stringify(VERSION));
const QUOTES_BYTES = 2;

/** What a body, or a call of it, does not keep to: `error.data.rule` of an invalid request. */
type RequestRule =
  | 'body_type'
  | 'nested_too_deep'
  | 'batch_empty'
  | 'call_type'
  | 'too_many_members'
  | 'version'
  | 'id_required'
  | 'id_type'
  | 'id_too_long'
  | 'method_required'
  | 'method_type'
  | 'method_too_long'
  | 'params_type';

/** The error of a request that breaks a rule. `bound`: what it exceeds, for `error.data`. */
function brokenRule(rule: RequestRule, bound: Readonly<Record<string, number>> = {}): CataloguedError {
  return { reason: 'invalid_request', details: { rule, ...bound } };
}

/** The call whose members are where `spans` says, or why it is none. `params` of null are omitted ones. */
function readCall(text: JsonText, spans: CallSpans): ParsedCall {
  const id = readId(text, spans);
  const method = readMethod(text.bytes, spans);
  const start = spans[PARAMS] as number;
  const hasParams = start !== ABSENT && !isNull(text.bytes, start);
  if (
    id === undefined ||
    !method ||
    !isVersion(text.bytes, spans) ||
    (hasParams && !isArray(text.bytes, start))
  ) {
    return { refused: { id: id ?? NULL_ID, error: findBrokenRule(text, spans) } };
  }
  return {
    call: { id, method, params: hasParams ? slice(text, start, spans[PARAMS + 1] as number) : undefined },
  };
}

/** The bytes of an id that is readable: a string, a number or `null`, and not too long. */
function readId(text: JsonText, spans: CallSpans): Uint8Array | undefined {
  const start = spans[ID] as number;
  if (start === ABSENT || spanLength(spans, ID) > MAX_ID_BYTES) return undefined;
  return hasIdType(text.bytes, start) ? slice(text, start, spans[ID + 1] as number) : undefined;
}

/** The first rule that a call breaks, by the order of its members in the specification. */
function findBrokenRule({ bytes }: JsonText, spans: CallSpans): CataloguedError {
  const id = spans[ID] as number;
  const method = spans[METHOD] as number;
  if (!isVersion(bytes, spans)) return brokenRule('version');
  if (id === ABSENT) return brokenRule('id_required');
  if (!hasIdType(bytes, id)) return brokenRule('id_type');
  if (spanLength(spans, ID) > MAX_ID_BYTES) return brokenRule('id_too_long', { max_bytes: MAX_ID_BYTES });
  if (method === ABSENT) return brokenRule('method_required');
  if (!isString(bytes, method)) return brokenRule('method_type');
  if (isTooLongMethod(spans)) return brokenRule('method_too_long', { max_bytes: MAX_METHOD_BYTES });
  return brokenRule(spanLength(spans, METHOD) === QUOTES_BYTES ? 'method_required' : 'params_type');
}

function readMethod(bytes: Buffer, spans: CallSpans): string | undefined {
  const start = spans[METHOD] as number;
  if (start === ABSENT || !isString(bytes, start) || isTooLongMethod(spans)) return undefined;
  return decodeString(bytes, start, spans[METHOD + 1] as number);
}

function isTooLongMethod(spans: CallSpans): boolean {
  return spanLength(spans, METHOD) > MAX_METHOD_BYTES + QUOTES_BYTES;
}

function hasIdType(bytes: Buffer, start: number): boolean {
  return !(isObject(bytes, start) || isArray(bytes, start) || isBoolean(bytes, start));
}

function isVersion(bytes: Buffer, spans: CallSpans): boolean {
  const start = spans[JSONRPC] as number;
  const end = spans[JSONRPC + 1] as number;
  if (bytesEqual(bytes, start, end, RAW_VERSION)) return true;
  return isString(bytes, start) && decodeString(bytes, start, end) === VERSION;
}

function spanLength(spans: CallSpans, member: number): number {
  return (spans[member + 1] as number) - (spans[member] as number);
}

/** Index in the spans of a call of each of its members. */
const MEMBER_INDEXES: ReadonlyMap<string, number> = new Map([
  ['jsonrpc', JSONRPC],
  ['id', ID],
  ['method', METHOD],
  ['params', PARAMS],
]);

/**
 * Parses the body of a JSON-RPC request without building any value: ids and params stay the client's bytes, or those that
 * it packed. Malformed JSON anywhere refuses the request as a whole; a call that is JSON but no call is refused alone.
 * @param contentEncoding header of the request
 */
export function parseRequest(received: Uint8Array, contentEncoding?: string): ParsedRequest {
  const unpacked = unpackBody(received, contentEncoding);
  if ('refused' in unpacked) return unpacked;
  const { body } = unpacked;
  if (body.length > MAX_BODY_BYTES) {
    const max = MAX_BODY_BYTES;
    return { refused: { reason: 'body_too_large', parameters: { max }, details: { max_bytes: max } } };
  }
  if (!isUtf8(body)) return { refused: { reason: 'parse_error' } };
  const text = jsonText(body);
  const { bytes } = text;
  const start = skipSpace(bytes, 0);
  const calls: ParsedCall[] = [];
  const batch = isArray(bytes, start);
  const end = batch
    ? parseBatch(text, start, calls)
    : parseCall(text, start, MAX_JSON_DEPTH, { spans: emptySpans(), calls });
  if (end < 0 || skipSpace(bytes, end) !== bytes.length) {
    return {
      refused: isTooDeep(text, start)
        ? brokenRule('nested_too_deep', { max_levels: MAX_JSON_DEPTH })
        : { reason: 'parse_error' },
    };
  }
  if (calls.length > MAX_BATCH_CALLS) {
    const max = MAX_BATCH_CALLS;
    return { refused: { reason: 'batch_too_large', parameters: { max }, details: { max_calls: max } } };
  }
  if (calls.length === 0) return { refused: brokenRule('batch_empty') };
  return batch || isObject(bytes, start) ? { batch, calls } : { refused: brokenRule('body_type') };
}

/** Parses an array of calls into `calls`. Stops after one more than allowed, which is enough to refuse the batch. */
function parseBatch(text: JsonText, start: number, calls: ParsedCall[]): number {
  const levels = MAX_JSON_DEPTH - 1;
  const into = { spans: emptySpans(), calls };
  return scanElements(text, start, (at) =>
    calls.length > MAX_BATCH_CALLS ? skipValue(text, at, levels) : parseCall(text, at, levels, into),
  );
}

/** Parses one call into `calls`. `spans` is room to work in. */
function parseCall(
  text: JsonText,
  at: number,
  levels: number,
  { spans, calls }: { readonly spans: CallSpans; readonly calls: ParsedCall[] },
): number {
  if (!isObject(text.bytes, at)) {
    calls.push(refuse(brokenRule('call_type')));
    return skipValue(text, at, levels);
  }
  const plainEnd = scanPlainCall(text, at, levels, spans);
  if (plainEnd >= 0) {
    calls.push(readCall(text, spans));
    return plainEnd;
  }
  const members: MemberOffsets[] = [];
  const end = scanMembers(text, at, levels, members);
  if (end < 0) return end;
  if (members.length > MAX_CALL_MEMBERS) {
    calls.push(refuse(brokenRule('too_many_members', { max_members: MAX_CALL_MEMBERS })));
    return end;
  }
  const ambiguous = findMembers(text.bytes, members, spans);
  calls.push(ambiguous ? refuse({ reason: 'ambiguous_member' }, readId(text, spans)) : readCall(text, spans));
  return end;
}

/** Finds the members of a call under any spelling. Returns whether another parser could find others. */
function findMembers(bytes: Buffer, members: readonly MemberOffsets[], spans: CallSpans): boolean {
  clear(spans);
  const seen = new Set<string>();
  let ambiguous = false;
  for (const [nameStart, nameEnd, start, end] of members) {
    const name = decodeString(bytes, nameStart, nameEnd);
    const repeated = seen.has(name);
    const index = MEMBER_INDEXES.get(name);
    if (index !== undefined) {
      spans[index] = repeated ? ABSENT : start;
      spans[index + 1] = end;
    }
    ambiguous ||= repeated || (index === undefined && MEMBER_INDEXES.has(foldName(name)));
    seen.add(name);
  }
  return ambiguous;
}

function refuse(error: CataloguedError, id = NULL_ID): ParsedCall {
  return { refused: { id, error } };
}

/** Whether a text is JSON, and refused only because it nests too deep. */
function isTooDeep(text: JsonText, start: number): boolean {
  const end = skipValue(text, start, MAX_SCANNED_DEPTH);
  return end >= 0 && skipSpace(text.bytes, end) === text.bytes.length;
}
