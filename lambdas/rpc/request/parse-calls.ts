import { isUtf8 } from 'node:buffer';
import {
  MAX_BATCH_CALLS,
  MAX_BODY_BYTES,
  MAX_CALL_MEMBERS,
  NULL_ID,
  type ParsedCall,
  type ParsedRequest,
} from '../../shared/jsonrpc/calls.ts';
import type { CataloguedError } from '../../shared/jsonrpc/error-catalogue.ts';
import { decodeString, foldName } from '../../shared/jsonrpc/json-strings.ts';
import {
  eachMember,
  isArray,
  isObject,
  type JsonText,
  jsonText,
  MAX_JSON_DEPTH,
  MAX_SCANNED_DEPTH,
  type Members,
  scanElements,
  scanMembers,
  skipSpace,
  skipValue,
} from '../../shared/jsonrpc/scan-json.ts';
import { brokenRule, readCall, readId } from './read-call.ts';
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
  const members: Members = { count: 0, offsets: [] };
  const end = scanMembers(text, at, levels, members);
  if (end < 0) return end;
  if (members.count > MAX_CALL_MEMBERS) {
    calls.push(refuse(brokenRule('too_many_members', { max_members: MAX_CALL_MEMBERS })));
    return end;
  }
  const ambiguous = findMembers(text.bytes, members, spans);
  calls.push(ambiguous ? refuse({ reason: 'ambiguous_member' }, readId(text, spans)) : readCall(text, spans));
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

function refuse(error: CataloguedError, id = NULL_ID): ParsedCall {
  return { refused: { id, error } };
}

/** Whether a text is JSON, and refused only because it nests too deep. */
function isTooDeep(text: JsonText, start: number): boolean {
  const end = skipValue(text, start, MAX_SCANNED_DEPTH);
  return end >= 0 && skipSpace(text.bytes, end) === text.bytes.length;
}
