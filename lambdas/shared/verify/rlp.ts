/** A member without the shape that its encoding needs. */
export class UnencodableError extends Error {
  /** The member, by the node's name. */
  readonly member: string;

  constructor(member: string) {
    super(`${member} cannot be encoded`);
    this.name = 'UnencodableError';
    this.member = member;
  }
}

/** What `read` returns, or what follows from a member that cannot be encoded. Any other error is a defect, and stays one. */
export function whereEncodable<T, Other>(read: () => T, otherwise: (member: string) => Other): T | Other {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnencodableError) return otherwise(error.member);
    throw error;
  }
}

/** Bytes that the length of a short item fits beside its kind. */
const SHORT_BYTES = 55;
const STRING = 0x80;
const LIST = 0xc0;
/** What the digits of a single byte stay as they are below. */
const SINGLE_BYTES = '8';
const DIGITS_OF_BYTE = 2;
const HEX = /^[0-9a-f]+$/;

/** A string of bytes in RLP; both as hex digits, which nodes send and which concatenate at no cost. */
export function rlpString(digits: string): string {
  const isSingle = digits.length === DIGITS_OF_BYTE && digits < SINGLE_BYTES;
  return isSingle ? digits : prefix(digits, STRING) + digits;
}

/** A list in RLP of items that are encoded and joined. */
export function rlpList(items: string): string {
  return prefix(items, LIST) + items;
}

/** Digits of a number, of whole bytes and without leading zeros: none for 0. */
export function numberDigits(digits: string): string {
  const bare = digits.replace(/^0+/, '');
  return bare.length % DIGITS_OF_BYTE === 0 ? bare : `0${bare}`;
}

function prefix(digits: string, kind: number): string {
  const bytes = digits.length / DIGITS_OF_BYTE;
  if (bytes <= SHORT_BYTES) return byteDigits(kind + bytes);
  const length = numberDigits(bytes.toString(16));
  return byteDigits(kind + SHORT_BYTES + length.length / DIGITS_OF_BYTE) + length;
}

function byteDigits(value: number): string {
  return value.toString(16).padStart(DIGITS_OF_BYTE, '0');
}

/** An item of a list: the bytes of a string, or a list as it is encoded. In hex digits. */
export interface RlpItem {
  readonly isList: boolean;
  readonly digits: string;
}

/** The one item that digits are, and no more. @throws {UnencodableError} for what no encoder makes */
export function readItem(digits: string): RlpItem {
  const { item, end } = itemAt(digits, 0);
  if (end !== digits.length) throw new UnencodableError('rlp');
  return item;
}

/**
 * The items of a list, which is all that the digits are.
 * @throws {UnencodableError} for a string, for what no encoder makes, and for a list of more than `most` items
 */
export function readList(digits: string, most: number): readonly RlpItem[] {
  const { item, end, start } = itemAt(digits, 0);
  if (!item.isList || end !== digits.length) throw new UnencodableError('rlp');
  const items: RlpItem[] = [];
  for (let at = start; at < end; ) {
    const next = itemAt(digits, at);
    if (items.push(next.item) > most) throw new UnencodableError('rlp');
    at = next.end;
  }
  return items;
}

/** The item that begins at a digit. `start`: where its bytes begin; `end`: where the next item does. */
function itemAt(digits: string, at: number): { item: RlpItem; start: number; end: number } {
  const head = numberAt(digits, at, 1);
  const isList = head >= LIST;
  const inHead = head - (isList ? LIST : STRING);
  const lengthBytes = Math.max(0, inHead - SHORT_BYTES);
  const afterHead = at + DIGITS_OF_BYTE;
  const start = inHead < 0 ? at : afterHead + lengthBytes * DIGITS_OF_BYTE;
  const bytes = inHead < 0 ? 1 : lengthBytes === 0 ? inHead : numberAt(digits, afterHead, lengthBytes);
  const end = start + bytes * DIGITS_OF_BYTE;
  const content = digits.slice(start, end);
  // What an encoder makes has one form: encoded anew it is the same, and none of its bytes are missing.
  const encoded = isList ? rlpList(content) : rlpString(content);
  if (encoded !== digits.slice(at, end)) throw new UnencodableError('rlp');
  return { item: { isList, digits: isList ? encoded : content }, start, end };
}

function numberAt(digits: string, at: number, bytes: number): number {
  const text = digits.slice(at, at + bytes * DIGITS_OF_BYTE);
  if (text.length !== bytes * DIGITS_OF_BYTE || !HEX.test(text)) throw new UnencodableError('rlp');
  return Number.parseInt(text, 16);
}
