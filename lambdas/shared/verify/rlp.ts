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

/** Bytes that the length of a short item fits beside its kind. */
const SHORT_BYTES = 55;
const STRING = 0x80;
const LIST = 0xc0;
/** What the digits of a single byte stay as they are below. */
const SINGLE_BYTES = '8';
const DIGITS_OF_BYTE = 2;

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
