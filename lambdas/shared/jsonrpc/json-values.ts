import { type JsonText, type MemberOffsets, scanMembers } from './scan-json.ts';

/** Text of a part of larger bytes, which it does not copy. @param encoding of JSON without letters, `latin1` is faster */
export function jsonOf(bytes: Uint8Array, encoding?: 'latin1'): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(encoding);
}

/** What a text or its bytes say; undefined for what is no JSON. */
export function readJson(json: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof json === 'string' ? json : jsonOf(json));
  } catch {
    return undefined;
  }
}

/** Value of the valid JSON string, quotes included, between two offsets. */
export function decodeString(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start + 1, end - 1);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

/** Whether the bytes between two offsets are the expected ones. */
export function bytesEqual(bytes: Buffer, start: number, end: number, expected: Uint8Array): boolean {
  if (end - start !== expected.length) return false;
  for (let index = 0; index < expected.length; index++) {
    if (bytes[start + index] !== expected[index]) return false;
  }
  return true;
}

/**
 * A member name as parsers that ignore case compare it: equal to a lower-case ASCII name if and only if such a
 * parser takes it for that name. Beside ASCII letters these are the long s (U+017F) and the Kelvin sign (U+212A,
 * of which lower case is k).
 */
export function foldName(name: string): string {
  return name.toLowerCase().replaceAll('\u017f', 's');
}

/** The one form of a number that every node writes and reads alike. */
const QUANTITY = /^"0x[0-9a-fA-F]{1,16}"$/;
const HASH = /^"0x[0-9a-fA-F]{64}"$/;

/** Number that raw JSON stands for; undefined for anything but a hexNumber, such as a tag. */
export function quantityOfJson(json: string | undefined): bigint | undefined {
  return json !== undefined && QUANTITY.test(json) ? BigInt(json.slice(1, -1)) : undefined;
}

/** A number as every node writes it. */
export function hexNumber(number: bigint | number): string {
  return `0x${number.toString(16)}`;
}

/** JSON of a number as every node writes it. */
export function quantityJson(number: bigint): string {
  return `"${hexNumber(number)}"`;
}

/** Hash that raw JSON stands for, in lower case; undefined for anything else. */
export function hashOfJson(json: string | undefined): string | undefined {
  return json !== undefined && HASH.test(json) ? json.slice(1, -1).toLowerCase() : undefined;
}

/** A member of a scanned object. */
interface Member {
  /** Raw JSON of the name, quotes included: a name with an escape is none that the cache looks for. */
  readonly name: string;
  /** Raw JSON of the value. */
  value(): string;
  /** Where the value is, in the text. */
  readonly start: number;
  readonly end: number;
}

/** Members of the object that starts at an offset, and where it ends; it nests at most `levels`. */
export function readMembers(
  text: JsonText,
  at: number,
  levels: number,
): { readonly members: readonly Member[]; readonly end: number } {
  const scanned: MemberOffsets[] = [];
  const end = scanMembers(text, at, levels, scanned);
  const members = scanned.map(([nameStart, nameEnd, start, valueEnd]) => ({
    name: text.bytes.toString('latin1', nameStart, nameEnd),
    value: () => text.bytes.toString('latin1', start, valueEnd),
    start,
    end: valueEnd,
  }));
  return { members, end };
}
