import { isUtf8 } from 'node:buffer';
import { MAX_BATCH_CALLS, MAX_BODY_BYTES, NULL_ID, type ParsedCall, type ParsedRequest } from './calls.ts';
import { decodeMethod } from './decode-method.ts';
import type { Reason } from './error-catalogue.ts';
import { bytesEqual, decodeString, foldName } from './json-strings.ts';
import {
  eachMember,
  isArray,
  isBoolean,
  isObject,
  isString,
  type JsonText,
  jsonText,
  MAX_JSON_DEPTH,
  type Members,
  scanElements,
  scanMembers,
  skipSpace,
  skipValue,
  slice,
} from './scan-json.ts';
import {
  ABSENT,
  type CallSpans,
  clear,
  emptySpans,
  ID,
  JSONRPC,
  METHOD,
  PARAMS,
  scanPlainCall,
} from './scan-plain-call.ts';

const VERSION = '2.0';
const RAW_VERSION = Buffer.from(JSON.stringify(VERSION));
/** Index in the spans of a call of each of its members. */
const MEMBER_INDEXES: ReadonlyMap<string, number> = new Map([
  ['jsonrpc', JSONRPC],
  ['id', ID],
  ['method', METHOD],
  ['params', PARAMS],
]);

/**
 * Parses the body of a JSON-RPC request without building any value: ids and params stay the client's bytes.
 * Malformed JSON anywhere refuses the request as a whole; a call that is JSON but no call is refused alone.
 */
export function parseRequest(body: Uint8Array): ParsedRequest {
  if (body.length > MAX_BODY_BYTES) {
    return { refused: { reason: 'body_too_large', parameters: { max: MAX_BODY_BYTES } } };
  }
  if (!isUtf8(body)) return { refused: { reason: 'parse_error' } };
  const text = jsonText(body);
  const { bytes } = text;
  const start = skipSpace(bytes, 0);
  const calls: ParsedCall[] = [];
  const batch = isArray(bytes, start);
  const end = batch
    ? parseBatch(text, start, calls)
    : parseCall(text, start, MAX_JSON_DEPTH, emptySpans(), calls);
  if (end < 0 || skipSpace(bytes, end) !== bytes.length) return { refused: { reason: 'parse_error' } };
  if (calls.length > MAX_BATCH_CALLS) {
    return { refused: { reason: 'batch_too_large', parameters: { max: MAX_BATCH_CALLS } } };
  }
  if (calls.length === 0 || !(batch || isObject(bytes, start)))
    return { refused: { reason: 'invalid_request' } };
  return { batch, calls };
}

/** Parses an array of calls into `calls`, of which one more than allowed are enough to refuse them all. */
function parseBatch(text: JsonText, start: number, calls: ParsedCall[]): number {
  const levels = MAX_JSON_DEPTH - 1;
  const spans = emptySpans();
  return scanElements(text, start, (at) =>
    calls.length > MAX_BATCH_CALLS ? skipValue(text, at, levels) : parseCall(text, at, levels, spans, calls),
  );
}

/** Parses one call into `calls`. `spans` is room to work in. */
function parseCall(
  text: JsonText,
  at: number,
  levels: number,
  spans: CallSpans,
  calls: ParsedCall[],
): number {
  if (!isObject(text.bytes, at)) {
    calls.push(refuse('invalid_request', NULL_ID));
    return skipValue(text, at, levels);
  }
  const plainEnd = scanPlainCall(text, at, levels, spans);
  if (plainEnd >= 0) {
    calls.push(readCall(text, spans));
    return plainEnd;
  }
  const members: Members = { count: 0, offsets: [] };
  const end = scanMembers(text, at, levels, members);
  if (end < 0) return end;
  const ambiguous = findMembers(text.bytes, members, spans);
  calls.push(ambiguous ? refuse('ambiguous_member', readId(text, spans) ?? NULL_ID) : readCall(text, spans));
  return end;
}

/** Finds the members of a call under any spelling. Returns whether another parser could find others. */
function findMembers(bytes: Buffer, members: Members, spans: CallSpans): boolean {
  clear(spans);
  const seen = new Set<string>();
  let ambiguous = false;
  for (const [nameStart, nameEnd, start, end] of eachMember(members)) {
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

function readCall(text: JsonText, spans: CallSpans): ParsedCall {
  const id = readId(text, spans);
  const method = readMethod(text.bytes, spans);
  const params = spans[PARAMS] as number;
  const hasParams = params !== ABSENT;
  if (
    id === undefined ||
    !method ||
    !isVersion(text.bytes, spans) ||
    (hasParams && !isArray(text.bytes, params))
  ) {
    return refuse('invalid_request', id ?? NULL_ID);
  }
  return {
    call: { id, method, params: hasParams ? slice(text, params, spans[PARAMS + 1] as number) : undefined },
  };
}

function refuse(reason: Reason, id: Uint8Array): ParsedCall {
  return { refused: { id, error: { reason } } };
}

/** The bytes of an id that is readable: a string, a number or `null`. */
function readId(text: JsonText, spans: CallSpans): Uint8Array | undefined {
  const start = spans[ID] as number;
  if (start === ABSENT || isObject(text.bytes, start) || isArray(text.bytes, start)) return undefined;
  return isBoolean(text.bytes, start) ? undefined : slice(text, start, spans[ID + 1] as number);
}

function readMethod(bytes: Buffer, spans: CallSpans): string | undefined {
  const start = spans[METHOD] as number;
  if (start === ABSENT || !isString(bytes, start)) return undefined;
  return decodeMethod(bytes, start, spans[METHOD + 1] as number);
}

function isVersion(bytes: Buffer, spans: CallSpans): boolean {
  const start = spans[JSONRPC] as number;
  const end = spans[JSONRPC + 1] as number;
  if (bytesEqual(bytes, start, end, RAW_VERSION)) return true;
  return isString(bytes, start) && decodeString(bytes, start, end) === VERSION;
}
