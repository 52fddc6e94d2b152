/**
 * Finds where JSON values start and end without building any of them, and accepts exactly what `JSON.parse`
 * does (RFC 8259). Each `skip` function starts at an offset and returns the offset after what it skipped, or a
 * negative number where the text is not JSON or nests too deep. Bytes over 0x7f pass inside strings: whether the
 * text is UTF-8 is the caller's question.
 */

/** Most levels of arrays and objects that a client's body may nest. */
export const MAX_JSON_DEPTH = 1_024;
/** The same of a node's response: a call trace nests two levels a frame, and the EVM allows 1,024 frames. */
export const MAX_RESPONSE_DEPTH = 4096;
/** Where a member is: its name, quotes included, and its value. */
export type MemberOffsets = readonly [nameStart: number, nameEnd: number, start: number, end: number];
/** Levels by which any text up to this many bytes is known to be JSON or not. */
export const MAX_SCANNED_DEPTH = 2 * 1024 * 1024;

/** What takes members: a list, or what keeps a few. */
interface MemberSink {
  push(member: MemberOffsets): unknown;
}

/** How far a value is scanned of which a part is there. */
export interface ScannedPart {
  /** Offset of the value, and the levels that it may nest. */
  readonly start: number;
  readonly levels: number;
  /** Offset of the next token. */
  readonly next: number;
  /** The closing bytes of the containers that are open around that. */
  readonly open: Uint8Array;
}

/** Text to scan. `words` views the same bytes. */
export interface JsonText {
  readonly bytes: Buffer;
  readonly buffer: ArrayBufferLike;
  readonly words: DataView;
  /** What of it is scanned already. @default nothing is */
  readonly scanned?: ScannedPart | undefined;
}

const MALFORMED = -1;
const PAUSED = -2;
/** Bytes after which a scan pauses. */
const PAUSE_BYTES = 16_384;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
/** What is between two strings, with their quotes. */
const QUOTE_COLON_QUOTE = 0x223a22;
const QUOTE_COMMA_QUOTE = 0x222c22;
const UPPER_E = 0x45;
const LOWER_A = 0x61;
const LOWER_E = 0x65;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const LOWER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Bytes that strings are read by: a word has the lowest first. */
const WORD_BYTES = 4;
/**
 * Added to each byte of a word, it sets bit 7 of 0x30 to 0xaf. Those that have bit 5 too are plain: 0x30 to 0x3f,
 * 0x60 to 0x7f, 0xa0 to 0xaf. Whatever carries into the next byte has lost its own bit 7.
 */
const TO_BIT_7 = 0x50505050;
const BIT_5 = 0x20202020;
const THREE_BYTES = 0xffffff;

const NULL = Buffer.from('null');
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const ESCAPED = Buffer.from('"\\/bfnrt');
const UNICODE_ESCAPE_DIGITS = 4;
/** Sets the case bit of an ASCII letter. */
const LOWER_CASE = 0x20;

/** The closing bytes of the containers open around the value in hand. A scan runs to its end, so one will do. */
const OPEN_CONTAINERS = new Uint8Array(MAX_SCANNED_DEPTH);
/** How many of them are open where the scan has paused. */
let openAtPause = 0;

/** Makes bytes ready to scan; nothing is copied. */
export function jsonText(bytes: Uint8Array, scanned?: ScannedPart): JsonText {
  const { buffer, byteOffset, byteLength } = bytes;
  return {
    bytes: Buffer.isBuffer(bytes) ? bytes : Buffer.from(buffer, byteOffset, byteLength),
    buffer,
    words: new DataView(buffer, byteOffset, byteLength),
    scanned,
  };
}

/** View of the bytes between two offsets. */
export function slice({ bytes, buffer }: JsonText, start: number, end: number): Uint8Array {
  return new Uint8Array(buffer, bytes.byteOffset + start, end - start);
}

/** Whether a string starts at an offset. */
export function isString(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === QUOTE;
}

/** Whether an array starts at an offset. */
export function isArray(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === OPEN_ARRAY;
}

/** Whether `true` or `false` starts at an offset of valid JSON. */
export function isBoolean(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === LOWER_T || bytes[at] === LOWER_F;
}

/** Whether `null` starts at an offset of valid JSON. */
export function isNull(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === LOWER_N;
}

/** Whether an object starts at an offset. */
export function isObject(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === OPEN_OBJECT;
}

/** Whether there is a comma at an offset. */
export function isComma(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === COMMA;
}

/** Whether there is the end of an object at an offset. */
export function isObjectEnd(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === CLOSE_OBJECT;
}

/** Skips white space, if any. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let next = at;
  while (next < bytes.length && isSpace(bytes[next] as number)) next++;
  return next;
}

function isSpace(byte: number): boolean {
  if (byte > SPACE) return false;
  return byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
}

/** Skips the value at an offset, and space before it, that nests at most `levels` arrays and objects. */
export function skipValue(text: JsonText, at: number, levels: number): number {
  const { scanned } = text;
  const isBegun = scanned !== undefined && scanned.start === at && scanned.levels === levels;
  let next = isBegun ? resume(text, scanned) : skipTokens(text, at, levels, 0);
  while (next <= PAUSED) next = skipTokens(text, PAUSED - next, levels, openAtPause);
  return next;
}

/**
 * Scans on in a value of which the first bytes are there, up to where `reserve` bytes are left: a token may go on in what is to
 * come. Undefined if there was no whole token, or what is there is no JSON.
 */
export function scanPart(text: JsonText, part: ScannedPart, reserve: number): ScannedPart | undefined {
  const { levels } = part;
  const end = text.bytes.length - reserve - PAUSE_BYTES;
  if (part.next > end) return undefined;
  let from = part.next;
  let next = resume(text, part);
  while (next <= PAUSED) {
    from = PAUSED - next;
    if (from > end) break;
    next = skipTokens(text, from, levels, openAtPause);
  }
  if (next > PAUSED) return undefined;
  return { ...part, next: from, open: OPEN_CONTAINERS.slice(0, openAtPause) };
}

function resume(text: JsonText, { levels, next, open }: ScannedPart): number {
  OPEN_CONTAINERS.set(open);
  return skipTokens(text, next, levels, open.length);
}

/**
 * Skips the rest of a value from a token that `open` containers are around. One loop over tokens with the strings in line:
 * a call for each would cost as much as the token. It pauses now and then, with {@link PAUSED} less the offset of
 * the next token, because the engine gives its best code to functions that return.
 */
function skipTokens({ bytes, words }: JsonText, at: number, levels: number, open: number): number {
  const lastWord = bytes.length - WORD_BYTES;
  const pause = at + PAUSE_BYTES;
  let depth = open;
  let closer = depth > 0 ? (OPEN_CONTAINERS[depth - 1] as number) : 0;
  let nameNext = closer === CLOSE_OBJECT;
  let next = at;
  for (;;) {
    const first = bytes[next] as number;
    if (first === QUOTE) {
      // Strings in a row, as names and values or as elements, are the rule.
      for (;;) {
        next++;
        do {
          // Long strings of a node are digits and lower-case letters: 16 at once. Names are too short to pay.
          if (!nameNext) {
            while (next <= lastWord - 12) {
              const a = words.getInt32(next, true);
              const b = words.getInt32(next + 4, true);
              const c = words.getInt32(next + 8, true);
              const d = words.getInt32(next + 12, true);
              const above = (a + TO_BIT_7) & (b + TO_BIT_7) & (c + TO_BIT_7) & (d + TO_BIT_7);
              if (((above >> 2) & a & b & c & d & BIT_5) !== BIT_5) break;
              next += 16;
            }
          }
          while (next <= lastWord) {
            const found = stops(words.getInt32(next, true));
            if (found !== 0) {
              next += (31 - Math.clz32(found & -found)) >> 3;
              break;
            }
            next += WORD_BYTES;
          }
          if (bytes[next] === QUOTE) break;
          next = skipUnusual(bytes, next);
        } while (next >= 0);
        if (next < 0) return MALFORMED;
        const joint = nameNext ? QUOTE_COLON_QUOTE : QUOTE_COMMA_QUOTE;
        if (depth === 0 || next > lastWord || (words.getInt32(next, true) & THREE_BYTES) !== joint) break;
        next += 2;
        nameNext = !nameNext && closer === CLOSE_OBJECT;
      }
      next++;
      if (nameNext) {
        next = bytes[next] === COLON ? next + 1 : skipColon(bytes, next);
        if (next < 0) return MALFORMED;
        nameNext = false;
        continue;
      }
    } else if (first <= SPACE && isSpace(first)) {
      next++;
      continue;
    } else if (nameNext) {
      return MALFORMED;
    } else if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
      if (depth === levels) return MALFORMED;
      const inner = first === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY;
      next = skipSpace(bytes, next + 1);
      if (bytes[next] !== inner) {
        OPEN_CONTAINERS[depth++] = closer = inner;
        nameNext = closer === CLOSE_OBJECT;
        continue;
      }
      next++;
    } else {
      if (first > DIGIT_0 && first <= DIGIT_9) next = skipInteger(bytes, next);
      else next = skipScalar(bytes, next);
      if (next < 0) return MALFORMED;
    }
    for (;;) {
      if (depth === 0) return next;
      const byte = bytes[next++];
      if (byte === COMMA) break;
      if (byte === closer) closer = --depth > 0 ? (OPEN_CONTAINERS[depth - 1] as number) : 0;
      else if (byte === undefined || !isSpace(byte)) return MALFORMED;
    }
    if (next > pause) {
      openAtPause = depth;
      return PAUSED - next;
    }
    nameNext = closer === CLOSE_OBJECT;
  }
}

/**
 * Skips the object that starts at an offset and nests at most `levels` arrays and objects, itself included. `members` gets each of
 * its members, in their order.
 */
export function scanMembers(text: JsonText, at: number, levels: number, members: MemberSink): number {
  const { bytes } = text;
  if (levels < 1 || bytes[at] !== OPEN_OBJECT) return MALFORMED;
  let next = skipSpace(bytes, at + 1);
  if (bytes[next] === CLOSE_OBJECT) return next + 1;
  for (;;) {
    if (bytes[next] !== QUOTE) return MALFORMED;
    const nameEnd = skipValue(text, next, 0);
    const start = skipColon(bytes, nameEnd);
    const end = start < 0 ? MALFORMED : skipValue(text, start, levels - 1);
    if (end < 0) return MALFORMED;
    members.push([next, nameEnd, start, end]);
    next = skipSpace(bytes, end);
    const byte = bytes[next];
    if (byte === CLOSE_OBJECT) return next + 1;
    if (byte !== COMMA) return MALFORMED;
    next = skipSpace(bytes, next + 1);
  }
}

/** The members of the object that starts at an offset and nests at most `levels`; of what is malformed those before that. */
export function membersAt(text: JsonText, at: number, levels: number): readonly MemberOffsets[] {
  const members: MemberOffsets[] = [];
  scanMembers(text, at, levels, members);
  return members;
}

/** Where the elements of a list are. */
export function elementSpans(text: JsonText): readonly (readonly [start: number, end: number])[] {
  const found: (readonly [number, number])[] = [];
  scanElements(text, skipSpace(text.bytes, 0), (at) => {
    const end = skipValue(text, at, MAX_JSON_DEPTH);
    found.push([at, end]);
    return end;
  });
  return found;
}

/** Skips the array that starts at an offset. `scan` gets the offset of each element and returns its end. */
export function scanElements({ bytes }: JsonText, at: number, scan: (at: number) => number): number {
  if (bytes[at] !== OPEN_ARRAY) return MALFORMED;
  let next = skipSpace(bytes, at + 1);
  if (bytes[next] === CLOSE_ARRAY) return next + 1;
  for (;;) {
    const end = scan(next);
    if (end < 0) return MALFORMED;
    next = skipSpace(bytes, end);
    const byte = bytes[next];
    if (byte === CLOSE_ARRAY) return next + 1;
    if (byte !== COMMA) return MALFORMED;
    next = skipSpace(bytes, next + 1);
  }
}

/** Skips the colon behind a name, and the space around it. */
export function skipColon(bytes: Uint8Array, at: number): number {
  if (at < 0) return MALFORMED;
  const colon = skipSpace(bytes, at);
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : MALFORMED;
}

/** Four bytes at once: the high bit of the first byte that is a quote, a backslash or a control is set. */
function stops(word: number): number {
  // Flipping 0x02 swaps quote (0x22) and space (0x20): what ends a string is then all that is below 0x21.
  const low = word ^ 0x02020202;
  const slash = word ^ 0x5c5c5c5c;
  return (((low - 0x21212121) & ~low) | ((slash - 0x01010101) & ~slash)) & 0x80808080;
}

/** Skips what is neither plain nor the end of a string: an escape, or one of the text's last bytes. */
function skipUnusual(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined || byte < SPACE) return MALFORMED;
  return byte === BACKSLASH ? skipEscape(bytes, at) : at + 1;
}

function skipEscape(bytes: Uint8Array, at: number): number {
  const kind = bytes[at + 1];
  if (kind !== LOWER_U) return kind !== undefined && ESCAPED.includes(kind) ? at + 2 : MALFORMED;
  const end = at + 2 + UNICODE_ESCAPE_DIGITS;
  for (let digit = at + 2; digit < end; digit++) if (!isHexDigit(bytes[digit])) return MALFORMED;
  return end;
}

/** Skips `true`, `false`, `null`, or a number that starts with a sign or a zero. */
function skipScalar(bytes: Uint8Array, at: number): number {
  const integer = bytes[at] === MINUS ? at + 1 : at;
  if (bytes[integer] === DIGIT_0) return skipFraction(bytes, integer + 1);
  if (isDigit(bytes[integer])) return skipInteger(bytes, integer);
  return integer === at ? skipLiteral(bytes, at) : MALFORMED;
}

/** Skips a number that starts with a digit other than zero. */
function skipInteger(bytes: Uint8Array, at: number): number {
  let next = at + 1;
  let byte = bytes[next];
  while (isDigit(byte)) byte = bytes[++next];
  return byte === POINT || byte === LOWER_E || byte === UPPER_E ? skipFraction(bytes, next) : next;
}

/** Skips what may follow the integer of a number: a fraction, an exponent, both or neither. */
function skipFraction(bytes: Uint8Array, at: number): number {
  const next = bytes[at] === POINT ? skipDigits(bytes, at + 1) : at;
  if (next < 0 || (bytes[next] !== LOWER_E && bytes[next] !== UPPER_E)) return next;
  const sign = bytes[next + 1];
  return skipDigits(bytes, sign === PLUS || sign === MINUS ? next + 2 : next + 1);
}

function skipDigits(bytes: Uint8Array, at: number): number {
  let next = at;
  while (isDigit(bytes[next])) next++;
  return next === at ? MALFORMED : next;
}

function skipLiteral(bytes: Uint8Array, at: number): number {
  const literal = bytes[at] === LOWER_N ? NULL : bytes[at] === LOWER_T ? TRUE : FALSE;
  for (let index = 0; index < literal.length; index++) {
    if (bytes[at + index] !== literal[index]) return MALFORMED;
  }
  return at + literal.length;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= DIGIT_0 && byte <= DIGIT_9;
}

function isHexDigit(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const lower = byte | LOWER_CASE;
  return isDigit(byte) || (lower >= LOWER_A && lower <= LOWER_F);
}
