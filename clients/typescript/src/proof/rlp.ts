import { ProofError } from '../errors.ts';

/** What RLP encodes: bytes, or a list. */
export type RlpPart = Uint8Array | readonly RlpPart[];

/** An encoded item, and where the next one begins. */
interface ReadItem {
  readonly item: RlpPart;
  readonly end: number;
}

const STRING = 0x80;
const LIST = 0xc0;
/** Longest content, in bytes, whose length is in the first byte. */
const SHORT_BYTES = 55;
/** Longest length, in bytes, that a number holds exactly. */
const MAX_LENGTH_BYTES = 6;
/** Lists within lists: a receipt has four, a node of a trie fewer. */
const MAX_DEPTH = 16;
const BYTE = 256;

/** Decodes one item and nothing behind it, in the one way that RLP allows. @throws {ProofError} for anything else */
export function decodeRlp(bytes: Uint8Array): RlpPart {
  const { item, end } = readItem(bytes, 0, bytes.length, 0);
  if (end !== bytes.length) throw new ProofError('there are bytes behind an item');
  return item;
}

function readItem(bytes: Uint8Array, at: number, limit: number, depth: number): ReadItem {
  const first = at < limit ? bytes[at] : undefined;
  if (first === undefined) throw new ProofError('an item is cut off');
  if (depth > MAX_DEPTH) throw new ProofError('lists are nested too deeply');
  if (first < STRING) return { item: bytes.subarray(at, at + 1), end: at + 1 };
  const kind = first < LIST ? STRING : LIST;
  const short = first - kind;
  const start = short <= SHORT_BYTES ? at + 1 : at + 1 + short - SHORT_BYTES;
  const length =
    short <= SHORT_BYTES ? short : longLength(bytes.subarray(at + 1, Math.min(start, limit)), short);
  const end = start + length;
  if (end > limit) throw new ProofError('an item is cut off');
  if (kind === LIST) return { item: readList(bytes, start, end, depth + 1), end };
  if (length === 1 && (bytes[start] ?? STRING) < STRING)
    throw new ProofError('a byte has a length of its own');
  return { item: bytes.subarray(start, end), end };
}

function longLength(digits: Uint8Array, short: number): number {
  if (digits.length !== short - SHORT_BYTES || digits.length > MAX_LENGTH_BYTES)
    throw new ProofError('an item is cut off');
  const length = digits.reduce((sum, digit) => sum * BYTE + digit, 0);
  if (digits[0] === 0 || length <= SHORT_BYTES)
    throw new ProofError('a length is longer than it needs to be');
  return length;
}

function readList(bytes: Uint8Array, start: number, end: number, depth: number): readonly RlpPart[] {
  const items: RlpPart[] = [];
  for (let at = start; at < end; ) {
    const read = readItem(bytes, at, end, depth);
    items.push(read.item);
    at = read.end;
  }
  return items;
}

/** What a list holds, as it is encoded. @param list what {@link decodeRlp} takes for a list */
export function listContent(list: Uint8Array): Uint8Array {
  const short = (list[0] ?? LIST) - LIST;
  return list.subarray(short <= SHORT_BYTES ? 1 : 1 + short - SHORT_BYTES);
}

/** Encodes a list of what is encoded. */
export function joinList(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const digits: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / BYTE)) digits.unshift(rest % BYTE);
  const head = length <= SHORT_BYTES ? [LIST + length] : [LIST + SHORT_BYTES + digits.length, ...digits];
  return Uint8Array.from([head, ...parts].flatMap((part) => [...part]));
}

/** Encodes a number of at most {@link SHORT_BYTES} bytes. */
export function encodeNumber(bytes: Uint8Array): Uint8Array {
  const [first = STRING] = bytes;
  return bytes.length === 1 && first < STRING ? bytes : Uint8Array.of(STRING + bytes.length, ...bytes);
}
