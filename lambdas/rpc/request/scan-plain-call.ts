import {
  isComma,
  isObjectEnd,
  type JsonText,
  skipColon,
  skipSpace,
  skipValue,
} from '../../shared/jsonrpc/scan-json.ts';

/**
 * Where the values of a call's members are: the offset of each at its index here, the end of each one behind;
 * {@link ABSENT} for a member that is not there.
 */
export type CallSpans = number[];
export const JSONRPC = 0;
export const ID = 2;
export const METHOD = 4;
export const PARAMS = 6;
/** No value can start at the first byte: its object does. */
export const ABSENT = 0;
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
export function clear(spans: CallSpans): void {
  spans[JSONRPC] = ABSENT;
  spans[ID] = ABSENT;
  spans[METHOD] = ABSENT;
  spans[PARAMS] = ABSENT;
}

/** Spans of no call yet. */
export function emptySpans(): CallSpans {
  return new Array<number>(SPANS_LENGTH).fill(ABSENT);
}

/**
 * Skips a call as it is usually written: the members of a call and no other, each once, their names without
 * escapes. Negative for any other object, also a malformed one: that takes a closer look. Names are compared by
 * whole words, because a batch would otherwise cost more than `JSON.parse`.
 */
export function scanPlainCall(text: JsonText, at: number, levels: number, spans: CallSpans): number {
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
  const isVersion = head === JSONRPC_WORDS[0] && tail === JSONRPC_WORDS[1] && bytes[at + 8] === QUOTE;
  return isVersion ? JSONRPC : NOT_PLAIN;
}

function nameLength(member: number): number {
  if (member === ID) return 4;
  return member === JSONRPC ? 9 : 8;
}

function wordOf(ascii: string): number {
  return Buffer.from(ascii).readInt32LE();
}
