import type { Call } from './calls.ts';
import { decodeString, foldName } from './json-strings.ts';
import {
  eachMember,
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
} from './scan-json.ts';

const TRACE_METHOD = /^debug_trace/;
const TRACER_MEMBER = 'tracer';
/** Name of a tracer that a node has. `muxTracer` runs others, whose names can be code. */
const TRACER_NAME = /^(?!muxTracer$)\w{1,64}$/;

/**
 * Whether a valid call is a trace by code that the client brings. What such a trace ends with, a result or the
 * message of an error, is in the client's own words: nothing follows from them.
 */
export function hasCustomTracer({ method, params }: Pick<Call, 'method' | 'params'>): boolean {
  if (params === undefined || !TRACE_METHOD.test(method)) return false;
  const text = jsonText(params);
  let brings = false;
  scanElements(text, skipSpace(text.bytes, 0), (at) => {
    const start = skipSpace(text.bytes, at);
    brings ||= isObject(text.bytes, start) && hasOwnTracer(text, start);
    return skipValue(text, at, MAX_JSON_DEPTH);
  });
  return brings;
}

/** Some nodes ignore the case of names, and take the last of equal ones: every one of them counts. */
function hasOwnTracer(text: JsonText, at: number): boolean {
  const { bytes } = text;
  const scanned: Members = { count: 0, offsets: [] };
  scanMembers(text, at, MAX_JSON_DEPTH, scanned);
  for (const [nameStart, nameEnd, start, end] of eachMember(scanned)) {
    if (foldName(decodeString(bytes, nameStart, nameEnd)) !== TRACER_MEMBER) continue;
    const named = isString(bytes, start) && TRACER_NAME.test(decodeString(bytes, start, end));
    if (!named && bytes.toString('latin1', start, end) !== 'null') return true;
  }
  return false;
}
