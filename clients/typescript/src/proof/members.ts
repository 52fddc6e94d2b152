import { ProofError } from '../errors.ts';
import type { RlpPart } from './rlp.ts';

/** Bytes as `0x` and hex digits in lower case. */
export type BytesText = `0x${string}`;

/** Decodes one member of a list. @throws {ProofError} where it has another shape */
type Decode<Value> = (item: RlpPart) => Value;

/** Members of a list by name, in the order of its encoding. */
type Members = Readonly<Record<string, Decode<unknown>>>;

/** What members decode to. */
export type Decoded<Of extends Members> = { readonly [Name in keyof Of]: ReturnType<Of[Name]> };

const ADDRESS_BYTES = 20;
const HASH_BYTES = 32;
const HEX_RADIX = 16;
const DIGITS_OF_BYTE = 2;
const HEX = /^0x(?:[0-9a-fA-F]{2})*$/;

/** Decodes a list that has these members and no others. @throws {ProofError} */
export function decodeMembers<Of extends Members>(item: RlpPart, members: Of): Decoded<Of> {
  const items = asList(item);
  const entries = Object.entries(members);
  if (items.length !== entries.length)
    throw new ProofError(`a list has ${items.length} members where ${entries.length} are known`);
  const decoded = entries.map(([name, decode], place) => [name, decode(items[place] as RlpPart)]);
  return Object.fromEntries(decoded) as Decoded<Of>;
}

/** A list. @throws {ProofError} for bytes */
export function asList(item: RlpPart): readonly RlpPart[] {
  if (item instanceof Uint8Array) throw new ProofError('there are bytes in place of a list');
  return item;
}

/** Bytes. @throws {ProofError} for a list */
export function asBytes(item: RlpPart): Uint8Array {
  if (!(item instanceof Uint8Array)) throw new ProofError('there is a list in place of bytes');
  return item;
}

/** Bytes of any number. */
export const asData = (item: RlpPart): BytesText => hexText(asBytes(item));

/** A number of at most 32 bytes. */
export const asQuantity = (item: RlpPart): bigint => {
  const bytes = asBytes(item);
  if (bytes.length > HASH_BYTES || bytes[0] === 0) throw new ProofError('a number has another shape');
  return bytes.length === 0 ? 0n : BigInt(hexText(bytes));
};

/** Bytes of a fixed number. */
export const asFixed =
  (length: number) =>
  (item: RlpPart): BytesText => {
    const bytes = asBytes(item);
    if (bytes.length !== length) throw new ProofError(`${bytes.length} bytes are in place of ${length}`);
    return hexText(bytes);
  };
export const asHash = asFixed(HASH_BYTES);
export const asAddress = asFixed(ADDRESS_BYTES);

/** An address; null where a transaction makes a contract. */
export const asAddressOrNull = (item: RlpPart): BytesText | null =>
  asBytes(item).length === 0 ? null : asAddress(item);

/** True or false. */
export const asFlag = (item: RlpPart): boolean => {
  const value = asQuantity(item);
  if (value > 1n) throw new ProofError('a number is in place of true or false');
  return value === 1n;
};

/** A list whose members are all of one kind. */
export const asListed =
  <Value>(decode: Decode<Value>) =>
  (item: RlpPart): readonly Value[] =>
    asList(item).map(decode);

/** A list of lists with the same members. */
export const listedMembers = <Of extends Members>(members: Of) =>
  asListed((item) => decodeMembers(item, members));

export function hexText(bytes: Uint8Array): BytesText {
  let digits = '';
  for (const byte of bytes) digits += byte.toString(HEX_RADIX).padStart(DIGITS_OF_BYTE, '0');
  return `0x${digits}`;
}

/** The bytes of a text. @param name of what it is @throws {ProofError} for anything but `0x` and hex digits of whole bytes */
export function parseHex(text: unknown, name: string): Uint8Array {
  if (typeof text !== 'string' || !HEX.test(text)) throw new ProofError(`${name} is no hex text`);
  const bytes = new Uint8Array(text.length / DIGITS_OF_BYTE - 1);
  for (let place = 0; place < bytes.length; place += 1)
    bytes[place] = Number.parseInt(text.slice(place * 2 + 2, place * 2 + 4), HEX_RADIX);
  return bytes;
}
